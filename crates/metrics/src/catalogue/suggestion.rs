//! The metric that was perhaps meant by a name that no metric has: a usual short form, or a slip of the pen.

use aiperf_option_table::nearest;

use crate::Metric;

/// Short forms that people write, and GenAI-Perf's words.
const SHORT_FORMS: [(&str, Metric); 14] = [
    ("ttft", Metric::TimeToFirstToken),
    ("ttst", Metric::TimeToSecondToken),
    ("ttfo", Metric::TimeToFirstOutputToken),
    ("ttfot", Metric::TimeToFirstOutputToken),
    ("itl", Metric::InterTokenLatency),
    ("tpot", Metric::InterTokenLatency),
    ("e2e", Metric::RequestLatency),
    ("e2el", Metric::RequestLatency),
    ("latency", Metric::RequestLatency),
    ("isl", Metric::InputSequenceLength),
    ("osl", Metric::OutputSequenceLength),
    ("tps", Metric::OutputTokenThroughput),
    ("rps", Metric::RequestThroughput),
    ("qps", Metric::RequestThroughput),
];

impl Metric {
    /// The metric that `tag` perhaps means, of those that would be accepted.
    pub fn suggestion(tag: &str, accepts: impl Fn(Self) -> bool) -> Option<Self> {
        let plain = tag.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let short = SHORT_FORMS.iter().find(|(form, _)| *form == plain).map(|(_, metric)| *metric);
        if let Some(metric) = short.or_else(|| Self::from_tag(&plain)) {
            return Some(metric).filter(|metric| accepts(*metric));
        }
        let accepted = Self::ALL.iter().copied().filter(|metric| accepts(*metric));
        nearest(&plain, accepted.map(Metric::tag), plain.len()).and_then(Self::from_tag)
    }

    /// What to tell someone who gave a tag that no metric has: the one that was perhaps meant, or where to find them all.
    pub fn advice(tag: &str, accepts: impl Fn(Self) -> bool) -> String {
        match Self::suggestion(tag, accepts) {
            Some(metric) => format!("did you mean {}?", metric.tag()),
            None => "docs/metrics.md lists all metrics".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MetricKind;

    fn suggested(tag: &str) -> Option<&'static str> {
        Metric::suggestion(tag, |_| true).map(Metric::tag)
    }

    #[test]
    fn short_forms_stand_for_their_metric() {
        for (form, metric) in SHORT_FORMS {
            assert_eq!(suggested(form), Some(metric.tag()));
        }
        assert_eq!(suggested("TTFT"), Some("time_to_first_token"));
        assert_eq!(suggested("Time to first token"), Some("time_to_first_token"));
    }

    #[test]
    fn a_slip_of_the_pen_names_the_metric_and_another_word_none() {
        assert_eq!(suggested("time_to_first_tokn"), Some("time_to_first_token"));
        assert_eq!(suggested("inter_token_latncy"), Some("inter_token_latency"));
        assert_eq!(suggested("happiness"), None);
        assert_eq!(Metric::advice("happiness", |_| true), "docs/metrics.md lists all metrics");
    }

    #[test]
    fn only_what_would_be_accepted_is_suggested() {
        assert_eq!(Metric::suggestion("rps", |metric| metric.definition().kind == MetricKind::Record), None);
    }
}
