//! The full trace of one exchange, as `--export-http-trace` writes it.

use aiperf_clock::{EpochNanos, WallAnchor};
use aiperf_engine::Finished;
use aiperf_metrics::HttpTiming;
use aiperf_report::{Chunks, Headers, StampCounts, TraceData};

use crate::record::http_timing;
use crate::record::raw::RawSource;

/// Owns what a [`TraceData`] borrows.
pub(crate) struct Traced<'a> {
    finished: &'a Finished,
    anchor: &'a WallAnchor,
    timing: HttpTiming,
    request_headers: Vec<(String, String)>,
    response_headers: Vec<(String, String)>,
    sent: Vec<(EpochNanos, u64)>,
    received: Vec<(EpochNanos, u64)>,
    local_ip: Option<String>,
    remote_ip: Option<String>,
    stamps: StampCounts,
}

impl<'a> Traced<'a> {
    pub(crate) fn of(finished: &'a Finished, source: &RawSource, anchor: &'a WallAnchor, stamps: StampCounts) -> Self {
        let exchange = &finished.exchange;
        let trace = &exchange.trace;
        let mut request_headers = source.request_headers(finished);
        if trace.send_end.is_some() && !exchange.is_grpc() {
            request_headers.push(("Content-Length".into(), trace.body_bytes_sent.to_string()));
        }
        let mut before = 0;
        let received = exchange.marks.iter().map(|mark| {
            let bytes = (mark.end - before) as u64;
            before = mark.end;
            (anchor.epoch(mark.at), bytes)
        });
        Self {
            received: received.collect(),
            finished,
            anchor,
            stamps,
            timing: http_timing::of(exchange),
            request_headers,
            response_headers: source.redacted(exchange.headers.iter().map(|(n, v)| (n.as_str(), v.as_str()))),
            sent: trace.send_end.map(|at| (anchor.epoch(at), trace.body_bytes_sent)).into_iter().collect(),
            local_ip: trace.local.map(|a| a.ip().to_string()),
            remote_ip: trace.remote.map(|a| a.ip().to_string()),
        }
    }

    pub(crate) fn data(&self) -> TraceData<'_> {
        let exchange = &self.finished.exchange;
        let trace = &exchange.trace;
        let epoch = |at| self.anchor.epoch(at);
        let timing = &self.timing;
        TraceData {
            trace_type: "aiperf",
            request_send_start_ns: epoch(trace.send_start.unwrap_or(self.finished.start)),
            request_headers: Headers(&self.request_headers),
            request_headers_sent_ns: trace.send_end.map(epoch),
            request_chunks: Chunks(&self.sent),
            request_send_end_ns: trace.send_end.map(epoch),
            request_chunks_count: trace.writes,
            request_bytes_total: trace.body_bytes_sent,
            response_status_code: exchange.status,
            response_reason: exchange.status.map(|_| exchange.reason.as_str()),
            response_receive_start_ns: exchange.first_body_byte().map(epoch),
            response_headers: Headers(&self.response_headers),
            response_headers_received_ns: trace.headers_received.map(epoch),
            response_chunks: Chunks(&self.received),
            response_chunks_count: timing.reads,
            response_bytes_total: timing.body_bytes_received,
            response_receive_end_ns: exchange.last_body_byte().map(epoch),
            dns_lookup_start_ns: trace.dns.map(|s| epoch(s.start)),
            dns_lookup_end_ns: trace.dns.map(|s| epoch(s.end)),
            tcp_connect_start_ns: trace.connect.map(|s| epoch(s.start)),
            tcp_connect_end_ns: trace.tls.or(trace.connect).map(|s| epoch(s.end)),
            tls_handshake_start_ns: trace.tls.map(|s| epoch(s.start)),
            tls_handshake_end_ns: trace.tls.map(|s| epoch(s.end)),
            connection_reused_ns: trace.send_start.filter(|_| trace.reused).map(epoch),
            local_ip: self.local_ip.as_deref(),
            local_port: trace.local.map(|a| a.port()),
            remote_ip: self.remote_ip.as_deref(),
            remote_port: trace.remote.map(|a| a.port()),
            sending_ns: timing.sending,
            waiting_ns: timing.waiting,
            receiving_ns: timing.receiving,
            duration_ns: timing.sending + timing.waiting + timing.receiving,
            connecting_ns: trace.connect.map(|_| timing.connecting),
            lost_ns: trace.lost,
            stamp_source: self.stamps,
        }
    }
}
