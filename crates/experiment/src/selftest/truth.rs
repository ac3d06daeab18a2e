//! The simulator's truth, read back from its file. Its stamps are on the same monotonic clock as the client's.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use super::SelfTestError;

/// One request in the eyes of the server, as far as it is compared.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct TruthLine {
    pub(crate) request_id: Option<String>,
    pub(crate) outcome: String,
    pub(crate) in_flight: u64,
    pub(crate) output_tokens: u64,
    pub(crate) first_byte_ns: u64,
    pub(crate) chunks_ns: Vec<u64>,
}

impl TruthLine {
    /// Whether the whole reply was written.
    pub(crate) fn is_complete(&self) -> bool {
        self.outcome == "completed"
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<TruthLine>, SelfTestError> {
    let failed = |reason: String| SelfTestError::Truth { path: path.to_owned(), reason };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let parse = |line: std::io::Result<String>| {
        let line = line.map_err(|error| failed(error.to_string()))?;
        serde_json::from_str(&line).map_err(|error| failed(error.to_string()))
    };
    BufReader::new(file).lines().map(parse).collect()
}
