//! A run request by request: what charts of one run are made from.

use std::path::PathBuf;

use aiperf_artifact::{ArtifactError, RequestTable, read_request_table};

use super::discover::{ResultFolder, ResultKind};
use super::gpu::{self, GpuSample};
use super::server_series::ServerSeries;
use super::slices::{self, SliceRow};
use super::summarised::SummarisedRun;
use crate::PlotError;

/// One run with its requests and what was measured next to them.
#[derive(Debug)]
pub struct DetailedRun {
    pub summary: SummarisedRun,
    pub requests: RequestTable,
    pub slices: Vec<SliceRow>,
    pub gpu: Vec<GpuSample>,
    pub server: ServerSeries,
    /// Where the time axis begins: when the first request was sent, in epoch time.
    origin_ns: u64,
}

impl DetailedRun {
    pub fn load(found: &ResultFolder, gpus: Option<u64>) -> Result<Self, PlotError> {
        let summary = SummarisedRun::load(found, gpus)?;
        let (ResultKind::Run(folder) | ResultKind::GenaiPerf(folder, _)) = &found.kind else {
            let requests = RequestTable::default();
            return Ok(Self::of(summary, requests, Vec::new(), Vec::new(), ServerSeries::default()));
        };
        let requests = match read_request_table(folder) {
            // Without records there may still be slices and telemetry.
            Err(ArtifactError::NoRecords { .. } | ArtifactError::Empty { .. }) => RequestTable::default(),
            other => other?,
        };
        let paths = folder.paths();
        let slices = slices::read(&paths.timeslices_json())?;
        let gpu = gpu::read(&paths.gpu_telemetry())?;
        let server = ServerSeries::read(paths, &summary.server_metrics)?;
        Ok(Self::of(summary, requests, slices, gpu, server))
    }

    fn of(
        summary: SummarisedRun,
        requests: RequestTable,
        slices: Vec<SliceRow>,
        gpu: Vec<GpuSample>,
        server: ServerSeries,
    ) -> Self {
        let first_request = requests.start_ns.iter().min();
        let first_slice = slices.first().map(|slice| &slice.start_ns);
        let first_sample = gpu.iter().map(|sample| &sample.timestamp_ns).min();
        let origin_ns = first_request.or(first_slice).or(first_sample).copied().unwrap_or_default();
        Self { summary, requests, slices, gpu, server, origin_ns }
    }

    pub fn name(&self) -> &str {
        &self.summary.name
    }

    pub fn folder(&self) -> &PathBuf {
        &self.summary.folder
    }

    /// Seconds after the beginning; below zero before it.
    pub fn seconds(&self, time_ns: u64) -> f64 {
        (i128::from(time_ns) - i128::from(self.origin_ns)) as f64 / 1e9
    }

    /// When the last request ended, in epoch time.
    pub fn end_ns(&self) -> Option<u64> {
        self.requests.end_ns.iter().max().copied()
    }
}
