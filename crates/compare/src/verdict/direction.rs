//! Which way a metric is good.

use aiperf_metrics::{Flags, Metric, MetricKind, Unit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    LessIsBetter,
    MoreIsBetter,
    /// What the run was given or how long it was: a difference says that the work was another, not how well it was done.
    Neutral,
}

impl Direction {
    pub fn of(metric: Metric) -> Self {
        let definition = metric.definition();
        let flags = definition.flags;
        let is_count = |unit: Unit| {
            matches!(
                unit,
                Unit::Tokens
                    | Unit::Requests
                    | Unit::Count
                    | Unit::Images
                    | Unit::Bytes
                    | Unit::Kilobytes
                    | Unit::Watts
                    | Unit::Joules
            )
        };
        match metric {
            Metric::ErrorRequestCount
            | Metric::ResentRequestCount
            | Metric::ContextOverflowCount
            | Metric::OslMismatchCount
            | Metric::UsageDiscrepancyCount
            | Metric::ReplaySchedDegraded => Self::LessIsBetter,
            Metric::GoodRequestCount => Self::MoreIsBetter,
            Metric::MinRequestTimestamp
            | Metric::MaxResponseTimestamp
            | Metric::BenchmarkDuration
            | Metric::AudioDuration
            | Metric::UsagePromptAudioSeconds
            | Metric::TotalUsagePromptAudioSeconds
            | Metric::ThinkingEfficiency
            | Metric::OverallThinkingEfficiency
            | Metric::OslMismatchDiffPct
            | Metric::HttpReqConnectionReused => Self::Neutral,
            _ if is_count(definition.unit) && definition.kind != MetricKind::ErrorAdjusted => Self::Neutral,
            _ if flags.has(Flags::LARGER) => Self::MoreIsBetter,
            // Throughput over time is not marked in the catalogue, which marks what objectives may be set on.
            _ if definition.unit.label().contains("/sec") => Self::MoreIsBetter,
            _ => Self::LessIsBetter,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::LessIsBetter => "less is better",
            Self::MoreIsBetter => "more is better",
            Self::Neutral => "neutral",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(direction: Direction) -> Vec<&'static str> {
        Metric::ALL.iter().filter(|metric| Direction::of(**metric) == direction).map(|metric| metric.tag()).collect()
    }

    #[test]
    fn latency_is_better_small_and_throughput_large() {
        for metric in Metric::ALL {
            let (tag, direction) = (metric.tag(), Direction::of(*metric));
            if tag.ends_with("_latency") || tag.starts_with("time_to_") {
                assert_eq!(direction, Direction::LessIsBetter, "{tag}");
            }
            if tag.contains("throughput") && !tag.contains("concurrency") {
                assert_eq!(direction, Direction::MoreIsBetter, "{tag}");
            }
            if tag.starts_with("cost_") {
                assert_eq!(direction, Direction::LessIsBetter, "{tag}");
                continue;
            }
            if tag.ends_with("_tokens") || tag.ends_with("_isl") || tag.ends_with("_osl") || tag.contains("concurrency")
            {
                assert_eq!(direction, Direction::Neutral, "{tag}");
            }
        }
    }

    #[test]
    fn the_rest_is_where_it_belongs() {
        let (less, more, neutral) =
            (tags(Direction::LessIsBetter), tags(Direction::MoreIsBetter), tags(Direction::Neutral));
        for tag in
            ["request_error_rate", "error_request_count", "schedule_lag", "nvidia_energy_per_request", "http_req_total"]
        {
            assert!(less.contains(&tag), "{tag}");
        }
        for tag in
            ["goodput", "good_request_fraction", "rtfx", "spec_decode_acceptance_length", "nvidia_performance_per_watt"]
        {
            assert!(more.contains(&tag), "{tag}");
        }
        for tag in
            ["input_sequence_length", "request_count", "benchmark_duration", "nvidia_total_gpu_power", "num_images"]
        {
            assert!(neutral.contains(&tag), "{tag}");
        }
    }
}
