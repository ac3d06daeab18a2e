//! Which metrics pages of servers are scraped during a run, how, and into which files.

use std::time::Duration;

use aiperf_address::Address;
use aiperf_redact::shown_url;
use serde_json::{Value, json};

use crate::section::Section;

/// Server metrics are collected.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerMetricsConfig {
    /// Pages that the user named, in addition to that of each server.
    pub urls: Vec<Address>,
    /// Each page must be readable before the run starts.
    pub required: bool,
    /// Each once, in the order given.
    pub formats: Vec<ServerMetricsFormat>,
    pub scraping: Scraping,
}

/// A file format for server metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMetricsFormat {
    /// Statistics of the profiling phase.
    Json,
    /// The same statistics as tables.
    Csv,
    /// A line for each page, as it comes.
    JsonLines,
    /// A row for each value in the profiling phase.
    Parquet,
}

/// `AIPERF_SERVER_METRICS_*`: how pages are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scraping {
    /// Pause between two pages of a server.
    pub interval: Duration,
    /// How long pages are fetched after the run until the counters of the server stand still.
    pub flush: Duration,
    /// Limit for one page.
    pub timeout: Duration,
    /// Limit for the first page of a server whose metrics are required.
    pub reachability_timeout: Duration,
}

impl Default for Scraping {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(333),
            flush: Duration::from_secs(2),
            timeout: Duration::from_secs(30),
            reachability_timeout: Duration::from_secs(10),
        }
    }
}

impl ServerMetricsFormat {
    pub const ALL: [Self; 4] = [Self::Json, Self::Csv, Self::JsonLines, Self::Parquet];
    pub const DEFAULT: [Self; 2] = [Self::Json, Self::Csv];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
        }
    }
}

/// The section of the configuration that files show.
pub(crate) fn section(metrics: Option<&ServerMetricsConfig>) -> Value {
    let Some(metrics) = metrics else { return json!({"enabled": false}) };
    let mut section = Section::default();
    section.put("enabled", true);
    section.put("urls", metrics.urls.iter().map(|url| shown_url(url.as_str())).collect::<Vec<_>>());
    section.put("formats", metrics.formats.iter().map(|format| format.name()).collect::<Vec<_>>());
    section.put_if("required", metrics.required);
    section.finish()
}
