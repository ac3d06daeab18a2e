//! One server that works on one request at a time, in order: M/M/1, M/D/1, M/G/1, and variants whose speed changes.

use std::collections::VecDeque;

use aiperf_seed::{Seed, Stream};

use super::ServerModel;
use crate::load::CompletedRequest;

/// How long a request is worked on while the server has its normal speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ServiceTime {
    Exponential {
        mean_s: f64,
    },
    Constant {
        s: f64,
    },
    /// `sigma` is the standard deviation of the logarithm.
    LogNormal {
        mean_s: f64,
        sigma: f64,
    },
    /// Two classes of requests, each with exponential times: short ones, and this share of long ones.
    TwoClasses {
        short_s: f64,
        long_s: f64,
        long_share: f64,
    },
}

impl ServiceTime {
    pub(super) fn draw(self, draws: &mut Stream) -> f64 {
        match self {
            Self::Exponential { mean_s } => draws.exponential(mean_s),
            Self::Constant { s } => s,
            Self::LogNormal { mean_s, sigma } => draws.normal(mean_s.ln() - sigma * sigma / 2.0, sigma).exp(),
            Self::TwoClasses { short_s, long_s, long_share } => {
                let is_long = draws.unit() < long_share;
                draws.exponential(if is_long { long_s } else { short_s })
            }
        }
    }
}

/// How the speed of the server changes. A speed of 1 is normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpeedOverTime {
    Constant,
    /// The speed changes by this share of the normal speed each hour, down to a tenth at most.
    Drifting {
        change_per_hour: f64,
    },
    /// The server starts slower by `slower_by` and approaches its normal speed: caches fill, code is compiled.
    Warming {
        slower_by: f64,
        time_constant_s: f64,
    },
    /// The server runs at `speed` while the request rate of the last `window_s` seconds is between these two: it saves power, part of
    /// it is switched off, or it groups requests badly. A higher rate then gives shorter latencies.
    SlowBetween {
        from_requests_per_s: f64,
        to_requests_per_s: f64,
        speed: f64,
        window_s: f64,
    },
}

#[derive(Debug)]
pub struct SingleServer {
    service: ServiceTime,
    speed: SpeedOverTime,
    draws: Stream,
    /// Arrival times; the first request is being worked on.
    queue: VecDeque<f64>,
    finish_s: f64,
    recent: RecentRate,
}

impl SingleServer {
    pub fn new(service: ServiceTime, speed: SpeedOverTime, seed: Seed) -> Self {
        Self {
            service,
            speed,
            draws: seed.stream("queue_model.service"),
            queue: VecDeque::new(),
            finish_s: f64::INFINITY,
            recent: RecentRate::default(),
        }
    }

    fn begin(&mut self, now_s: f64) {
        let work_s = self.service.draw(&mut self.draws);
        self.finish_s = now_s + work_s / self.speed_at(now_s);
    }

    fn speed_at(&self, now_s: f64) -> f64 {
        match self.speed {
            SpeedOverTime::Constant => 1.0,
            SpeedOverTime::Drifting { change_per_hour } => (1.0 + change_per_hour * now_s / 3_600.0).max(0.1),
            SpeedOverTime::Warming { slower_by, time_constant_s } => 1.0 - slower_by * (-now_s / time_constant_s).exp(),
            SpeedOverTime::SlowBetween { from_requests_per_s, to_requests_per_s, speed, window_s } => {
                let is_slow = (from_requests_per_s..to_requests_per_s).contains(&self.recent.at(now_s, window_s));
                if is_slow { speed } else { 1.0 }
            }
        }
    }
}

impl ServerModel for SingleServer {
    fn arrive(&mut self, now_s: f64) {
        if let SpeedOverTime::SlowBetween { window_s, .. } = self.speed {
            self.recent.count(now_s, window_s);
        }
        self.queue.push_back(now_s);
        if self.queue.len() == 1 {
            self.begin(now_s);
        }
    }

    fn next_event_s(&self) -> f64 {
        self.finish_s
    }

    fn advance(&mut self, completed: &mut Vec<CompletedRequest>) {
        let now_s = self.finish_s;
        self.finish_s = f64::INFINITY;
        let Some(arrival_s) = self.queue.pop_front() else { return };
        completed.push(CompletedRequest { arrival_s, first_token_s: now_s, finish_s: now_s });
        if !self.queue.is_empty() {
            self.begin(now_s);
        }
    }
}

/// The request rate of the last seconds, with exponentially falling weights.
#[derive(Debug, Default)]
struct RecentRate {
    rate: f64,
    at_s: f64,
}

impl RecentRate {
    fn at(&self, now_s: f64, window_s: f64) -> f64 {
        self.rate * ((self.at_s - now_s) / window_s).exp()
    }

    fn count(&mut self, now_s: f64, window_s: f64) {
        self.rate = self.at(now_s, window_s) + 1.0 / window_s;
        self.at_s = now_s;
    }
}
