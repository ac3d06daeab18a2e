//! The files that grow while a run goes on: records as lines and as a table, raw exchanges, inputs, outputs, round trips.

mod inputs;
pub(crate) mod lines;
pub(crate) mod metadata;
mod network_latency;
mod outputs;
mod raw;
pub(crate) mod record;
pub(crate) mod spec_decode;
mod table;
mod trace;

pub use inputs::{InputSession, InputsFile};
pub use lines::{LineHandle, LineTotals};
pub use metadata::{RecordMetadata, Redirect};
pub use network_latency::{RoundTrip, RoundTripWriter};
pub use outputs::{OutputText, OutputsFile};
pub use raw::{RawExchange, RawResponse, RawWriter};
pub use record::{Record, RecordWriter};
pub use spec_decode::SpecDecodeRecord;
pub(crate) use table::ParquetColumn;
pub use table::RecordTable;
pub use trace::{Chunks, Headers, TraceData};
