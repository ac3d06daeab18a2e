//! The files of server metrics: statistics of the profiling phase as JSON and CSV, every scrape as JSON lines, every value of the
//! phase as a Parquet table.

mod all_servers;
mod csv;
mod json;
mod lines;
mod parquet;
mod series_json;
mod summary;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_telemetry::server::{EndpointHistory, ServerMetrics};
use serde_json::Value;

use crate::folder::part_file::write_whole;
use crate::{ArtifactPaths, LocalZone, ReportError, WrittenFile};

pub use lines::ServerMetricsLines;
pub use summary::{EngineFigures, EngineSummary, ServerMetricsSummary};

/// What the files are made of.
#[derive(Debug)]
pub struct ServerMetricsExport<'a> {
    pub metrics: &'a ServerMetrics,
    /// The endpoints that the metrics were computed from.
    pub histories: &'a [EndpointHistory],
    pub anchor: &'a WallAnchor,
    pub zone: &'a LocalZone,
    pub aiperf_version: &'a str,
    pub benchmark_id: &'a str,
    pub input_config: &'a Value,
    /// Name, start and end of each phase.
    pub phases: Vec<(&'a str, Mono, Mono)>,
}

impl ServerMetricsExport<'_> {
    pub fn write_json(&self, paths: &ArtifactPaths) -> Result<WrittenFile, ReportError> {
        let path = paths.server_metrics("json");
        write_whole(&path, json::document(self).as_bytes())?;
        Ok(WrittenFile { label: "Server Metrics JSON Export".into(), path })
    }

    pub fn write_csv(&self, paths: &ArtifactPaths) -> Result<WrittenFile, ReportError> {
        let path = paths.server_metrics("csv");
        write_whole(&path, csv::document(self).as_bytes())?;
        Ok(WrittenFile { label: "Server Metrics CSV Export".into(), path })
    }

    pub fn write_parquet(&self, paths: &ArtifactPaths) -> Result<WrittenFile, ReportError> {
        let path = paths.server_metrics("parquet");
        parquet::write(self, &path)?;
        Ok(WrittenFile { label: "Server Metrics Parquet Export".into(), path })
    }

    fn epoch(&self, at: Mono) -> u64 {
        self.anchor.epoch(at).0
    }
}
