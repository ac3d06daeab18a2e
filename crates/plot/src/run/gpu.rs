//! Samples of GPU telemetry.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use crate::PlotError;

/// What one GPU reported at one time.
#[derive(Debug, Clone, Deserialize, PartialEq)]
pub struct GpuSample {
    /// Epoch time.
    pub timestamp_ns: u64,
    #[serde(default)]
    pub telemetry_source_url: String,
    #[serde(default)]
    pub gpu_index: u64,
    #[serde(rename = "telemetry_data")]
    pub values: BTreeMap<String, Option<f64>>,
}

/// The samples of a file, in its order; none if there is no such file. Lines that are not samples are left out.
pub(super) fn read(path: &Path) -> Result<Vec<GpuSample>, PlotError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(PlotError::Read { path: path.to_owned(), source }),
    };
    let mut samples = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|source| PlotError::Read { path: path.to_owned(), source })?;
        samples.extend(serde_json::from_str::<GpuSample>(&line).ok());
    }
    Ok(samples)
}
