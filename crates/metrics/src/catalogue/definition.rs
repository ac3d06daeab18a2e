//! What a row of the catalogue says about its metric.

use crate::Unit;

/// How a metric comes about, and which statistics it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
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
    /// The round trip of the network, and record metrics less its usual length.
    Network,
}

impl MetricKind {
    /// As documents spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::RecordList => "record, list",
            Self::Aggregate => "aggregate",
            Self::Derived => "derived",
            Self::ErrorAdjusted => "derived, error-adjusted",
            Self::TimeWeighted => "derived, time-weighted",
            Self::Network => "derived, from all requests",
        }
    }
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
    SpecDecode,
    /// Where the time of a request went, by the server's own clock.
    ServerTimes,
    /// What NVIDIA's GPUs made of their power.
    NvidiaPower,
    /// What AMD's GPUs made of their power.
    AmdPower,
    FilesOnly,
}

impl ConsoleGroup {
    /// What stands after the program's name, or after `title`, over the table; `None` for files only.
    pub fn title(self, title: &str) -> Option<String> {
        Some(match self {
            Self::Main => title.to_owned(),
            Self::Usage => format!("{title}: Usage"),
            Self::HttpTrace => "HTTP Trace Timing".to_owned(),
            Self::Effective => format!("{title}: Effective"),
            Self::Active => format!("{title}: Active"),
            Self::Schedule => format!("{title}: From Schedule"),
            Self::SpecDecode => format!("{title}: Spec Decode"),
            Self::ServerTimes => format!("{title}: Times of the Server"),
            Self::NvidiaPower => "GPU Power Efficiency (NVIDIA)".to_owned(),
            Self::AmdPower => "GPU Power Efficiency (AMD)".to_owned(),
            Self::FilesOnly => return None,
        })
    }
}

/// Conditions and properties of a metric, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub(crate) u32);

impl Flags {
    /// Only with `--streaming`.
    pub const STREAM: Self = Self(1);
    /// Only if the endpoint produces tokens.
    pub const TOKENS_OUT: Self = Self(1 << 1);
    /// Only if the endpoint tokenizes its input.
    pub const TOKENS_IN: Self = Self(1 << 2);
    /// Only if the endpoint takes audio.
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
    /// Only if a schedule, not the server, says when to send.
    pub const OPEN_LOOP: Self = Self(1 << 14);
    /// Only if the data says when to send.
    pub const FIXED_SCHEDULE: Self = Self(1 << 15);

    /// Only if the endpoint takes images.
    pub const IMAGE: Self = Self(1 << 16);
    /// Only if the endpoint produces video.
    pub const VIDEO_OUT: Self = Self(1 << 17);
    /// From the server's own `usage`.
    pub const USAGE: Self = Self(1 << 18);
    /// From the stages of the HTTP exchange.
    pub const TRACE: Self = Self(1 << 19);
    /// Only of replies that reason.
    pub const REASONING: Self = Self(1 << 20);
    /// Only if the server reports speculative decoding.
    pub const SPEC_DECODE: Self = Self(1 << 21);
    /// Only if the network's round trip is given or measured.
    pub const NETWORK: Self = Self(1 << 22);
    /// Only if telemetry of GPUs came in.
    pub const GPU: Self = Self(1 << 23);
    /// Only if the server reports the times of each request.
    pub const SERVER_TIMES: Self = Self(1 << 25);
    /// Only if the price and the number of GPUs are known.
    pub const COST: Self = Self(1 << 24);

    /// What a metric may need, in words.
    const NEEDS: [(Self, &'static str); 19] = [
        (Self::STREAM, "streaming"),
        (Self::TOKENS_OUT, "output tokens"),
        (Self::TOKENS_IN, "input tokens"),
        (Self::REASONING, "reasoning"),
        (Self::USAGE, "usage"),
        (Self::CLIENT_COUNT, "client's token count"),
        (Self::TRACE, "HTTP trace"),
        (Self::IMAGE, "images in"),
        (Self::AUDIO, "audio in"),
        (Self::VIDEO_OUT, "video out"),
        (Self::SPEC_DECODE, "speculative decoding"),
        (Self::GOODPUT, "`--goodput`"),
        (Self::OPEN_LOOP, "schedule"),
        (Self::FIXED_SCHEDULE, "fixed schedule"),
        (Self::NETWORK, "`--network-latency-*`"),
        (Self::GPU, "GPU telemetry"),
        (Self::SERVER_TIMES, "times of the server"),
        (Self::COST, "`--cost-per-gpu-hour`"),
        (Self::ERRORS, "failed requests"),
    ];

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
    pub kind: MetricKind,
    pub group: ConsoleGroup,
    /// Row order on the console, ascending; rows without one come last.
    pub order: Option<u16>,
    pub flags: Flags,
    pub formula: &'static str,
}

impl Definition {
    /// What a run, a server or a request must have for the metric to be there.
    pub fn needs(&self) -> impl Iterator<Item = &'static str> {
        let flags = self.flags;
        Flags::NEEDS.iter().filter(move |(flag, _)| flags.has(*flag)).map(|(_, words)| *words)
    }

    /// A value in the unit that people and files see.
    pub fn show(&self, base: f64) -> f64 {
        self.unit.convert(base, self.shown)
    }

    /// A value as people write it, in the unit that it is computed in.
    pub fn unshow(&self, shown: f64) -> f64 {
        self.unit.convert_back(shown, self.shown)
    }
}
