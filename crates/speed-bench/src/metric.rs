//! What a report shows.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeedBenchMetric {
    AcceptLength,
    AcceptRate,
    Throughput,
}

impl SpeedBenchMetric {
    pub const ALL: [Self; 3] = [Self::AcceptLength, Self::AcceptRate, Self::Throughput];

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcceptLength => "accept_length",
            Self::AcceptRate => "accept_rate",
            Self::Throughput => "throughput",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name.replace('-', "_"))
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::AcceptLength => "Acceptance Length Report",
            Self::AcceptRate => "Acceptance Rate Report",
            Self::Throughput => "Throughput Report (tokens/sec)",
        }
    }
}
