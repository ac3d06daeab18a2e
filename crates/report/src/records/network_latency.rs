//! The file of measured round trips: one line as each measurement ends.

use std::path::Path;

use aiperf_clock::{EpochNanos, Nanos};
use serde::Serialize;

use crate::ReportError;
use crate::records::lines::{LineFile, LineTotals};
use crate::records::metadata::epoch;

/// One measurement: a connection that was opened and closed.
#[derive(Debug, Clone, Serialize)]
pub struct RoundTrip<'a> {
    #[serde(serialize_with = "epoch", rename = "timestamp_ns")]
    pub at: EpochNanos,
    #[serde(rename = "target_url")]
    pub url: &'a str,
    #[serde(rename = "target_host")]
    pub host: &'a str,
    #[serde(rename = "target_port")]
    pub port: u16,
    #[serde(flatten, serialize_with = "outcome")]
    pub outcome: Result<Nanos, String>,
}

fn outcome<S: serde::Serializer>(outcome: &Result<Nanos, String>, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeMap;
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("probe_type", "tcp_connect")?;
    match outcome {
        Ok(rtt) => {
            map.serialize_entry("rtt_ns", &rtt.0)?;
            map.serialize_entry("success", &true)?;
        }
        Err(error) => {
            map.serialize_entry("success", &false)?;
            map.serialize_entry("error", error)?;
        }
    }
    map.end()
}

#[derive(Debug)]
pub struct RoundTripWriter {
    lines: LineFile,
}

impl RoundTripWriter {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Ok(Self { lines: LineFile::create(path)? })
    }

    /// Fails once at most, when the disk first refuses; later losses are counted.
    pub fn write(&self, measured: &RoundTrip<'_>) -> Result<(), ReportError> {
        self.lines.append_json(measured)
    }

    pub fn finish(self) -> LineTotals {
        self.lines.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_has_its_time_or_its_error() {
        let mut measured = RoundTrip {
            at: EpochNanos(1_794_706_674_281_081_470),
            url: "http://127.0.0.1:38417",
            host: "127.0.0.1",
            port: 38_417,
            outcome: Ok(Nanos(3_330_121)),
        };
        let common = "{\"timestamp_ns\":1794706674281081470,\"target_url\":\"http://127.0.0.1:38417\",\
                      \"target_host\":\"127.0.0.1\",\"target_port\":38417,\"probe_type\":\"tcp_connect\",";
        let line = serde_json::to_string(&measured).unwrap();
        assert_eq!(line, format!("{common}\"rtt_ns\":3330121,\"success\":true}}"));
        measured.outcome = Err("refused".to_owned());
        let line = serde_json::to_string(&measured).unwrap();
        assert_eq!(line, format!("{common}\"success\":false,\"error\":\"refused\"}}"));
    }
}
