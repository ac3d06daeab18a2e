//! The messages of OTLP that are sent and read. `opentelemetry-proto` has all of them, but it brings the OpenTelemetry SDK and
//! tonic with it; these few are all that a sender of metrics and spans needs.

mod attribute;
mod metric;
mod response;
mod span;

pub use attribute::{AttributeValue, KeyValue, OtlpResource, OtlpScope, OtlpValue};
pub use metric::{
    AggregationTemporality, HistogramPoint, MetricData, MetricsRequest, NumberPoint, NumberValue, OtlpGauge,
    OtlpHistogram, OtlpMetric, OtlpSum, ResourceMetrics, ScopeMetrics,
};
pub use response::{ExportResponse, PartialSuccess};
pub use span::{OtlpSpan, ResourceSpans, ScopeSpans, SpanEvent, SpanKind, SpanStatus, StatusCode, TracesRequest};
