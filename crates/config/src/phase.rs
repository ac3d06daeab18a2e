//! One stretch of load: how requests are paced and when sending stops.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseKind {
    Warmup,
    Profiling,
}

impl PhaseKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warmup => "warmup",
            Self::Profiling => "profiling",
        }
    }
}

#[derive(Debug, Clone)]
pub struct PhaseConfig {
    pub kind: PhaseKind,
    pub pace: Pace,
    pub stop: StopConditions,
    /// How long responses may still come in after the duration; only with a duration.
    pub grace: GracePeriod,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// Closed loop: this many sessions in flight, a new one as soon as one ends.
    Concurrency(usize),
    /// Open loop: requests at this rate, whatever the server does, up to the ceiling.
    Rate { per_second: f64, arrival: Arrival, ceiling: Option<usize> },
}

/// How the time between two requests is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arrival {
    Constant,
    Poisson,
    /// Below one: bursts; one: Poisson; above: even.
    Gamma {
        smoothness: f64,
    },
}

/// At least one is set; the first that is reached ends sending.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StopConditions {
    pub requests: Option<u64>,
    pub sessions: Option<u64>,
    pub duration: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GracePeriod {
    Limited(Duration),
    Unlimited,
}
