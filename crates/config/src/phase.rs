//! One stretch of load: how requests are paced and when sending stops.

mod adaptive_scale;
pub(crate) mod export;
mod load_level;

use std::sync::Arc;
use std::time::Duration;

pub use aiperf_protocol::PhaseKind;

pub use self::adaptive_scale::{AdaptiveScale, ControlVariable, StepPolicy};
pub use self::load_level::LoadLevel;
use crate::PhaseSplit;

#[derive(Debug, Clone)]
pub struct PhaseConfig {
    /// Unique in its run; logs, records and files know the phase by it.
    pub name: Arc<str>,
    pub kind: PhaseKind,
    /// Its requests count in the results of the run. Those of a warmup never do.
    pub in_results: bool,
    /// Begins when the phase before it has sent its last request, while responses of that phase are still to come.
    pub seamless: bool,
    pub pace: Pace,
    pub stop: StopConditions,
    /// How long responses may still come in after the duration; only with a duration.
    pub grace: GracePeriod,
    /// Grows the concurrency limit from one to its target.
    pub concurrency_ramp: Option<Ramp>,
    /// Most requests that may wait for their first token.
    pub prefill_limit: Option<usize>,
    pub prefill_ramp: Option<Ramp>,
    /// Requests that the client gives up on purpose; a warmup has them only if a file says so.
    pub cancellation: Option<Cancellation>,
    /// Share of failed requests above which the run is stopped; only profiling phases are watched.
    pub failed_request_threshold: Option<f64>,
    /// Raises the load while the phase runs; `pace` is then the load as it was asked for, which says how it is raised.
    pub adaptive_scale: Option<Box<AdaptiveScale>>,
    /// Which part of the phase this node sends.
    pub split: PhaseSplit,
}

impl PhaseConfig {
    /// A phase with the name of its kind that waits for everything before it, and counts unless it is a warmup.
    pub fn new(kind: PhaseKind, pace: Pace, stop: StopConditions) -> Self {
        let name = match (kind, &pace) {
            (PhaseKind::Warmup, Pace::AgenticReplay(_)) => "agentic.warmup",
            (kind, _) => kind.name(),
        };
        Self {
            name: Arc::from(name),
            kind,
            in_results: kind == PhaseKind::Profiling,
            seamless: false,
            pace,
            stop,
            grace: GracePeriod::Unlimited,
            concurrency_ramp: None,
            prefill_limit: None,
            prefill_ramp: None,
            cancellation: None,
            failed_request_threshold: None,
            adaptive_scale: None,
            split: PhaseSplit::default(),
        }
    }

    /// Whether the results of the run are about it.
    pub fn is_measured(&self) -> bool {
        self.kind == PhaseKind::Profiling && self.in_results
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Pace {
    /// Closed loop: this many sessions in flight, a new one as soon as one ends.
    Concurrency(usize),
    /// Open loop: requests at this rate, whatever the server does, up to the ceiling.
    Rate { rate: RateCurve, arrival: Arrival, ceiling: Option<usize> },
    /// Every conversation once, at the time its data says, up to the ceiling.
    FixedSchedule { zero: ScheduleZero, ceiling: Option<usize> },
    /// A fixed number of users, each of whom pauses between turns so that all together keep the rate.
    UserCentric { per_second: f64, users: usize, ceiling: Option<usize> },
    /// Recorded sessions of agents, entered in the middle and gone on with as they were recorded.
    AgenticReplay(AgenticReplay),
    /// Begins with this load, which a controller may change while the phase runs, also from closed to open loop.
    Controlled(LoadLevel),
}

/// How recorded sessions of agents are replayed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgenticReplay {
    /// Sessions under way at any time, each with all of its agents.
    pub lanes: usize,
    /// Where the first session of each lane is entered: between these shares of its recorded time.
    pub start_min: f64,
    pub start_max: f64,
    /// The first requests of a phase leave together instead of as they were recorded.
    pub burst: bool,
    /// Longest time for which nothing at all is under way.
    pub idle_cap: Option<Duration>,
    /// How long the warmup goes on without pauses, to fill the server's cache.
    pub cache_warmup: Option<Duration>,
}

impl Pace {
    /// Most sessions in flight, where there is a limit.
    pub const fn session_limit(&self) -> Option<usize> {
        match self {
            Self::Concurrency(limit) => Some(*limit),
            Self::AgenticReplay(replay) => Some(replay.lanes),
            // The limit of the moment is no limit of the phase.
            Self::Controlled(_) => None,
            Self::Rate { ceiling, .. } | Self::FixedSchedule { ceiling, .. } | Self::UserCentric { ceiling, .. } => {
                *ceiling
            }
        }
    }
}

impl Pace {
    /// Sessions that can be under way at the same time, if the load says so: how many connections it needs.
    pub const fn sessions_at_once(&self) -> Option<usize> {
        match (self, self.session_limit()) {
            (Self::UserCentric { users, .. }, Some(ceiling)) if *users > ceiling => Some(ceiling),
            (Self::UserCentric { users, .. }, _) => Some(*users),
            (_, limit) => limit,
        }
    }

    pub const fn is_agentic(&self) -> bool {
        matches!(self, Self::AgenticReplay(_))
    }

    /// What came back, not a schedule, says when the next request is due. A load that is controlled may change that.
    pub const fn is_closed_loop(&self) -> bool {
        match self {
            Self::Concurrency(_) | Self::AgenticReplay(_) => true,
            Self::Controlled(first) => first.is_closed_loop(),
            Self::Rate { .. } | Self::FixedSchedule { .. } | Self::UserCentric { .. } => false,
        }
    }
}

/// Requests per second over the time since the phase began.
#[derive(Debug, Clone, PartialEq)]
pub struct RateCurve {
    /// At least one; the rate is linear in between, and constant before the first and after the last.
    pub points: Vec<RatePoint>,
    /// Comes before the points: grows the rate to the first of them, and moves their time zero to its own end.
    pub ramp: Option<Ramp>,
}

impl RateCurve {
    pub fn constant(per_second: f64) -> Self {
        Self { points: vec![RatePoint { at: Duration::ZERO, per_second }], ramp: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatePoint {
    pub at: Duration,
    pub per_second: f64,
}

/// A gradual rise to a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp {
    pub duration: Duration,
    pub shape: RampShape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RampShape {
    #[default]
    Linear,
    /// Slow at first: progress is the square of the time.
    Exponential,
    /// Steps at random times.
    Poisson,
}

/// Which time in the data is the start of the phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScheduleZero {
    /// The earliest timestamp.
    Earliest,
    /// This many milliseconds in the data's own time.
    At(f64),
}

/// Gives up a share of the requests a while after they were sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cancellation {
    /// Percent of requests, above 0 and at most 100.
    pub percent: f64,
    /// From the last byte of the request sent.
    pub delay: Duration,
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
    /// After one pass over the data: each conversation that can be drawn (of branching ones the roots) starts once.
    pub whole_dataset: bool,
    /// Sending ends earlier than after the duration when these agree.
    pub windows: Option<Windows>,
}

/// Windows of time that a run is measured in until the last few agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Windows {
    /// As it was asked for.
    pub interval: Duration,
    /// How far they may be apart, in percent.
    pub stability: f64,
    /// Maximum number of windows; after them the run has failed to become steady.
    pub most: u32,
}

impl Windows {
    /// How many in a row must agree.
    pub const AGREEING: usize = 3;
    /// From this percentage on any windows agree, empty ones too.
    const ANYTHING_GOES: f64 = 999.0;

    /// How long one lasts. `perf_analyzer` measures for a fifth longer than it is asked to.
    pub fn length(&self) -> Duration {
        self.interval * 6 / 5
    }

    /// How long all of them last.
    pub fn longest(&self) -> Duration {
        self.length() * self.most
    }

    /// Whether the largest and the smallest of some values are near enough to each other.
    pub fn allow(&self, smallest: f64, largest: f64) -> bool {
        self.stability >= Self::ANYTHING_GOES || (smallest > 0.0 && largest / smallest <= 1.0 + self.stability / 100.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GracePeriod {
    Limited(Duration),
    Unlimited,
}
