//! Metrics: gauges, sums and histograms with their points.

use prost::{Enumeration, Message, Oneof};

use super::{KeyValue, OtlpResource, OtlpScope};

/// The body of a post to `/v1/metrics`.
#[derive(Clone, PartialEq, Message)]
pub struct MetricsRequest {
    #[prost(message, repeated, tag = "1")]
    pub resource_metrics: Vec<ResourceMetrics>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ResourceMetrics {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<OtlpResource>,
    #[prost(message, repeated, tag = "2")]
    pub scope_metrics: Vec<ScopeMetrics>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ScopeMetrics {
    #[prost(message, optional, tag = "1")]
    pub scope: Option<OtlpScope>,
    #[prost(message, repeated, tag = "2")]
    pub metrics: Vec<OtlpMetric>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OtlpMetric {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub description: String,
    #[prost(string, tag = "3")]
    pub unit: String,
    #[prost(oneof = "MetricData", tags = "5, 7, 9")]
    pub data: Option<MetricData>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum MetricData {
    #[prost(message, tag = "5")]
    Gauge(OtlpGauge),
    #[prost(message, tag = "7")]
    Sum(OtlpSum),
    #[prost(message, tag = "9")]
    Histogram(OtlpHistogram),
}

#[derive(Clone, PartialEq, Message)]
pub struct OtlpGauge {
    #[prost(message, repeated, tag = "1")]
    pub points: Vec<NumberPoint>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OtlpSum {
    #[prost(message, repeated, tag = "1")]
    pub points: Vec<NumberPoint>,
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub temporality: i32,
    #[prost(bool, tag = "3")]
    pub is_monotonic: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct OtlpHistogram {
    #[prost(message, repeated, tag = "1")]
    pub points: Vec<HistogramPoint>,
    #[prost(enumeration = "AggregationTemporality", tag = "2")]
    pub temporality: i32,
}

/// Whether a value is that of the time since the last post, or since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum AggregationTemporality {
    Unspecified = 0,
    Delta = 1,
    Cumulative = 2,
}

#[derive(Clone, PartialEq, Message)]
pub struct NumberPoint {
    #[prost(fixed64, tag = "2")]
    pub start_ns: u64,
    #[prost(fixed64, tag = "3")]
    pub time_ns: u64,
    #[prost(message, repeated, tag = "7")]
    pub attributes: Vec<KeyValue>,
    #[prost(oneof = "NumberValue", tags = "4, 6")]
    pub value: Option<NumberValue>,
}

#[derive(Clone, Copy, PartialEq, Oneof)]
pub enum NumberValue {
    #[prost(double, tag = "4")]
    Float(f64),
    #[prost(sfixed64, tag = "6")]
    Int(i64),
}

#[derive(Clone, PartialEq, Message)]
pub struct HistogramPoint {
    #[prost(fixed64, tag = "2")]
    pub start_ns: u64,
    #[prost(fixed64, tag = "3")]
    pub time_ns: u64,
    #[prost(fixed64, tag = "4")]
    pub count: u64,
    #[prost(double, optional, tag = "5")]
    pub sum: Option<f64>,
    /// One more than there are bounds.
    #[prost(fixed64, repeated, tag = "6")]
    pub bucket_counts: Vec<u64>,
    #[prost(double, repeated, tag = "7")]
    pub bounds: Vec<f64>,
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    #[prost(double, optional, tag = "11")]
    pub min: Option<f64>,
    #[prost(double, optional, tag = "12")]
    pub max: Option<f64>,
}
