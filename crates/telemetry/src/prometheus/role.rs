//! The part that a sample plays in its family: `x_bucket` is a bucket of the histogram `x`.

use super::{Labels, MetricType};

/// What a sample is in its family.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SampleRole {
    /// The value of a counter, gauge, info or unknown metric.
    Value,
    /// A cumulative bucket, with its upper bound as the page writes it.
    Bucket(String),
    /// A quantile of a summary, as the page writes it.
    Quantile(String),
    Sum,
    Count,
    /// When the series was created.
    Created,
}

/// Suffix of a sample, the types it belongs to, and its role in them.
const SUFFIXES: [(&str, &[MetricType], SampleRole); 9] = {
    use MetricType as T;
    [
        ("_bucket", &[T::Histogram, T::GaugeHistogram], SampleRole::Bucket(String::new())),
        ("_sum", &[T::Histogram, T::Summary], SampleRole::Sum),
        ("_count", &[T::Histogram, T::Summary], SampleRole::Count),
        ("_gsum", &[T::GaugeHistogram], SampleRole::Sum),
        ("_gcount", &[T::GaugeHistogram], SampleRole::Count),
        ("_total", &[T::Counter], SampleRole::Value),
        ("_created", &[T::Counter, T::Histogram, T::Summary], SampleRole::Created),
        ("_info", &[T::Info], SampleRole::Value),
        ("_state", &[T::StateSet], SampleRole::Value),
    ]
};

impl SampleRole {
    /// The family that a sample belongs to, its role there and its labels without the one that is part of the role. `declared` says
    /// which type a name was declared with. A sample that no declaration covers is a family of its own.
    pub(crate) fn of(
        name: &str,
        labels: Labels,
        declared: impl Fn(&str) -> Option<MetricType>,
    ) -> (&str, Self, Labels) {
        if declared(name) == Some(MetricType::Summary) {
            return match labels.split_off("quantile") {
                (labels, Some(quantile)) => (name, Self::Quantile(quantile), labels),
                (labels, None) => (name, Self::Value, labels),
            };
        }
        if declared(name).is_some() {
            return (name, Self::Value, labels);
        }
        for (suffix, types, role) in SUFFIXES {
            let Some(family) = name.strip_suffix(suffix) else { continue };
            if !declared(family).is_some_and(|kind| types.contains(&kind)) {
                continue;
            }
            return match role {
                Self::Bucket(_) => match labels.split_off("le") {
                    (labels, Some(bound)) => (family, Self::Bucket(bound), labels),
                    // A bucket without a bound cannot be placed.
                    (labels, None) => (name, Self::Value, labels),
                },
                role => (family, role, labels),
            };
        }
        (name, Self::Value, labels)
    }
}
