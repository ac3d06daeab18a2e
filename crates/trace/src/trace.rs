//! A whole trace.

use std::path::Path;

use aiperf_config::SessionColumn;

use crate::layout::{self, LayoutRows};
use crate::{Layout, RowProblem, SourceError, TraceError, TraceRequest, read_file};

/// A trace: requests in file order; at least one.
#[derive(Debug, Clone)]
pub struct Trace {
    pub layout: Layout,
    /// The number of tokens per block id.
    pub block_size: u32,
    pub requests: Vec<TraceRequest>,
    /// The number of incomplete rows of a CSV file.
    pub skipped_rows: usize,
}

/// All bytes of a file, decompressed.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, TraceError> {
    read_file(path).map_err(|error| match error {
        SourceError::Unreadable(reason) => TraceError::Unreadable { path: path.to_owned(), reason },
        SourceError::Content(problem) => TraceError::Content { path: path.to_owned(), problem },
    })
}

/// The layout of a file, detected from its content.
pub(crate) fn detected(path: &Path, bytes: &[u8]) -> Result<Layout, TraceError> {
    Layout::detect(bytes).map_err(|reason| TraceError::UnknownLayout { path: path.to_owned(), reason })
}

impl Trace {
    /// Reads a file. Without `layout` it is detected.
    pub fn read(path: &Path, layout: Option<Layout>) -> Result<Self, TraceError> {
        Self::parse(path, &file(path)?, layout)
    }

    /// Reads the bytes of a file; `path` is only used in messages.
    pub fn parse(path: &Path, bytes: &[u8], layout: Option<Layout>) -> Result<Self, TraceError> {
        let layout = layout.map_or_else(|| detected(path, bytes), Ok)?;
        layout::parse(path, bytes, layout)
    }

    /// Reads the bytes of a file, and returns the problems of the rows that are left out. There may be no request at all.
    pub fn parse_rows(
        path: &Path,
        bytes: &[u8],
        layout: Layout,
        sessions: SessionColumn,
    ) -> Result<(Self, Vec<RowProblem>), TraceError> {
        let LayoutRows { requests, problems, block_size } = layout::rows(path, bytes, layout, sessions)?;
        let skipped_rows = problems.len();
        Ok((Self { layout, block_size, requests, skipped_rows }, problems))
    }

    /// The indexes of the requests in the order in which they were sent: by time, or in file order if a time is missing.
    pub fn order_of_arrival(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.requests.len()).collect();
        let times: Option<Vec<f64>> = self.requests.iter().map(|request| request.timestamp_ms).collect();
        if let Some(times) = times {
            order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
        }
        order
    }
}
