//! One run, from its configuration to its files.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use aiperf_clock::{Nanos, WallAnchor};
use aiperf_config::{Config, ExportLevel, IpVersion, Pace, PhaseConfig, PhaseKind};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{AffinityHeaders, BodyOptions, Endpoint, HeaderOptions, HeaderPlan};
use aiperf_engine::{ControlSource, EndReason, PhaseOutcome, Plan};
use aiperf_metrics::{MetricContext, PhaseWindow, Summary, Thresholds};
use aiperf_report::{
    ArtifactPaths, InputSession, LocalZone, Phase, PhaseReport, RawWriter, RecordWriter, RunReport, RunStatus,
    SummaryFiles, WrittenFile, write_inputs, write_summary_files,
};
use aiperf_seed::Seed;
use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};
use aiperf_transport::{ClientSettings, Reuse, TlsSettings, Verification};
use crossbeam_channel::bounded;
use uuid::Uuid;

use crate::error::RunError;
use crate::monitor::Monitor;
use crate::observe::{Observer, TokenSource};
use crate::prepared::{self, PreparedSession};
use crate::raw::RawSource;
use crate::records::{PhaseColumns, RecordDesk, RecordThreads};
use crate::target::Targets;
use crate::verdict::Verdict;

/// Finished requests that may wait for a record thread before workers hold theirs back.
const RECORD_QUEUE: usize = 16_384;

/// A run that is ready to start: everything that can be wrong with its input has been looked at.
#[derive(Debug)]
pub struct Run {
    config: Config,
    endpoint: &'static dyn Endpoint,
    context: MetricContext,
    seed: Seed,
    tokenizer: Arc<dyn Tokenizer>,
    dataset: Dataset,
    sessions: Arc<[PreparedSession]>,
    headers: Arc<HeaderPlan>,
    targets: Targets,
    client: ClientSettings,
    paths: ArtifactPaths,
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct RunResult {
    pub report: RunReport,
    pub files: SummaryFiles,
    pub verdict: Verdict,
}

impl Run {
    /// Opens the targets and makes the data. `version` is the program's own.
    pub fn prepare(config: Config, version: &str, hub: &HubEnvironment) -> Result<Self, RunError> {
        let kind = config.endpoint.kind;
        let endpoint = aiperf_endpoint::of(kind).ok_or(RunError::Endpoint(kind.facts().name))?;
        let context = metric_context(&config)?;
        let seed = config.random_seed.map_or_else(Seed::from_entropy, Seed::fixed);
        let request = TokenizerRequest {
            name: config.endpoint.tokenizer.clone().unwrap_or_else(|| config.dataset.models[0].to_string()),
            revision: config.endpoint.tokenizer_revision.clone(),
        };
        let tokenizer = aiperf_tokenizer::load(&request, hub)?;
        let dataset = aiperf_dataset::build(&config.dataset, seed, &*tokenizer)?;
        if dataset.inexact_texts > 0 {
            log::warn!("{} prompts could not be given the exact length asked for", dataset.inexact_texts);
        }
        let sessions = prepared::sessions(&dataset, endpoint, &body_options(&config))?;
        let headers = header_plan(&config, version)?;
        let targets = Targets::open(&config.endpoint)?;
        let client = client_settings(&config, &targets)?;
        let paths = ArtifactPaths::new(config.output.dir.clone(), config.output.prefix.as_deref());
        Ok(Self {
            endpoint,
            context,
            seed,
            tokenizer,
            dataset,
            sessions: sessions.into(),
            headers: Arc::new(headers),
            targets,
            client,
            paths,
            config,
        })
    }

    /// Runs all phases on the calling thread, then writes the summary files. Ends early, with what was measured, when
    /// `control` says so.
    pub fn execute(
        self,
        version: &str,
        control: &ControlSource,
        monitor: &Arc<Monitor>,
    ) -> Result<RunResult, RunError> {
        self.write_inputs()?;
        let anchor = WallAnchor::take();
        let phases: Vec<PhaseConfig> = self.config.warmup.iter().chain([&self.config.profiling]).cloned().collect();
        let kinds: Vec<PhaseKind> = phases.iter().map(|phase| phase.kind).collect();
        let (records, finished) = bounded(RECORD_QUEUE);
        let desk = Arc::new(self.record_desk(kinds.clone(), anchor, monitor)?);
        let threads = RecordThreads::start(self.record_threads(), &desk, &finished)?;
        drop(finished);
        let outcomes = aiperf_engine::run(self.plan(phases), control, records, &monitor.progress)?;
        let columns = threads.finish(kinds.len())?;
        let other_files = close_files(desk, &self.paths);
        Ok(self.conclude(version, &outcomes, &columns, &anchor, other_files))
    }

    fn write_inputs(&self) -> Result<(), RunError> {
        let sessions = self.sessions.iter().map(|session| InputSession {
            session_id: session.session_id.to_string(),
            payloads: session.turns.iter().filter_map(|turn| serde_json::from_slice(&turn.body).ok()).collect(),
        });
        Ok(write_inputs(&self.paths.inputs(), sessions)?)
    }

    fn record_desk(
        &self,
        phases: Vec<PhaseKind>,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
    ) -> Result<RecordDesk, RunError> {
        let output = &self.config.output;
        let source = RawSource { headers: Arc::clone(&self.headers), targets: self.targets.requests.clone().into() };
        let records = if output.level >= ExportLevel::Records {
            Some(RecordWriter::create(&self.paths.records(), &self.context)?)
        } else {
            None
        };
        let raw = if output.level >= ExportLevel::Raw {
            Some((RawWriter::create(&self.paths.raw())?, source.clone()))
        } else {
            None
        };
        let token_source =
            if self.config.endpoint.server_token_count { TokenSource::Server } else { TokenSource::Client };
        Ok(RecordDesk {
            observer: Observer {
                endpoint: self.endpoint,
                facts: self.config.endpoint.kind.facts(),
                tokenizer: Arc::clone(&self.tokenizer),
                token_source,
            },
            sessions: Arc::clone(&self.sessions),
            phases,
            anchor,
            records,
            raw,
            http_trace: output.export_http_trace.then_some(source),
            monitor: Arc::clone(monitor),
        })
    }

    fn plan(&self, phases: Vec<PhaseConfig>) -> Plan {
        let mut sampler = self.dataset.sampler(self.seed);
        Plan {
            workers: self.workers(&phases),
            phases,
            conversations: prepared::for_engine(&self.sessions).into(),
            next_conversation: Box::new(move || sampler.draw()),
            targets: self.targets.requests.clone().into(),
            headers: Arc::clone(&self.headers),
            request_timeout: self.config.endpoint.request_timeout.map(Nanos::from),
            reuse: Reuse::Pooled,
            client: self.client.clone(),
            seed: self.seed,
        }
    }

    /// Half the processors by default: the other half is for record threads, the conductor and, often, the server.
    fn workers(&self, phases: &[PhaseConfig]) -> usize {
        let most_in_flight = phases.iter().map(|phase| in_flight_limit(phase.pace)).max().unwrap_or(1);
        let wanted = self.config.workers_max.unwrap_or_else(|| (processors() / 2).clamp(1, 32));
        wanted.min(most_in_flight).max(1)
    }

    fn record_threads(&self) -> usize {
        self.config.record_processors.unwrap_or_else(|| (processors() / 4).clamp(1, 8))
    }

    fn conclude(
        self,
        version: &str,
        outcomes: &[PhaseOutcome],
        columns: &PhaseColumns,
        anchor: &WallAnchor,
        other_files: Vec<WrittenFile>,
    ) -> RunResult {
        let mut phases: Vec<PhaseReport> = Vec::new();
        for (index, (outcome, columns)) in outcomes.iter().zip(columns).enumerate() {
            let window = PhaseWindow { start: outcome.start, end: outcome.end };
            phases.push(PhaseReport {
                name: outcome.kind.name().to_owned(),
                kind: if outcome.kind == PhaseKind::Warmup { Phase::Warmup } else { Phase::Profiling },
                index: index as u32,
                profiling_index: (outcome.kind == PhaseKind::Profiling).then_some(0),
                was_cancelled: outcome.ended_by == EndReason::Interrupt,
                summary: Summary::compute(columns, &window, &self.context, anchor),
            });
            if outcome.arrivals_dropped > 0 {
                log::warn!(
                    "{} arrivals found the concurrency ceiling reached and were not sent; raise --concurrency to keep the rate",
                    outcome.arrivals_dropped
                );
            }
        }
        let interrupted = outcomes.iter().any(|outcome| outcome.ended_by == EndReason::Interrupt);
        let warmup = phases.iter().position(|phase| phase.kind == Phase::Warmup).map(|at| phases.remove(at));
        let profiling = phases.pop().unwrap_or_else(|| self.unstarted_profiling(&warmup, anchor));
        let verdict = Verdict::of(&profiling.summary, warmup.as_ref().map(|phase| &phase.summary), interrupted);
        let status = match &verdict {
            Verdict::Complete => RunStatus::Complete,
            Verdict::Cancelled => RunStatus::Cancelled,
            Verdict::NothingSucceeded(why) => RunStatus::Incomplete(why.clone()),
        };
        let report = RunReport {
            aiperf_version: version.to_owned(),
            benchmark_id: Uuid::new_v4().simple().to_string()[..12].to_owned(),
            metrics_title: self.config.endpoint.kind.facts().metrics_title,
            profiling,
            warmup,
            input_config: self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: self.config.command_line.clone(),
            status,
            telemetry_data: None,
            thresholds: self.context.thresholds,
            show_trace_timing: self.config.output.show_trace_timing,
            other_files,
            log_file: Some(self.paths.log()),
            zone: LocalZone::system(),
        };
        let files = write_summary_files(&report, &self.paths);
        RunResult { report, files, verdict }
    }

    /// The profiling phase of a run that was stopped in its warmup: nothing was sent.
    fn unstarted_profiling(&self, warmup: &Option<PhaseReport>, anchor: &WallAnchor) -> PhaseReport {
        let now = aiperf_clock::Mono::now();
        let window = PhaseWindow { start: now, end: now };
        PhaseReport {
            name: PhaseKind::Profiling.name().to_owned(),
            kind: Phase::Profiling,
            index: u32::from(warmup.is_some()),
            profiling_index: Some(0),
            was_cancelled: true,
            summary: Summary::compute(&aiperf_metrics::Columns::new(), &window, &self.context, anchor),
        }
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn in_flight_limit(pace: Pace) -> usize {
    match pace {
        Pace::Concurrency(limit) => limit,
        Pace::Rate { ceiling, .. } => ceiling.unwrap_or(usize::MAX),
    }
}

fn close_files(desk: Arc<RecordDesk>, paths: &ArtifactPaths) -> Vec<WrittenFile> {
    let mut written = Vec::new();
    // All record threads are joined, so this is the last owner and closing reports what the disk refused.
    if let Some(desk) = Arc::into_inner(desk) {
        if let Some(records) = desk.records {
            note_losses("records", records.finish().lost);
            written.push(WrittenFile { label: "Records Export".into(), path: paths.records() });
        }
        if let Some((raw, _)) = desk.raw {
            note_losses("raw records", raw.finish().lost);
            written.push(WrittenFile { label: "Raw Records".into(), path: paths.raw() });
        }
    }
    written
}

fn note_losses(what: &str, lost: u64) {
    if lost > 0 {
        log::error!("{lost} {what} could not be written");
    }
}

fn metric_context(config: &Config) -> Result<MetricContext, RunError> {
    let tuning = &config.tuning;
    let mut context = MetricContext::new(config.endpoint.kind, config.endpoint.streaming);
    context.server_token_count = config.endpoint.server_token_count;
    context.per_chunk_usage = config.endpoint.per_chunk_usage;
    context.thresholds = Thresholds {
        usage_diff_pct: tuning.usage_diff_percent,
        osl_mismatch_pct: tuning.osl_mismatch_percent,
        osl_mismatch_max_tokens: tuning.osl_mismatch_max_tokens as f64,
    };
    context.show_internal = tuning.show_internal_metrics;
    context.show_experimental = tuning.show_experimental_metrics;
    for (tag, limit) in &config.output.goodput {
        let slo = context.slo(tag, *limit)?;
        context.slos.push(slo);
    }
    Ok(context)
}

fn body_options(config: &Config) -> BodyOptions {
    let endpoint = &config.endpoint;
    BodyOptions {
        streaming: endpoint.streaming,
        legacy_max_tokens: endpoint.legacy_max_tokens,
        extra_inputs: endpoint.extra_inputs.clone(),
        per_chunk_usage: endpoint.per_chunk_usage,
        force_content_parts: config.tuning.force_content_parts,
    }
}

fn header_plan(config: &Config, version: &str) -> Result<HeaderPlan, RunError> {
    let endpoint = &config.endpoint;
    let copies = config.tuning.session_copies;
    Ok(HeaderPlan::new(&HeaderOptions {
        version,
        user: &endpoint.headers,
        api_key: endpoint.api_key.as_ref().map(|key| key.0.as_str()),
        streaming: endpoint.streaming,
        session_header: endpoint.session_header.as_deref(),
        affinity: AffinityHeaders {
            session_affinity: copies.session_affinity,
            session_id: copies.session_id,
            smg_routing_key: copies.smg_routing_key,
            dynamo_session_id: copies.dynamo_session_id,
        },
    })?)
}

fn client_settings(config: &Config, targets: &Targets) -> Result<ClientSettings, RunError> {
    let tuning = &config.tuning;
    let verification = if tuning.ssl_verify { Verification::Full } else { Verification::Off };
    Ok(ClientSettings {
        tls: if targets.need_tls() { Some(TlsSettings::new(verification)?) } else { None },
        ip_version: match tuning.ip_version {
            IpVersion::V4 => aiperf_transport::IpVersion::V4,
            IpVersion::V6 => aiperf_transport::IpVersion::V6,
            IpVersion::Auto => aiperf_transport::IpVersion::Any,
        },
        connection_limit: tuning.connection_limit,
        keepalive: tuning.keepalive_timeout.into(),
    })
}
