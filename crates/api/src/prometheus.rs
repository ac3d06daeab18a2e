//! `GET /metrics`: the metrics of the run as Prometheus text, with the names and labels of the reference, and counters of the run
//! and of this program.

use std::fmt::Write;

use aiperf_live::Snapshot;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::answer::metrics::{self, LiveMetric, RunLabels};
use crate::answer::{Shared, phase};

const QUANTILES: [(&str, &str); 9] = [
    ("p1", "0.01"),
    ("p5", "0.05"),
    ("p10", "0.1"),
    ("p25", "0.25"),
    ("p50", "0.5"),
    ("p75", "0.75"),
    ("p90", "0.9"),
    ("p95", "0.95"),
    ("p99", "0.99"),
];

pub(crate) async fn answer(State(state): Shared) -> Response {
    let snapshot = state.live.snapshot();
    let text = page(&RunLabels::of(&state.live, &snapshot), &snapshot);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

pub(crate) fn page(run: &RunLabels, snapshot: &Snapshot) -> String {
    let mut page = ExpositionText { text: String::new(), labels: labels(run) };
    let info = format!("{},version=\"{}\"", page.labels, escaped(&run.version));
    page.head("aiperf_info", "gauge", "Benchmark information");
    let _ = writeln!(page.text, "aiperf_info{{{info}}} 1");
    for metric in metrics::all(snapshot) {
        page.metric(&metric);
    }
    page.counters(snapshot);
    page.text
}

fn labels(run: &RunLabels) -> String {
    let shown = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        other => escaped(&other.to_string()),
    };
    format!(
        "benchmark_id=\"{}\",model=\"{}\",endpoint_type=\"{}\",streaming=\"{}\",concurrency=\"{}\"",
        escaped(&run.benchmark_id),
        escaped(&run.model),
        escaped(&run.endpoint_type),
        run.streaming,
        shown(&run.concurrency),
    )
}

struct ExpositionText {
    text: String,
    labels: String,
}

impl ExpositionText {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, more: &str, value: f64) {
        let _ = writeln!(self.text, "{name}{{{}{more}}} {}", self.labels, number(value));
    }

    fn metric(&mut self, metric: &LiveMetric) {
        let LiveMetric { tag, header, unit, .. } = metric;
        let (tag, suffix) = (in_name(tag), suffix(unit));
        let has_quantiles = metric.statistic("p50").is_some();
        if has_quantiles {
            let name = format!("aiperf_{tag}_{suffix}");
            self.head(&name, "summary", &format!("{header} (in {unit})"));
            for (statistic, quantile) in QUANTILES {
                if let Some(value) = metric.statistic(statistic) {
                    self.sample(&name, &format!(",quantile=\"{quantile}\""), value);
                }
            }
            if let Some(sum) = metric.statistic("sum") {
                self.sample(&format!("{name}_sum"), "", sum);
            }
            self.sample(&format!("{name}_count"), "", metric.count as f64);
        }
        for (statistic, word) in
            [("avg", "average"), ("min", "minimum"), ("max", "maximum"), ("std", "standard deviation")]
        {
            if let Some(value) = metric.statistic(statistic) {
                let name = format!("aiperf_{tag}_{statistic}_{suffix}");
                self.head(&name, "gauge", &format!("{header} {word} (in {unit})"));
                self.sample(&name, "", value);
            }
        }
        if !has_quantiles {
            let name = format!("aiperf_{tag}_count_{suffix}");
            self.head(&name, "gauge", &format!("{header} observation count (in {unit})"));
            self.sample(&name, "", metric.count as f64);
        }
    }

    /// Additions to the reference: what happens now.
    fn counters(&mut self, snapshot: &Snapshot) {
        self.head("aiperf_requests_total", "counter", "Requests that ended, by phase and outcome");
        for phase in &snapshot.phases {
            let name = escaped(&phase.name);
            let kind = phase::kind_name(phase.kind);
            for (outcome, count) in
                [("success", phase.completed), ("error", phase.failed), ("cancelled", phase.cancelled)]
            {
                let more = format!(",phase=\"{name}\",phase_kind=\"{kind}\",outcome=\"{outcome}\"");
                self.sample("aiperf_requests_total", &more, count as f64);
            }
        }
        let client = &snapshot.client;
        for (name, help, value) in [
            ("aiperf_requests_in_flight", "Requests in flight now", snapshot.headline.in_flight as f64),
            ("aiperf_client_cpu_ratio", "CPU time of aiperf per second and processor", client.cpu_share),
            ("aiperf_client_schedule_lag_ms", "Most that a request was late in the last 10 s", client.schedule_lag_ms),
            ("aiperf_live_dropped_samples", "Requests missing in live metrics", snapshot.dropped_samples as f64),
        ] {
            self.head(name, "gauge", help);
            self.sample(name, "", value);
        }
    }
}

/// The end of a metric's name that says its unit, as the reference spells it.
fn suffix(unit: &str) -> String {
    match unit {
        "tokens/sec" => "tps".to_owned(),
        "tokens/sec/user" => "tps_per_user".to_owned(),
        "%" => "percent".to_owned(),
        "" => "value".to_owned(),
        other => in_name(&other.replace('/', "_per_")),
    }
}

fn in_name(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }).collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() }
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_spelled_as_the_reference_does() {
        let spelled = ["ms", "tokens/sec/user", "requests/sec", "%", "KB"].map(suffix);
        assert_eq!(spelled, ["ms", "tps_per_user", "requests_per_sec", "percent", "kb"]);
    }

    #[test]
    fn labels_cannot_break_out_of_their_quotes() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
