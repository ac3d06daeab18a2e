//! What keeps a self-test from passing.

use aiperf_metrics::{ClientLimit, ValidityNote};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{Grade, TimedError};
use crate::validity::Wording;
use aiperf_table::{grouped, whole};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorStatistic {
    P50,
    P99,
}

impl ErrorStatistic {
    const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P99 => "p99",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SelfTestProblem {
    /// Nothing could be compared.
    NothingCompared,
    /// Milliseconds. Above the limit, or above half of it.
    ErrorLarge {
        error: TimedError,
        statistic: ErrorStatistic,
        value: f64,
        limit: f64,
    },
    Lost(u64),
    Extra(u64),
    ChunksMissing(u64),
    Failed(u64),
    /// Fewer streams were in flight at once than asked for.
    StreamsShort {
        reached: u64,
        asked: u64,
    },
    /// Requests per second.
    RateShort {
        reached: f64,
        asked: f64,
    },
    /// The simulator was late itself, in milliseconds.
    SimulatorLate {
        p50: f64,
        p99: f64,
    },
    /// The client's own watch saw it at a limit.
    ClientLimit(ClientLimit),
}

impl SelfTestProblem {
    pub fn grade(&self) -> Grade {
        match self {
            Self::ErrorLarge { value, limit, .. } if value <= limit => Grade::Warn,
            Self::SimulatorLate { .. } | Self::ClientLimit(_) => Grade::Warn,
            _ => Grade::Fail,
        }
    }

    pub(super) fn is_about(&self, wanted: TimedError) -> bool {
        matches!(self, Self::ErrorLarge { error, .. } if *error == wanted)
    }

    pub fn sentence(&self) -> String {
        match *self {
            Self::NothingCompared => "No request succeeded: there is nothing to compare.".to_owned(),
            Self::ErrorLarge { error, statistic, value, limit } => {
                let how = if value > limit { "is above its limit of" } else { "is above half its limit of" };
                format!("{}: error {} of {value:.3} ms {how} {limit} ms.", error.header(), statistic.name())
            }
            Self::Lost(count) => format!("{} requests were answered but have no record.", whole(count)),
            Self::Extra(count) => format!("{} records belong to no request that the server saw.", whole(count)),
            Self::ChunksMissing(count) => format!("{} chunks were seen by only one side.", whole(count)),
            Self::Failed(count) => format!("{} requests failed.", whole(count)),
            Self::StreamsShort { reached, asked } => {
                format!("Only {} of {} streams were in flight at once.", whole(reached), whole(asked))
            }
            Self::RateShort { reached, asked } => {
                format!("Only {} of {} requests/s were sent.", grouped(reached), grouped(asked))
            }
            Self::SimulatorLate { p50, p99 } => format!(
                "The simulator itself was late (p50 {p50:.3} ms, p99 {p99:.3} ms), and the errors include its delay: this machine \
                 cannot run both at this load. Lower the load, or use a machine with more processors."
            ),
            Self::ClientLimit(limit) => Wording::of(&ValidityNote::ClientSaturated(limit)).statement,
        }
    }
}

impl Serialize for SelfTestProblem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("SelfTestProblem", 2)?;
        object.serialize_field("grade", &self.grade())?;
        object.serialize_field("message", &self.sentence())?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_the_upper_half_of_its_limit_warns_and_beyond_it_fails() {
        let large = |value| SelfTestProblem::ErrorLarge {
            error: TimedError::TimeToFirstToken,
            statistic: ErrorStatistic::P99,
            value,
            limit: 5.0,
        };
        assert_eq!((large(3.0).grade(), large(5.1).grade()), (Grade::Warn, Grade::Fail));
        assert_eq!(large(7.25).sentence(), "Time to First Token: error p99 of 7.250 ms is above its limit of 5 ms.");
        assert!(large(3.0).sentence().contains("above half its limit of 5 ms"));
    }
}
