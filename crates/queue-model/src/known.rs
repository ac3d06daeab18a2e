//! Servers whose capacity is known, with the way it was found.

use aiperf_seed::Seed;

use crate::load::CompletedRequest;
use crate::server::ServerModel;
use crate::server::batching::{BatchingServer, BatchingSpeed};
use crate::server::single::{ServiceTime, SingleServer, SpeedOverTime};
use crate::session::VirtualSession;

/// Which time of a request an objective limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    TimeToFirstToken,
    RequestLatency,
}

/// A service-level objective: at most `allowed_share` of the requests exceed `limit_s`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    pub measure: Measure,
    pub limit_s: f64,
    pub allowed_share: f64,
}

impl Objective {
    /// The measured value divided by the limit: above 1 the request violates the objective.
    pub fn ratio(&self, request: &CompletedRequest) -> f64 {
        let until_s = match self.measure {
            Measure::TimeToFirstToken => request.first_token_s,
            Measure::RequestLatency => request.finish_s,
        };
        // Times are sums of floating-point numbers: a latency that is exactly at the limit must not count as above it.
        (until_s - request.arrival_s) / self.limit_s - 1e-9
    }
}

/// A simulated server for which searches can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownServer {
    /// M/M/1: 20 requests per second on average.
    MM1,
    /// M/D/1: each request takes 50 ms.
    MD1,
    /// Continuous batching.
    Batching,
    /// M/M/1 that becomes slower by 5 % of its speed each hour.
    Drifting,
    /// M/M/1 that starts 30 % slower and warms up with a time constant of 5 minutes.
    Warming,
    /// M/M/1 at 40 % of its speed below 6 requests per second.
    PowerSaving,
}

const SERVICE_S: f64 = 0.05;
const MM1_SERVICE: ServiceTime = ServiceTime::Exponential { mean_s: SERVICE_S };

impl KnownServer {
    pub const ALL: [Self; 6] = [Self::MM1, Self::MD1, Self::Batching, Self::Drifting, Self::Warming, Self::PowerSaving];

    pub fn name(self) -> &'static str {
        match self {
            Self::MM1 => "M/M/1",
            Self::MD1 => "M/D/1",
            Self::Batching => "continuous batching",
            Self::Drifting => "drifting",
            Self::Warming => "warming",
            Self::PowerSaving => "power saving",
        }
    }

    pub fn objective(self) -> Objective {
        let measure = if self == Self::Batching { Measure::TimeToFirstToken } else { Measure::RequestLatency };
        Objective { measure, limit_s: 0.5, allowed_share: 0.01 }
    }

    /// At most 64 sequences, a step of 8 ms plus 0.15 ms for each sequence and 0.02 ms for
    /// each prompt token, 2,048 tokens in a step.
    pub const BATCHING: BatchingSpeed = BatchingSpeed {
        max_batch: 64,
        step_s: 0.008,
        sequence_s: 0.000_15,
        prefill_token_s: 0.000_02,
        token_budget: 2_048,
        mean_input_tokens: 500.0,
        input_sigma: 0.8,
        mean_output_tokens: 100.0,
    };

    /// The highest rate, in requests per second, at which the server keeps its objective. A drifting server has the value of its
    /// beginning, a warming server that of its end, and the power-saving server the higher of its two limits.
    pub fn rate_capacity(self) -> f64 {
        match self {
            // The share of late requests of M/M/1 is exp(-(20 - rate) · 0.5 s).
            Self::MM1 | Self::Drifting | Self::Warming | Self::PowerSaving => 1.0 / SERVICE_S - 100.0_f64.ln() / 0.5,
            // Crommelin's formula, solved for a share of 1 %.
            Self::MD1 => 15.4697,
            // Simulated: 60 million requests each at 23.1, 23.3 and 23.5 requests/s have 0.852, 1.139 and 1.592 % late requests
            // (`cargo run --release -p aiperf-queue-model --example late_share -- Batching 60000000 23.1 23.3 23.5`). Known to ±0.02.
            Self::Batching => 23.21,
        }
    }

    /// The most users with which the server keeps its objective.
    pub fn user_capacity(self) -> u32 {
        match self {
            // The latency of n users is Erlang(n, 20/s): 0.28 % are late with 3 users, 1.03 % with 4.
            Self::MM1 | Self::Drifting | Self::Warming | Self::PowerSaving => 3,
            // Each of n users waits n times 50 ms.
            Self::MD1 => 10,
            // Simulated with 3 million requests: 71 users have 1.48 % late requests, 70 users less than 1 %.
            Self::Batching => 70,
        }
    }

    pub fn start(self, seed: Seed) -> VirtualSession {
        let single = |service, speed| Box::new(SingleServer::new(service, speed, seed));
        let server: Box<dyn ServerModel> = match self {
            Self::MM1 => single(MM1_SERVICE, SpeedOverTime::Constant),
            Self::MD1 => single(ServiceTime::Constant { s: SERVICE_S }, SpeedOverTime::Constant),
            Self::Batching => Box::new(BatchingServer::new(Self::BATCHING, seed)),
            Self::Drifting => single(MM1_SERVICE, SpeedOverTime::Drifting { change_per_hour: -0.05 }),
            Self::Warming => single(MM1_SERVICE, SpeedOverTime::Warming { slower_by: 0.3, time_constant_s: 300.0 }),
            Self::PowerSaving => {
                single(MM1_SERVICE, SpeedOverTime::PowerSaving { below_requests_per_s: 6.0, speed: 0.4, window_s: 8.0 })
            }
        };
        VirtualSession::new(server, seed)
    }
}
