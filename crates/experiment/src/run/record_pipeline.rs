//! Assembles the record pipeline of a run: which files are open, who counts tokens, which rules follow.

use std::sync::{Arc, Mutex};

use aiperf_clock::WallAnchor;
use aiperf_config::{ExportLevel, PhaseConfig, PhaseKind};
use aiperf_engine::ControlSource;
use aiperf_metrics::OverflowSigns;
use aiperf_report::{OutputsFile, RawWriter, RecordTable, RecordWriter};

use super::Run;
use crate::accuracy::grading_thread::GradingThread;
use crate::error::RunError;
use crate::prepare::secrets::secrets_of;
use crate::record::live_output::LiveOutput;
use crate::record::observe::{Observer, TokenSource};
use crate::record::raw::RawSource;
use crate::record::threads::{RecordPipeline, RecordedPhase};
use crate::record::warnings::ResponseWarnings;
use crate::watch::early_stop::EarlyStop;
use crate::watch::load_control::LoadControl;
use crate::watch::monitor::Monitor;
use crate::watch::threshold::FailureThreshold;

impl Run {
    pub(super) fn record_pipeline(
        &self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
        (early_stops, load_controls, grading): (&[EarlyStop], &[LoadControl], Option<&GradingThread>),
    ) -> Result<RecordPipeline, RunError> {
        let output = &self.config.output;
        let secrets = secrets_of(&self.config);
        let source = RawSource {
            endpoint: Arc::clone(&self.endpoint),
            headers: Arc::clone(&self.headers),
            targets: self.targets.requests.clone().into(),
            secrets: secrets.clone(),
        };
        let records = if output.level >= ExportLevel::Records {
            Some(RecordWriter::create(&self.paths.records(), &self.contexts)?)
        } else {
            None
        };
        let raw = if output.level >= ExportLevel::Raw {
            Some((RawWriter::create(&self.paths.raw())?, source.clone()))
        } else {
            None
        };
        let table = if output.export_parquet {
            Some(RecordTable::create(&self.paths.records_parquet(), &self.contexts)?)
        } else {
            None
        };
        let outputs = if output.export_outputs {
            Some(OutputsFile::create(&self.paths.outputs(), self.profiling_context())?)
        } else {
            None
        };
        let token_source =
            if self.config.endpoint.server_token_count { TokenSource::Server } else { TokenSource::Client };
        let control = control.control();
        let mut profiled = 0..;
        let feeds_of = |index: usize, phase: &PhaseConfig| {
            let rules = early_stops.iter().filter(|_| phase.is_measured()).map(|watch| &watch.feed);
            let controls = load_controls.iter().filter(|control| control.phase == index).map(|control| &control.feed);
            rules.chain(controls).cloned().collect()
        };
        let phases = self.phases.iter().enumerate().map(|(index, phase)| RecordedPhase {
            name: Arc::clone(&phase.name),
            kind: phase.kind,
            is_measured: phase.is_measured(),
            profiling_index: if phase.kind == PhaseKind::Profiling { profiled.next() } else { None },
            threshold: FailureThreshold::of(phase, &control),
            feeds: feeds_of(index, phase),
        });
        Ok(RecordPipeline {
            observer: Observer {
                endpoint: Arc::clone(&self.endpoint),
                kind: self.config.endpoint.kind,
                wire: self.config.endpoint.wire,
                tokenizer: Arc::clone(&self.tokenizer),
                token_source,
                // The limit of a benchmark is not a length that answers are expected to have.
                sends_limit: self.config.endpoint.no_limit().is_none() && grading.is_none(),
                overflow_signs: OverflowSigns::new(&self.config.tuning.context_overflow_signs),
                warnings: ResponseWarnings::default(),
            },
            sessions: Arc::clone(&self.sessions),
            phases: phases.collect(),
            is_agentic: self.config.phases.profiling().pace.is_agentic(),
            anchor,
            secrets,
            records,
            raw,
            table,
            outputs,
            http_trace: output.export_http_trace.then_some(source),
            monitor: Arc::clone(monitor),
            context: self.profiling_context().clone(),
            retry_after: Mutex::default(),
            live: LiveOutput::new(&self.live, self.contexts.clone()),
            grading: grading.map(|grading| Arc::clone(&grading.queue)),
            tap: self.tap.clone().map(|tap| (tap, self.contexts.clone())),
        })
    }
}
