//! Servers whose capacity is known, with the way it was found.

use aiperf_seed::Seed;

use crate::load::CompletedRequest;
use crate::server::ServerModel;
use crate::server::batching::{BatchingServer, BatchingSpeed};
use crate::server::pool::ServerPool;
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
    /// M/G/1: log-normal times with a mean of 50 ms and a sigma of 1.
    LogNormal,
    /// M/G/1: 95 % of the requests take 30 ms on average, the others 300 ms.
    TwoClasses,
    /// M/M/4: each of 4 servers serves 5 requests per second on average.
    Pool,
    /// Continuous batching with small batches, long prompts and another objective.
    SmallBatch,
    /// M/M/1 that becomes slower by 5 % of its speed each hour.
    Drifting,
    /// M/M/1 that starts 30 % slower and warms up with a time constant of 5 minutes.
    Warming,
    /// M/M/1 at 40 % of its speed below 6 requests per second.
    PowerSaving,
    /// M/M/1 at 55 % of its speed below 6.5 requests per second.
    LightPowerSaving,
    /// M/M/1 at 50 % of its speed between 4.5 and 6.5 requests per second.
    SlowBand,
}

const SERVICE_S: f64 = 0.05;
const MM1_SERVICE: ServiceTime = ServiceTime::Exponential { mean_s: SERVICE_S };
const POOL_SERVERS: u32 = 4;
const POOL_SERVICE_S: f64 = 0.2;

impl KnownServer {
    pub const ALL: [Self; 12] = [
        Self::MM1,
        Self::MD1,
        Self::Batching,
        Self::LogNormal,
        Self::TwoClasses,
        Self::Pool,
        Self::SmallBatch,
        Self::Drifting,
        Self::Warming,
        Self::PowerSaving,
        Self::LightPowerSaving,
        Self::SlowBand,
    ];

    /// Servers that stay the same, on which the settings of searches were chosen.
    pub const STABLE: [Self; 3] = [Self::MM1, Self::MD1, Self::Batching];

    /// Servers that stay the same, on which nothing was chosen.
    pub const HOLD_OUT: [Self; 4] = [Self::LogNormal, Self::TwoClasses, Self::Pool, Self::SmallBatch];

    /// Servers that do not stay the same, or for which a higher rate can be better.
    pub const CHANGING: [Self; 5] =
        [Self::Drifting, Self::Warming, Self::PowerSaving, Self::LightPowerSaving, Self::SlowBand];

    pub fn name(self) -> &'static str {
        match self {
            Self::MM1 => "M/M/1",
            Self::MD1 => "M/D/1",
            Self::Batching => "continuous batching",
            Self::LogNormal => "M/G/1, log-normal",
            Self::TwoClasses => "M/G/1, two classes",
            Self::Pool => "M/M/4",
            Self::SmallBatch => "small batches",
            Self::Drifting => "drifting",
            Self::Warming => "warming",
            Self::PowerSaving => "power saving",
            Self::LightPowerSaving => "light power saving",
            Self::SlowBand => "slow band",
        }
    }

    pub fn objective(self) -> Objective {
        let latency = |limit_s| Objective { measure: Measure::RequestLatency, limit_s, allowed_share: 0.01 };
        match self {
            Self::Batching => Objective { measure: Measure::TimeToFirstToken, limit_s: 0.5, allowed_share: 0.01 },
            Self::SmallBatch => Objective { measure: Measure::TimeToFirstToken, limit_s: 2.0, allowed_share: 0.05 },
            Self::LogNormal => latency(1.0),
            Self::TwoClasses => latency(2.0),
            Self::Pool => latency(1.5),
            _ => latency(0.5),
        }
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

    /// At most 16 sequences, a step of 20 ms plus 0.5 ms for each sequence and 0.05 ms for each prompt token, 1,024 tokens in a step.
    pub const SMALL_BATCH: BatchingSpeed = BatchingSpeed {
        max_batch: 16,
        step_s: 0.02,
        sequence_s: 0.000_5,
        prefill_token_s: 0.000_05,
        token_budget: 1_024,
        mean_input_tokens: 800.0,
        input_sigma: 1.0,
        mean_output_tokens: 60.0,
    };

    /// The highest rate, in requests per second, at which the server keeps its objective. A drifting server has the value of its
    /// beginning, a warming server that of its end, and the power-saving server the higher of its two limits.
    pub fn rate_capacity(self) -> f64 {
        match self {
            // The share of late requests of M/M/1 is exp(-(20 - rate) · 0.5 s).
            Self::MM1
            | Self::Drifting
            | Self::Warming
            | Self::PowerSaving
            | Self::LightPowerSaving
            | Self::SlowBand => 1.0 / SERVICE_S - 100.0_f64.ln() / 0.5,
            // Crommelin's formula, solved for a share of 1 %.
            Self::MD1 => 15.4697,
            // Simulated: 60 million requests each at 23.1, 23.3 and 23.5 requests/s have 0.852, 1.139 and 1.592 % late requests
            // (`cargo run --release -p aiperf-queue-model --example late_share -- Batching 60000000 23.1 23.3 23.5`). Known to ±0.02.
            Self::Batching => 23.21,
            // Simulated as Batching: 60 million requests each at 12.5 and 12.7 have 1.009 and 1.098 %.
            Self::LogNormal => 12.48,
            // Simulated: 60 million requests each at 15.0 and 15.2 have 0.981 and 1.069 %.
            Self::TwoClasses => 15.04,
            // `pool_late_share`, solved for a share of 1 %.
            Self::Pool => 16.446,
            // Simulated: 30 million requests each at 5.85 and 5.95 have 4.03 and 5.63 %, of which 5 % are allowed.
            Self::SmallBatch => 5.914,
        }
    }

    /// The most users with which the server keeps its objective.
    pub fn user_capacity(self) -> u32 {
        match self {
            // The latency of n users is Erlang(n, 20/s): 0.28 % are late with 3 users, 1.03 % with 4.
            Self::MM1
            | Self::Drifting
            | Self::Warming
            | Self::PowerSaving
            | Self::LightPowerSaving
            | Self::SlowBand => 3,
            // Each of n users waits n times 50 ms.
            Self::MD1 => 10,
            // Simulated with 3 million requests: 71 users have 1.48 % late requests, 70 users less than 1 %.
            Self::Batching => 70,
            // Simulated with 5 million requests: 0.78 % are late with 7 users, 1.17 % with 8.
            Self::LogNormal => 7,
            // Simulated with 5 million requests: 0.83 % are late with 14 users, 1.01 % with 15.
            // With the pool, the latency of n users is the sum of Erlang(n - 4, 20/s) and an exponential time: 0.98 % with 14 users, 1.31 % with 15.
            Self::TwoClasses | Self::Pool => 14,
            // Simulated with 5 million requests: 3.3 % are late with 24 users, 6.8 % with 25, and 5 % are allowed.
            Self::SmallBatch => 24,
        }
    }

    pub fn start(self, seed: Seed) -> VirtualSession {
        let single = |service, speed| Box::new(SingleServer::new(service, speed, seed));
        let stable = |service| single(service, SpeedOverTime::Constant);
        let slow = |from_requests_per_s, to_requests_per_s, speed| {
            let window_s = 8.0;
            single(MM1_SERVICE, SpeedOverTime::SlowBetween { from_requests_per_s, to_requests_per_s, speed, window_s })
        };
        let server: Box<dyn ServerModel> = match self {
            Self::MM1 => stable(MM1_SERVICE),
            Self::MD1 => stable(ServiceTime::Constant { s: SERVICE_S }),
            Self::Batching => Box::new(BatchingServer::new(Self::BATCHING, seed)),
            Self::LogNormal => stable(ServiceTime::LogNormal { mean_s: SERVICE_S, sigma: 1.0 }),
            Self::TwoClasses => stable(ServiceTime::TwoClasses { short_s: 0.03, long_s: 0.3, long_share: 0.05 }),
            Self::Pool => {
                let service = ServiceTime::Exponential { mean_s: POOL_SERVICE_S };
                Box::new(ServerPool::new(POOL_SERVERS as usize, service, seed))
            }
            Self::SmallBatch => Box::new(BatchingServer::new(Self::SMALL_BATCH, seed)),
            Self::Drifting => single(MM1_SERVICE, SpeedOverTime::Drifting { change_per_hour: -0.05 }),
            Self::Warming => single(MM1_SERVICE, SpeedOverTime::Warming { slower_by: 0.3, time_constant_s: 300.0 }),
            Self::PowerSaving => slow(0.0, 6.0, 0.4),
            Self::LightPowerSaving => slow(0.0, 6.5, 0.55),
            Self::SlowBand => slow(4.5, 6.5, 0.5),
        };
        VirtualSession::new(server, seed)
    }
}
