//! GPU telemetry of a run: which sources are read, the file of their readings, and what they come to.

mod figures;
mod local;
mod sources;

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{Config, GpuTelemetry};
use aiperf_engine::{ControlSource, PhaseOutcome};
use aiperf_live::LiveRun;
use aiperf_metrics::{GpuEnergy, GpuVendor, PhaseWindow};
use aiperf_report::{ArtifactPaths, GpuLineWriter, GpuTelemetryFigures, WrittenFile};
use aiperf_telemetry::gpu::collector::{
    CollectorHooks, CollectorSettings, GpuCollector, IDLE_FOR, LastReading, OpenedSources,
};
use aiperf_telemetry::gpu::extra_fields;
use aiperf_telemetry::gpu::field::{FieldTable, Platform};
use aiperf_telemetry::gpu::summary::GpuTelemetrySummary;
use aiperf_telemetry::series::Window;
use aiperf_transport::ClientSettings;

use crate::error::RunError;
use crate::prepare::target::Targets;
use crate::watch::monitor::Monitor;
use crate::watch::priority::lower_priority;
use sources::SourceSearch;

/// How often a user who no longer wants to wait is noticed.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Largest share of time between measured phases for which their energy is still reported.
const LEFT_OUT_SHARE: f64 = 0.01;

/// Telemetry that is being collected.
pub(crate) struct GpuWatch {
    collector: GpuCollector,
    fields: Arc<FieldTable>,
    lines: Arc<Mutex<LineFile>>,
    telemetry: GpuTelemetry,
    /// How long looking for sources may take.
    open_limit: Duration,
}

/// The file of readings, which is there only if there is a reading.
#[derive(Debug, Default)]
struct LineFile {
    writer: Option<GpuLineWriter>,
    has_failed: bool,
}

/// What telemetry came to.
#[derive(Debug)]
pub(crate) struct GpuResult {
    pub(crate) figures: GpuTelemetryFigures,
    pub(crate) energy: Vec<GpuEnergy>,
    /// GPUs that were seen, each once.
    pub(crate) gpus: usize,
    pub(crate) file: Option<WrittenFile>,
    /// Sentences for the console.
    pub(crate) remarks: Vec<String>,
}

impl GpuWatch {
    /// Starts to look for sources; `None` if telemetry is switched off.
    pub(crate) fn start(
        config: &Config,
        targets: &Targets,
        client: &ClientSettings,
        (monitor, view): (&Arc<Monitor>, &Arc<LiveRun>),
        anchor: WallAnchor,
        paths: &ArtifactPaths,
    ) -> Result<Option<Self>, RunError> {
        let Some(telemetry) = config.gpu_telemetry.clone() else { return Ok(None) };
        let fields = Arc::new(field_table(&telemetry)?);
        let collection = &config.tuning.gpu_collection;
        let search = SourceSearch::new(&telemetry, collection, targets, client, Arc::clone(&fields));
        if search.is_empty() {
            return Ok(None);
        }
        let open_limit = search.limit();
        let settings = CollectorSettings {
            interval: collection.interval,
            grace: collection.final_grace,
            shutdown: collection.shutdown,
        };
        let lines = Arc::new(Mutex::new(LineFile::default()));
        let (sink_lines, sink_fields, path) = (Arc::clone(&lines), Arc::clone(&fields), paths.gpu_telemetry());
        let (phase_monitor, live_monitor) = (Arc::clone(monitor), Arc::clone(monitor));
        let (live, view) = (telemetry.live, Arc::clone(view));
        let hooks = CollectorHooks {
            open: Box::new(move || {
                lower_priority();
                search.open()
            }),
            phase: Box::new(move || phase_monitor.progress.phase()),
            sink: Box::new(move |url, reading| {
                if live {
                    live_monitor.note_gpu(figures::live(reading));
                }
                if view.is_watched() {
                    view.gpu(figures::gpu_state(url, reading));
                }
                let mut file = sink_lines.lock().unwrap_or_else(PoisonError::into_inner);
                file.write(&path, url, reading, &sink_fields, anchor);
            }),
        };
        let collector = GpuCollector::start(settings, Arc::clone(&fields), hooks)
            .map_err(|cause| RunError::Thread { name: "gpu-telemetry", cause })?;
        Ok(Some(Self { collector, fields, lines, telemetry, open_limit }))
    }

    /// Waits until all sources were looked for, says which there are, and measures idle power. Returns early when `control` says
    /// stop. Returns how many GPUs there are.
    pub(crate) fn settle(&self, control: &ControlSource) -> usize {
        let until = Mono::now() + self.open_limit.into();
        let opened = loop {
            if let Some(opened) = self.collector.wait_until_open(LOOK_UP) {
                break opened;
            }
            if control.stop_is_asked_for() || Mono::now() >= until {
                log::warn!("GPU telemetry is not ready yet: the run starts without it");
                return 0;
            }
        };
        self.announce(&opened);
        let idle_until = opened.since + IDLE_FOR.into();
        while !opened.answering.is_empty() && Mono::now() < idle_until && !control.stop_is_asked_for() {
            thread::sleep(LOOK_UP.min(idle_until.since(Mono::now()).as_duration()));
        }
        opened.answering.iter().map(|(_, gpus, _)| *gpus).sum()
    }

    /// One line per source. Nobody is told that there is nothing if nobody asked.
    fn announce(&self, opened: &OpenedSources) {
        for (url, gpus, model) in &opened.answering {
            let noun = if *gpus == 1 { "GPU" } else { "GPUs" };
            log::info!("GPU telemetry: {gpus} {noun} ({model}) from {url}");
        }
        if self.telemetry.asked_for {
            for (url, reason) in &opened.silent {
                log::warn!("No GPU telemetry from {url}: {reason}");
            }
            if opened.answering.is_empty() && opened.silent.is_empty() {
                log::warn!(
                    "No GPU telemetry: neither a DCGM exporter nor a GPU library was found on this machine. Name a source with \
                     --gpu-telemetry URL."
                );
            }
        }
    }

    /// What was collected; `None` if there was no source and nobody asked for one. `measured`: the time of the measured phases.
    pub(crate) fn finish(
        self,
        outcomes: &[PhaseOutcome],
        measured: Option<&PhaseWindow>,
        anchor: WallAnchor,
        last: LastReading,
        paths: &ArtifactPaths,
    ) -> Option<GpuResult> {
        let collected = self.collector.finish(last).unwrap_or_else(|| {
            log::warn!("GPU telemetry was given up: a source did not answer in time");
            Vec::new()
        });
        let writer = self.lines.lock().unwrap_or_else(PoisonError::into_inner).writer.take();
        let file = writer.map(|writer| {
            let lost = writer.finish().lost;
            if lost > 0 {
                log::error!("{lost} readings of GPU telemetry could not be written");
            }
            WrittenFile { label: "GPU Telemetry".into(), path: paths.gpu_telemetry() }
        });
        let is_there = collected.iter().any(aiperf_telemetry::gpu::collected::CollectedSource::is_reachable);
        if !is_there && !self.telemetry.asked_for {
            return None;
        }
        let now = Mono::now();
        let (start, end) = measured.map_or((now, now), |window| (window.start, window.end));
        // Energy that was used between the measured phases cannot be told from theirs.
        let left_out = measured.map_or(Nanos::ZERO, |window| Nanos(end.since(start).0 - window.length().0));
        let is_all_theirs = left_out.as_secs_f64() <= LEFT_OUT_SHARE * end.since(start).as_secs_f64();
        let first_request = outcomes.first().map_or(now, |outcome| outcome.start);
        let summary = GpuTelemetrySummary::of(&collected, &self.fields, Window::new(start, end), first_request);
        Some(GpuResult {
            energy: if measured.is_some() && is_all_theirs { energy(&summary) } else { Vec::new() },
            gpus: summary.gpu_count(),
            remarks: if is_there { figures::remarks(&summary) } else { Vec::new() },
            figures: figures::figures(&summary, anchor.epoch(start), anchor.epoch(end)),
            file,
        })
    }
}

/// All fields, with those of the user's file.
fn field_table(telemetry: &GpuTelemetry) -> Result<FieldTable, RunError> {
    let Some(path) = &telemetry.extra_fields else { return Ok(FieldTable::default()) };
    let unreadable = |reason: String| RunError::GpuFields { path: path.clone(), reason };
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let extra = extra_fields::parse(&text).map_err(|error| unreadable(error.to_string()))?;
    Ok(FieldTable::with_extra(extra))
}

fn energy(summary: &GpuTelemetrySummary) -> Vec<GpuEnergy> {
    let one = |platform: &aiperf_telemetry::energy::PlatformEnergy| {
        let vendor = match platform.platform {
            Platform::Nvidia => GpuVendor::Nvidia,
            Platform::Amd => GpuVendor::Amd,
        };
        GpuEnergy {
            watts: platform.watts,
            joules: platform.energy.ok().map(|estimate| estimate.joules),
            relative_error: platform.energy.map_or(0.0, |estimate| estimate.relative_error()),
            idle_watts: platform.idle_watts,
            ..GpuEnergy::unknown(vendor)
        }
    };
    summary.energy.iter().map(one).collect()
}
