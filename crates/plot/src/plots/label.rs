//! Labels of axes: the name of a metric, its statistic and its unit.

use aiperf_metrics::{Flags, Metric};

use crate::run::{PER_GPU, statistic_text};

/// The tag of a metric that is named by its tag or by its title.
pub(super) fn tag_of(name: &str) -> &str {
    let same = |metric: &&Metric| metric.definition().header.eq_ignore_ascii_case(name);
    Metric::ALL.iter().find(same).map_or(name, |metric| metric.tag())
}

/// The metric that is named by its tag or by its title.
pub(super) fn metric_of(name: &str) -> Option<Metric> {
    Metric::from_tag(tag_of(name))
}

/// `Time to First Token` of `time_to_first_token`.
pub(crate) fn title_of(name: &str) -> String {
    if let Some(metric) = metric_of(name) {
        return metric.definition().header.to_owned();
    }
    match name {
        PER_GPU => "Output Token Throughput per GPU".to_owned(),
        "request_number" => "Request number, in the order of the records".to_owned(),
        "timestamp" | "timestamp_s" | "request_start_ns" => "Time since the first request was sent".to_owned(),
        "request_end_ns" => "End of the request, since the first request was sent".to_owned(),
        "throughput_tokens_per_sec" => "Output token throughput".to_owned(),
        "active_requests" => "Requests in flight".to_owned(),
        name if name.contains(':') => name.to_owned(),
        name => spelled_out(name),
    }
}

/// `GPU utilization` of `nvidia_gpu_utilization`.
fn spelled_out(name: &str) -> String {
    let name = name.strip_prefix("nvidia_").unwrap_or(name);
    let words: Vec<String> = name
        .split('_')
        .enumerate()
        .map(|(index, word)| match word {
            "gpu" | "sm" | "isl" | "osl" | "xid" | "ecc" | "kv" => word.to_uppercase(),
            word if index == 0 => {
                let mut letters = word.chars();
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
            }
            word => word.to_owned(),
        })
        .collect();
    words.join(" ")
}

/// `Request Latency, p99 (ms)`.
pub(super) fn axis_label(name: &str, stat: Option<&str>, unit: &str) -> String {
    let stat = stat.map(|stat| format!(", {}", statistic_text(stat))).unwrap_or_default();
    let unit = readable_unit(unit);
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    format!("{}{stat}{unit}", title_of(name))
}

/// Units as charts spell them.
pub(crate) fn readable_unit(unit: &str) -> String {
    match unit {
        "sec" | "seconds" => "s".to_owned(),
        "requests" | "count" | "tokens" | "ratio" => unit.to_owned(),
        unit => unit.replace("/sec", "/s"),
    }
}

/// The unit of a metric of the catalogue.
pub(super) fn unit_of(metric: Metric) -> &'static str {
    metric.definition().shown.label()
}

/// The unit that the name of a GPU metric implies.
pub(crate) fn gpu_unit(name: &str) -> &'static str {
    let ends = [
        ("utilization", "%"),
        ("power_usage", "W"),
        ("power_violation", "µs"),
        ("energy_consumption", "MJ"),
        ("memory_used", "GB"),
        ("temperature", "°C"),
    ];
    ends.iter().find(|(end, _)| name.ends_with(end)).map_or("", |(_, unit)| unit)
}

/// Whether more of a metric is better; `None` if nobody knows.
pub(super) fn larger_is_better(name: &str) -> Option<bool> {
    if name == PER_GPU {
        return Some(true);
    }
    metric_of(name).map(|metric| metric.definition().flags.has(Flags::LARGER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_title_statistic_and_unit() {
        assert_eq!(axis_label("request_latency", Some("p99_9"), "ms"), "Request Latency, p99.9 (ms)");
        assert_eq!(axis_label("nvidia_gpu_utilization", None, "%"), "GPU utilization (%)");
        assert_eq!(axis_label("concurrency", None, ""), "Concurrency");
        assert_eq!(tag_of("Inter Token Latency"), "inter_token_latency");
        assert_eq!(larger_is_better("request_throughput"), Some(true));
        assert_eq!(larger_is_better("time_to_first_token"), Some(false));
        assert_eq!(larger_is_better("unheard_of"), None);
    }
}
