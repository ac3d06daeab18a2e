//! Reduces what the metrics pages of servers showed to the profiling phase, and writes their files.

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::ServerMetricsFormat;
use aiperf_engine::PhaseOutcome;
use aiperf_report::{LocalZone, ReportError, ServerMetricsExport, WrittenFile};
use aiperf_telemetry::series::Window;
use aiperf_telemetry::server::ServerMetrics;

use crate::run::Run;
use crate::watch::server_metrics::ScrapedMetrics;

/// The metrics of the profiling phase, and their files.
#[derive(Debug, Default)]
pub(crate) struct ConcludedMetrics {
    /// `None` if no page was read.
    pub(crate) metrics: Option<ServerMetrics>,
    pub(crate) written: Vec<WrittenFile>,
    pub(crate) failed: Vec<ReportError>,
}

impl ConcludedMetrics {
    pub(crate) fn new(
        scraped: ScrapedMetrics,
        outcomes: &[PhaseOutcome],
        anchor: &WallAnchor,
        benchmark_id: &str,
        version: &str,
        run: &Run,
    ) -> Self {
        let ScrapedMetrics { endpoints, formats, lines } = scraped;
        let mut concluded = Self::default();
        let measured = run.measured_phases(outcomes);
        let has_pages = endpoints.iter().any(aiperf_telemetry::server::EndpointHistory::has_pages);
        if let (Some(first), Some(window)) = (measured.first(), run.measured_window(outcomes).filter(|_| has_pages)) {
            let slice = run.config.output.slice_duration.map(Nanos::from);
            let metrics = ServerMetrics::compute(&endpoints, window_of(*first, window.end, outcomes), slice);
            for endpoint in metrics.endpoints.iter().filter(|endpoint| endpoint.has_pages) {
                endpoint.problems.iter().for_each(|problem| log::warn!("{}: {problem}", endpoint.url));
            }
            let export = ServerMetricsExport {
                metrics: &metrics,
                histories: &endpoints,
                anchor,
                zone: &LocalZone::system(),
                aiperf_version: version,
                benchmark_id,
                input_config: &run.config.to_input_config(),
                phases: outcomes.iter().map(|outcome| (&*outcome.name, outcome.start, outcome.end)).collect(),
            };
            for format in &formats {
                match format {
                    ServerMetricsFormat::Json => concluded.add(export.write_json(&run.paths)),
                    ServerMetricsFormat::Csv => concluded.add(export.write_csv(&run.paths)),
                    ServerMetricsFormat::Parquet => concluded.add(export.write_parquet(&run.paths)),
                    // Written while the run lasted.
                    ServerMetricsFormat::JsonLines => {}
                }
            }
            concluded.metrics = Some(metrics);
        }
        // The endpoints hold the file too.
        drop(endpoints);
        if let Some(written) = lines.and_then(aiperf_report::ServerMetricsLines::finish) {
            concluded.add(written);
        }
        concluded
    }

    fn add(&mut self, written: Result<WrittenFile, ReportError>) {
        match written {
            Ok(file) => self.written.push(file),
            Err(error) => self.failed.push(error),
        }
    }
}

/// From the start of the first measured phase to the end of the last. Before it nothing was in flight, unless it continues the
/// sessions of the phase before it or begins before their last responses.
fn window_of(first: usize, end: Mono, outcomes: &[PhaseOutcome]) -> Window {
    let phase = &outcomes[first];
    let window = Window::new(phase.start, end);
    let earlier = outcomes[..first].iter().map(|before| before.end).max().unwrap_or(Mono::from_nanos(0));
    if phase.replay.is_some() || earlier > phase.start { window } else { window.after_idle(earlier) }
}
