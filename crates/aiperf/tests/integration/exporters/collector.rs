//! An OpenTelemetry collector that keeps what it gets.

use aiperf_otel::message::{HistogramPoint, KeyValue, MetricData, MetricsRequest, OtlpMetric, OtlpSpan, TracesRequest};
use prost::Message;

use crate::support::{TestServer, in_one};

pub(super) struct TestCollector {
    pub(super) server: TestServer,
}

impl TestCollector {
    pub(super) fn start() -> Self {
        Self { server: TestServer::start(|_, _| in_one("200 OK", "Content-Type: application/x-protobuf\r\n", b"")) }
    }

    /// The bodies of all posts of metrics, in order.
    pub(super) fn posts(&self) -> Vec<MetricsRequest> {
        let received = self.server.received();
        let metrics = received.iter().filter(|post| post.target == "/v1/metrics");
        metrics.map(|post| MetricsRequest::decode(&post.body[..]).unwrap()).collect()
    }

    /// The metrics of the last post.
    pub(super) fn last_metrics(&self) -> Vec<OtlpMetric> {
        let last = self.posts().pop().expect("no metrics were posted");
        last.resource_metrics.into_iter().flat_map(|of| of.scope_metrics).flat_map(|of| of.metrics).collect()
    }

    pub(super) fn resource(&self) -> Vec<KeyValue> {
        self.posts().pop().unwrap().resource_metrics.remove(0).resource.unwrap().attributes
    }

    pub(super) fn spans(&self) -> Vec<OtlpSpan> {
        let received = self.server.received();
        let posts = received.iter().filter(|post| post.target == "/v1/traces");
        let posts = posts.map(|post| TracesRequest::decode(&post.body[..]).unwrap());
        posts.flat_map(|post| post.resource_spans).flat_map(|of| of.scope_spans).flat_map(|of| of.spans).collect()
    }
}

/// The points of a histogram.
pub(super) fn histogram(metrics: &[OtlpMetric], name: &str) -> Vec<HistogramPoint> {
    let metric = metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("there is no {name}"));
    match metric.data.clone() {
        Some(MetricData::Histogram(histogram)) => {
            assert_eq!(histogram.temporality, 2, "{name} counts from the start");
            histogram.points
        }
        other => panic!("{name} is {other:?}"),
    }
}

pub(super) fn text<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a str> {
    attributes.iter().find(|attribute| attribute.key == name)?.as_text()
}
