//! Sends the measurements of a run to an OpenTelemetry collector while it lasts: metrics of requests, servers and GPUs as
//! cumulative OTLP/HTTP metrics with the GenAI semantic conventions, counters of each phase, and one span per request. Record
//! threads push into a bounded queue; two threads of their own do the rest, so that a slow or dead collector costs the run nothing.
#![forbid(unsafe_code)]

mod collector;
mod described;
mod error_type;
mod exporter;
pub mod message;
mod metrics;
mod outbox;
mod queue;
mod report;
mod request;
mod span;

pub use described::DescribedRun;
pub use exporter::OtelExporter;
pub use report::OtelReport;
