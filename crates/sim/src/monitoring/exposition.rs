//! Prometheus text, as the Python client of vLLM writes it: labels in order of their names, numbers with a decimal point.

use std::fmt::{Display, Write as _};

use crate::monitoring::buckets::BucketCounts;

/// What the pages are, for a scraper.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Name and value of labels. Values are escaped as they are written.
pub(crate) type LabelPairs<'a> = [(&'a str, &'a str)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// A page in the making. Writing to a string cannot fail, so results are ignored.
#[derive(Debug, Default)]
pub(crate) struct ExpositionPage(String);

impl ExpositionPage {
    pub(crate) fn family(&mut self, name: &str, kind: MetricKind, help: &str) {
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub(crate) fn sample(&mut self, name: &str, labels: &LabelPairs<'_>, value: impl Display) {
        self.0.push_str(name);
        if !labels.is_empty() {
            self.0.push('{');
            for (number, (label, value)) in labels.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                let _ = write!(self.0, "{comma}{label}=\"{}\"", escaped(value));
            }
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A family with one sample.
    pub(crate) fn single(&mut self, name: &str, kind: MetricKind, help: &str, labels: &LabelPairs<'_>, value: f64) {
        self.family(name, kind, help);
        self.sample(name, labels, Decimal(value));
    }

    /// `labels` are those of every sample; the bound of a bucket goes where its name belongs.
    pub(crate) fn histogram(&mut self, name: &str, help: &str, labels: &LabelPairs<'_>, counts: &BucketCounts) {
        self.family(name, MetricKind::Histogram, help);
        let (bucket, count) = (format!("{name}_bucket"), Decimal(counts.count() as f64));
        let place = labels.iter().position(|(label, _)| *label > "le").unwrap_or(labels.len());
        let mut with_bound = labels.to_vec();
        with_bound.insert(place, ("le", "+Inf"));
        for (bound, below) in counts.cumulative() {
            let bound = Decimal(bound).to_string();
            let mut labels = with_bound.clone();
            labels[place] = ("le", &bound);
            self.sample(&bucket, &labels, Decimal(below as f64));
        }
        self.sample(&bucket, &with_bound, count);
        self.sample(&format!("{name}_sum"), labels, Decimal(counts.sum()));
        self.sample(&format!("{name}_count"), labels, count);
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// A number that has a decimal point even if it is whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal(pub(crate) f64);

impl Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.fract() == 0.0 { write!(f, "{:.1}", self.0) } else { write!(f, "{}", self.0) }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitoring::buckets::TOKENS;

    #[test]
    fn a_histogram_is_cumulative_and_ends_in_everything() {
        let mut counts = BucketCounts::new(&TOKENS);
        for value in [1, 30, 500_000] {
            counts.observe(value);
        }
        let mut page = ExpositionPage::default();
        page.histogram("h", "Help.", &[("engine", "0"), ("model_name", "a\"b")], &counts);
        let text = page.into_text();
        assert!(text.starts_with("# HELP h Help.\n# TYPE h histogram\n"));
        let sample = |line: &str| assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        sample(r#"h_bucket{engine="0",le="50.0",model_name="a\"b"} 2.0"#);
        sample(r#"h_bucket{engine="0",le="+Inf",model_name="a\"b"} 3.0"#);
        sample(r#"h_sum{engine="0",model_name="a\"b"} 500031.0"#);
        sample(r#"h_count{engine="0",model_name="a\"b"} 3.0"#);
    }
}
