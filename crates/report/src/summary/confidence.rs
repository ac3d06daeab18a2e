//! How sure the statistics of a metric are, as JSON.

use aiperf_metrics::{Confidence, Interval, Percentile};
use serde_json::{Map, Value, json};

/// The `ci` object: the level, both ends for each statistic, and the statistics that too few samples support.
pub(crate) fn json(confidence: &Confidence) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("level", confidence.level.get().into());
    // It is an estimate: more digits would only be noise.
    put("effective_samples", ((confidence.effective_samples * 10.0).round() / 10.0).into());
    let percentiles = Percentile::ALL.map(|percentile| (percentile.name(), confidence.percentile(percentile)));
    for (name, surety) in std::iter::once(("avg", confidence.avg)).chain(percentiles) {
        if let Some(Interval { low, high }) = surety.interval() {
            put(name, json!([low, high]));
        }
    }
    let unsupported: Vec<&str> = confidence.unsupported().collect();
    if !unsupported.is_empty() {
        put("unsupported", unsupported.into());
    }
    Value::Object(object)
}
