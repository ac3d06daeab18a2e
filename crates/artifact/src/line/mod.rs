//! One line of the records file.

mod compact;
mod cursor;

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use aiperf_metrics::Metric;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

pub(crate) use self::compact::LineReader;

/// How the words begin that a request gets which the end of the run cut off.
const CUT_OFF: &str = "still in flight when";

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct RecordLine {
    pub(crate) metadata: LineMetadata,
    #[serde(default)]
    pub(crate) metrics: LineMetrics,
    #[serde(default)]
    pub(crate) error: Option<RecordedError>,
    #[serde(default)]
    pub(crate) spec_decode_acceptance: Option<Acceptance>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct LineMetadata {
    pub(crate) x_request_id: Option<String>,
    #[serde(default)]
    pub(crate) conversation_id: Option<String>,
    #[serde(default)]
    pub(crate) credit_issued_ns: Option<u64>,
    pub(crate) request_start_ns: u64,
    #[serde(default)]
    pub(crate) request_ack_ns: Option<u64>,
    pub(crate) request_end_ns: u64,
    #[serde(default)]
    pub(crate) benchmark_phase: Option<String>,
    #[serde(default)]
    pub(crate) phase_name: Option<String>,
    #[serde(default)]
    pub(crate) phase_kind: Option<String>,
    #[serde(default)]
    pub(crate) phase_index: u32,
    #[serde(default)]
    pub(crate) profiling_index: Option<u32>,
    #[serde(default)]
    pub(crate) was_cancelled: bool,
    #[serde(default)]
    pub(crate) resent: u32,
    /// The node that it was recorded on, if it was merged before.
    #[serde(default)]
    pub(crate) node: Option<IgnoredAny>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct RecordedError {
    #[serde(default)]
    pub(crate) code: Option<u16>,
    #[serde(default, rename = "type")]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) cause: Option<String>,
    #[serde(default)]
    pub(crate) cause_chain: Option<Vec<String>>,
}

impl RecordedError {
    /// Whether the end of the run cut the request off, which says nothing about the server.
    pub(crate) fn is_cut_off(&self, was_cancelled: bool) -> bool {
        was_cancelled && self.message.starts_with(CUT_OFF)
    }
}

/// What a server said of its speculative decoding.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Acceptance {
    pub(crate) mean_acceptance_length: f64,
    pub(crate) draft_acceptance_rate: f64,
    #[serde(default, rename = "acceptance_histogram")]
    pub(crate) histogram: HashMap<String, u64>,
    pub(crate) num_accepted_draft_tokens: u64,
    pub(crate) num_draft_tokens: u64,
    pub(crate) num_spec_steps: u64,
    #[serde(default)]
    pub(crate) num_spec_tokens: Option<u64>,
}

/// The metrics of a record, in the units that are shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineMetrics {
    known: Vec<(Metric, RecordedValue)>,
    /// For each metric its place among those, plus one; zero if the record does not have it.
    places: [u8; Metric::ALL.len()],
    /// Tags that are not in the catalogue.
    pub(crate) unknown: Vec<String>,
}

impl Default for LineMetrics {
    fn default() -> Self {
        Self::with_room(0)
    }
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum RecordedValue {
    One(f64),
    Many(Vec<f64>),
}

#[derive(Deserialize)]
struct MetricEntry {
    value: RecordedValue,
}

impl LineMetrics {
    fn with_room(metrics: usize) -> Self {
        Self { known: Vec::with_capacity(metrics), places: [0; Metric::ALL.len()], unknown: Vec::new() }
    }

    /// Of two values of a metric the first one counts.
    fn put(&mut self, metric: Metric, value: RecordedValue) {
        let place = &mut self.places[metric as usize];
        if *place == 0 {
            self.known.push((metric, value));
            // There are fewer metrics than a byte has values, and each is put once.
            *place = self.known.len() as u8;
        }
    }

    pub(crate) fn known(&self) -> &[(Metric, RecordedValue)] {
        &self.known
    }

    pub(crate) fn into_known(self) -> Vec<(Metric, RecordedValue)> {
        self.known
    }

    fn get(&self, metric: Metric) -> Option<&RecordedValue> {
        let place = usize::from(self.places[metric as usize]);
        place.checked_sub(1).map(|place| &self.known[place].1)
    }

    pub(crate) fn number(&self, metric: Metric) -> Option<f64> {
        match self.get(metric)? {
            RecordedValue::One(value) => Some(*value),
            RecordedValue::Many(_) => None,
        }
    }

    pub(crate) fn list(&self, metric: Metric) -> &[f64] {
        match self.get(metric) {
            Some(RecordedValue::Many(values)) => values,
            _ => &[],
        }
    }

    pub(crate) fn whole(&self, metric: Metric) -> Option<u64> {
        self.number(metric).map(|value| value.round() as u64)
    }

    /// A metric in the unit that it is computed in, as a whole number: nanoseconds or bytes.
    pub(crate) fn base(&self, metric: Metric) -> Option<u64> {
        self.number(metric).map(|value| metric.definition().unshow(value).round() as u64)
    }
}

impl<'de> Deserialize<'de> for LineMetrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetricsVisitor)
    }
}

struct MetricsVisitor;

impl<'de> Visitor<'de> for MetricsVisitor {
    type Value = LineMetrics;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of metrics")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LineMetrics, A::Error> {
        let mut metrics = LineMetrics::default();
        while let Some(tag) = map.next_key::<String>()? {
            let MetricEntry { value } = map.next_value()?;
            match by_tag().get(tag.as_str()) {
                Some(metric) => metrics.put(*metric, value),
                None => metrics.unknown.push(tag),
            }
        }
        Ok(metrics)
    }
}

fn by_tag() -> &'static HashMap<&'static str, Metric> {
    static TAGS: OnceLock<HashMap<&'static str, Metric>> = OnceLock::new();
    TAGS.get_or_init(|| Metric::ALL.iter().map(|metric| (metric.tag(), *metric)).collect())
}
