//! The stages of one HTTP exchange in full, for `--export-http-trace`.

use aiperf_clock::{EpochNanos, Nanos};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::StampCounts;
use crate::records::metadata::{epoch, maybe_epoch};

/// The `trace_data` object of a record, fields in the order of the file. Secrets in headers must be redacted already.
#[derive(Debug, Clone, Serialize)]
pub struct TraceData<'a> {
    /// Which client took the stamps.
    pub trace_type: &'a str,
    #[serde(serialize_with = "epoch")]
    pub request_send_start_ns: EpochNanos,
    pub request_headers: Headers<'a>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub request_headers_sent_ns: Option<EpochNanos>,
    /// Time and size of every write of the body.
    pub request_chunks: Chunks<'a>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub request_send_end_ns: Option<EpochNanos>,
    pub request_chunks_count: u64,
    pub request_bytes_total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_status_code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_reason: Option<&'a str>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub response_receive_start_ns: Option<EpochNanos>,
    pub response_headers: Headers<'a>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub response_headers_received_ns: Option<EpochNanos>,
    /// Time and size of every read that carried body.
    pub response_chunks: Chunks<'a>,
    pub response_chunks_count: u64,
    pub response_bytes_total: u64,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub response_receive_end_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub dns_lookup_start_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub dns_lookup_end_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub tcp_connect_start_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub tcp_connect_end_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub tls_handshake_start_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub tls_handshake_end_ns: Option<EpochNanos>,
    #[serde(serialize_with = "maybe_epoch", skip_serializing_if = "Option::is_none")]
    pub connection_reused_ns: Option<EpochNanos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_ip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_ip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_port: Option<u16>,
    #[serde(serialize_with = "span")]
    pub sending_ns: Nanos,
    #[serde(serialize_with = "span")]
    pub waiting_ns: Nanos,
    #[serde(serialize_with = "span")]
    pub receiving_ns: Nanos,
    #[serde(serialize_with = "span")]
    pub duration_ns: Nanos,
    #[serde(serialize_with = "maybe_span", skip_serializing_if = "Option::is_none")]
    pub connecting_ns: Option<Nanos>,
    /// What attempts before this one took, of a request that was sent again.
    #[serde(serialize_with = "maybe_span", skip_serializing_if = "Option::is_none")]
    pub lost_ns: Option<Nanos>,
    /// How many of the reads were stamped by whom.
    pub stamp_source: StampCounts,
}

/// Header names and values in the order they were sent, written as an object.
#[derive(Debug, Clone, Copy)]
pub struct Headers<'a>(pub &'a [(String, String)]);

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Time and size of each read, written as `[ns, bytes]` pairs.
#[derive(Debug, Clone, Copy)]
pub struct Chunks<'a>(pub &'a [(EpochNanos, u64)]);

impl Serialize for Chunks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|(at, bytes)| (at.0, bytes)))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to the field")]
fn span<S: Serializer>(span: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.0)
}

#[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
fn maybe_span<S: Serializer>(span: &Option<Nanos>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(|span| span.0).serialize(serializer)
}
