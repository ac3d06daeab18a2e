//! What a row of the catalogue says about its metric.

use crate::Unit;

/// How a metric comes about, and which statistics it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One value a request; the summary has all statistics over requests.
    Record,
    /// A list of values a request; the summary pools them.
    RecordList,
    /// One number folded over requests.
    Aggregate,
    /// One number from other run-level numbers.
    Derived,
    /// The values of a record metric with one infinite value for each failed request.
    ErrorAdjusted,
    /// A step function of time: statistics weighted by how long each value held.
    TimeWeighted,
}

/// The console table a metric is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleGroup {
    Main,
    Usage,
    HttpTrace,
    Effective,
    Active,
    /// Counted from when the schedule wanted a request sent.
    Schedule,
    FilesOnly,
}

/// Conditions and properties of a metric, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub(crate) u32);

impl Flags {
    /// Only with `--streaming`.
    pub const STREAM: Self = Self(1);
    /// Only where the endpoint produces tokens.
    pub const TOKENS_OUT: Self = Self(1 << 1);
    /// Only where the endpoint tokenizes its input.
    pub const TOKENS_IN: Self = Self(1 << 2);
    /// Only where the endpoint takes audio.
    pub const AUDIO: Self = Self(1 << 3);
    /// Of failed requests; all others are of successful ones.
    pub const ERRORS: Self = Self(1 << 4);
    /// Of all requests, however they ended.
    pub const ANY_OUTCOME: Self = Self(1 << 5);
    /// Only with `--goodput`.
    pub const GOODPUT: Self = Self(1 << 6);
    /// Meaningless when the counts are the server's own.
    pub const CLIENT_COUNT: Self = Self(1 << 7);
    /// Not in the per-request file.
    pub const NO_RECORD: Self = Self(1 << 8);
    /// Hidden unless the developer asks.
    pub const INTERNAL: Self = Self(1 << 9);
    /// Hidden unless the developer asks.
    pub const EXPERIMENTAL: Self = Self(1 << 10);
    /// Larger is better: an SLO on it is a lower bound.
    pub const LARGER: Self = Self(1 << 11);
    /// Whole numbers, written without a fraction in the per-request file.
    pub const WHOLE: Self = Self(1 << 12);
    /// Needs a time of first content, which only streaming gives.
    pub const PHASES: Self = Self(1 << 13);
    /// Only where a schedule, not the server, says when to send.
    pub const OPEN_LOOP: Self = Self(1 << 14);
    /// Only where the data says when to send.
    pub const FIXED_SCHEDULE: Self = Self(1 << 15);

    /// Only where the endpoint takes images.
    pub const IMAGE: Self = Self(1 << 16);
    /// Only where the endpoint produces video.
    pub const VIDEO_OUT: Self = Self(1 << 17);

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    pub tag: &'static str,
    pub header: &'static str,
    pub unit: Unit,
    pub shown: Unit,
    pub kind: Kind,
    pub group: ConsoleGroup,
    /// Row order on the console, ascending; rows without one come last.
    pub order: Option<u16>,
    pub flags: Flags,
    pub formula: &'static str,
}

impl Definition {
    /// A value in the unit that people and files see.
    pub fn show(&self, base: f64) -> f64 {
        self.unit.convert(base, self.shown)
    }

    /// A value as people write it, in the unit that it is computed in.
    pub fn unshow(&self, shown: f64) -> f64 {
        self.unit.convert_back(shown, self.shown)
    }
}
