//! Families of metrics: a name with its type, help text and unit.

/// The type that a page declares for a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MetricType {
    Counter,
    Gauge,
    Histogram,
    /// A histogram whose buckets can shrink (OpenMetrics).
    GaugeHistogram,
    Summary,
    /// Constant facts, written as labels.
    Info,
    /// One of several states (OpenMetrics).
    StateSet,
    /// Untyped, or of a type that the format does not know.
    Unknown,
}

impl MetricType {
    /// The type of a `# TYPE` line. Types of other formats are unknown.
    pub fn of_name(name: &str) -> Self {
        match name {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" => Self::Histogram,
            "gaugehistogram" => Self::GaugeHistogram,
            "summary" => Self::Summary,
            "info" => Self::Info,
            "stateset" => Self::StateSet,
            _ => Self::Unknown,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::GaugeHistogram => "gaugehistogram",
            Self::Summary => "summary",
            Self::Info => "info",
            Self::StateSet => "stateset",
            Self::Unknown => "unknown",
        }
    }
}

/// What a page says about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricFamily {
    pub name: String,
    pub kind: MetricType,
    /// Empty if the page has no help text.
    pub help: String,
    /// As OpenMetrics declares it.
    pub unit: Option<String>,
}
