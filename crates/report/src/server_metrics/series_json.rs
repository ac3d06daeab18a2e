//! The statistics of series as JSON. A page may have thousands of series, so they are written without a tree of values in between.

use aiperf_telemetry::prometheus::Labels;
use aiperf_telemetry::series::{GaugeStatistics, HistogramIncrease, PercentileEstimate, Window};
use aiperf_telemetry::server::{MetricReport, SeriesReport, SeriesStatistics, SliceReport};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::ServerMetricsExport;

/// Names of the percentiles of gauges, in the order of [`GaugeStatistics::PERCENTILES`].
const PERCENTILES: [&str; 9] = ["p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"];
/// Names of the percentiles that are estimated from buckets.
const ESTIMATES: [&str; 9] = [
    "p1_estimate",
    "p5_estimate",
    "p10_estimate",
    "p25_estimate",
    "p50_estimate",
    "p75_estimate",
    "p90_estimate",
    "p95_estimate",
    "p99_estimate",
];

/// All metrics by their names.
pub(super) struct MetricMap<'a>(pub(super) &'a ServerMetricsExport<'a>);

impl Serialize for MetricMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(export) = self;
        serializer
            .collect_map(export.metrics.metrics.iter().map(|report| (&report.name, MetricObject { export, report })))
    }
}

struct MetricObject<'a> {
    export: &'a ServerMetricsExport<'a>,
    report: &'a MetricReport,
}

impl Serialize for MetricObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { export, report } = self;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("type", report.kind.name())?;
        object.serialize_entry("description", &report.description)?;
        if let Some(unit) = &report.unit {
            object.serialize_entry("unit", unit)?;
        }
        object.serialize_entry("series", &SeriesList { export, series: &report.series })?;
        object.end()
    }
}

struct SeriesList<'a> {
    export: &'a ServerMetricsExport<'a>,
    series: &'a [SeriesReport],
}

impl Serialize for SeriesList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.series.iter().map(|series| SeriesObject { export: self.export, series }))
    }
}

struct SeriesObject<'a> {
    export: &'a ServerMetricsExport<'a>,
    series: &'a SeriesReport,
}

impl Serialize for SeriesObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { export, series } = self;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("endpoint_url", &series.endpoint_url)?;
        if !series.labels.is_empty() {
            object.serialize_entry("labels", &LabelMap(&series.labels))?;
        }
        object.serialize_entry("stats", &StatisticsObject { of: &series.statistics, window: export.metrics.window })?;
        if let SeriesStatistics::Histogram(increase) = &series.statistics
            && increase.count > 0.0
        {
            object.serialize_entry("buckets", &BucketMap(increase))?;
            object.serialize_entry("percentile_bounds", &PercentileBounds(increase))?;
        }
        if !series.slices.is_empty() {
            object.serialize_entry("timeslices", &SliceList { export, slices: &series.slices })?;
        }
        object.end()
    }
}

/// Labels of a series by their names.
pub(super) struct LabelMap<'a>(pub(super) &'a Labels);

impl Serialize for LabelMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter())
    }
}

/// Cumulative counts by the bounds of their buckets.
struct BucketMap<'a>(&'a HistogramIncrease);

impl Serialize for BucketMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.buckets.iter().map(|(bound, count)| (&bound.text, whole(*count))))
    }
}

/// The bucket that each percentile lies in; without `high` in the last one.
struct PercentileBounds<'a>(&'a HistogramIncrease);

impl Serialize for PercentileBounds<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let estimates = PERCENTILES.iter().zip(GaugeStatistics::PERCENTILES);
        serializer.collect_map(
            estimates.filter_map(|(name, percent)| Some((name, BucketEdges(self.0.percentile(f64::from(percent))?)))),
        )
    }
}

struct BucketEdges(PercentileEstimate);

impl Serialize for BucketEdges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("low", &self.0.low)?;
        if self.0.high.is_finite() {
            object.serialize_entry("high", &self.0.high)?;
        }
        object.end()
    }
}

struct SliceList<'a> {
    export: &'a ServerMetricsExport<'a>,
    slices: &'a [SliceReport],
}

impl Serialize for SliceList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.slices.iter().map(|slice| SliceObject { export: self.export, slice }))
    }
}

struct SliceObject<'a> {
    export: &'a ServerMetricsExport<'a>,
    slice: &'a SliceReport,
}

impl Serialize for SliceObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { export, slice } = self;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("start_ns", &export.epoch(slice.window.start()))?;
        object.serialize_entry("end_ns", &export.epoch(slice.window.end()))?;
        if !slice.is_complete {
            object.serialize_entry("is_complete", &false)?;
        }
        match &slice.statistics {
            SeriesStatistics::Gauge(gauge) => {
                put_numbers(&mut object, [("avg", gauge.avg), ("min", gauge.min), ("max", gauge.max)])?;
            }
            SeriesStatistics::Counter { total, rate, .. } => {
                put_numbers(&mut object, [("total", *total), ("rate", *rate)])?;
            }
            SeriesStatistics::Histogram(increase) => {
                put_count_and_sum(&mut object, increase.count, increase.sum)?;
                if increase.count > 0.0 {
                    object.serialize_entry("buckets", &BucketMap(increase))?;
                }
            }
            SeriesStatistics::Summary { count, sum, .. } => put_count_and_sum(&mut object, *count, *sum)?,
        }
        object.end()
    }
}

struct StatisticsObject<'a> {
    of: &'a SeriesStatistics,
    window: Window,
}

impl Serialize for StatisticsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds = self.window.length().as_secs_f64();
        let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let mut object = serializer.serialize_map(None)?;
        match self.of {
            SeriesStatistics::Gauge(gauge) => {
                let GaugeStatistics { avg, min, max, std, percentiles } = *gauge;
                put_numbers(&mut object, [("avg", avg), ("min", min), ("max", max), ("std", std)])?;
                for (name, value) in PERCENTILES.iter().zip(percentiles) {
                    object.serialize_entry(name, &value)?;
                }
            }
            SeriesStatistics::Counter { total, rate, slices } => {
                put_numbers(&mut object, [("total", *total), ("rate", *rate)])?;
                if let Some(spread) = slices {
                    put_numbers(&mut object, [("rate_avg", spread.avg), ("rate_min", spread.min)])?;
                    put_numbers(&mut object, [("rate_max", spread.max), ("rate_std", spread.std)])?;
                }
            }
            SeriesStatistics::Histogram(increase) => {
                put_count_and_sum(&mut object, increase.count, increase.sum)?;
                if increase.count > 0.0 {
                    let rates = [("count_rate", per_second(increase.count)), ("sum_rate", per_second(increase.sum))];
                    put_numbers(&mut object, rates)?;
                    for (name, percent) in ESTIMATES.iter().zip(GaugeStatistics::PERCENTILES) {
                        if let Some(estimate) = increase.percentile(f64::from(percent)) {
                            object.serialize_entry(name, &estimate.value)?;
                        }
                    }
                }
            }
            SeriesStatistics::Summary { count, sum, quantiles } => {
                put_count_and_sum(&mut object, *count, *sum)?;
                put_numbers(&mut object, [("count_rate", per_second(*count)), ("sum_rate", per_second(*sum))])?;
                object.serialize_entry("quantiles", &QuantileMap(quantiles))?;
            }
        }
        object.end()
    }
}

struct QuantileMap<'a>(&'a [(String, f64)]);

impl Serialize for QuantileMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

fn put_numbers<M: SerializeMap, const N: usize>(object: &mut M, numbers: [(&str, f64); N]) -> Result<(), M::Error> {
    numbers.iter().try_for_each(|(key, value)| object.serialize_entry(key, value))
}

fn put_count_and_sum<M: SerializeMap>(object: &mut M, count: f64, sum: f64) -> Result<(), M::Error> {
    object.serialize_entry("count", &whole(count))?;
    if count > 0.0 {
        put_numbers(object, [("sum", sum), ("avg", sum / count)])?;
    }
    Ok(())
}

/// A count without a fraction.
fn whole(count: f64) -> u64 {
    count.round().max(0.0) as u64
}
