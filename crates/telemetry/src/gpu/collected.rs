//! What a collector has gathered from one source.

use aiperf_clock::Nanos;

use crate::gpu::cadence::Renewal;
use crate::gpu::series::SourceSeries;

/// What the values of a source are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Each GPU by itself.
    EachGpu,
    /// All GPUs of a server together.
    WholeServer,
}

/// One source at the end of a run.
#[derive(Debug, Clone)]
pub struct CollectedSource {
    /// As files name it, for example `http://host:9400/metrics` or `pynvml://localhost`.
    pub url: String,
    pub renewal: Renewal,
    pub scope: Scope,
    pub series: SourceSeries,
    /// Attempts to read the source that gave readings.
    pub reads: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// The reason for the last failure.
    pub last_failure: Option<String>,
    /// The longest time that one read took.
    pub longest_read: Nanos,
}

impl Default for CollectedSource {
    fn default() -> Self {
        Self {
            url: String::new(),
            renewal: Renewal::WholePage,
            scope: Scope::EachGpu,
            series: SourceSeries::default(),
            reads: 0,
            failures: 0,
            last_failure: None,
            longest_read: Nanos::ZERO,
        }
    }
}

impl CollectedSource {
    pub fn is_reachable(&self) -> bool {
        self.reads > 0
    }

    /// The source on the console and in the summary: without scheme and path.
    pub fn display_name(&self) -> String {
        display_name(&self.url)
    }
}

/// `host:port` of a URL.
pub fn display_name(url: &str) -> String {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match rest {
        Some(rest) => rest.trim_end_matches('/').trim_end_matches("/metrics").to_owned(),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_shown_without_scheme_and_page() {
        assert_eq!(display_name("http://127.0.0.1:9400/metrics"), "127.0.0.1:9400");
        assert_eq!(display_name("https://node/dcgm/metrics"), "node/dcgm");
        assert_eq!(display_name("pynvml://localhost"), "pynvml://localhost");
    }
}
