//! What went wrong with an endpoint. None of it fails a run.

use std::fmt;

use aiperf_clock::Nanos;

use crate::prometheus::MetricType;

/// A condition that a reader of the values should know.
#[derive(Debug, Clone, PartialEq)]
pub enum EndpointProblem {
    /// No page was ever read; why not.
    NoPages { reason: String },
    /// Some pages could not be fetched or read; why the last of them could not.
    PagesMissed { missed: u64, reason: String },
    /// A counter was lower than before: the server started again, or dropped the series.
    CounterReset { metric: String, times: usize },
    /// A page declared another type than the first one, whose type is kept.
    TypeChanged { metric: String, first: MetricType, later: MetricType },
    /// The endpoint has too many series.
    SeriesLeftOut { samples: u64 },
    /// Values were thinned out to limit memory.
    ThinnedOut { times: u32 },
    /// The first page came after the phase began: what was counted before it is missing.
    LateStart { late: Nanos },
    /// The last page came before the phase ended: what was counted after it is missing.
    EarlyEnd { early: Nanos },
}

impl fmt::Display for EndpointProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPages { reason } => write!(f, "no metrics were read: {reason}"),
            Self::PagesMissed { missed, reason } => write!(f, "{missed} pages could not be read; the last: {reason}"),
            Self::CounterReset { metric, times } => write!(
                f,
                "{metric} was reset {times} times during the run (did the server restart?); \
                 what was counted between the last page and a reset is missing"
            ),
            Self::TypeChanged { metric, first, later } => {
                write!(
                    f,
                    "{metric} changed its type from {} to {}; it is reported as {}",
                    first.name(),
                    later.name(),
                    first.name()
                )
            }
            Self::SeriesLeftOut { samples } => {
                write!(f, "{samples} samples were left out because the endpoint has too many different series")
            }
            Self::ThinnedOut { times } => {
                write!(f, "values were thinned out {times} times to limit memory; averages over time are less exact")
            }
            Self::LateStart { late } => write!(
                f,
                "the first page came {:.3} s after the phase began; totals lack what happened before",
                late.as_secs_f64()
            ),
            Self::EarlyEnd { early } => write!(
                f,
                "the last page came {:.3} s before the phase ended; totals lack what happened after",
                early.as_secs_f64()
            ),
        }
    }
}
