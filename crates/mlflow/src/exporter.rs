//! The thread that stores a run in MLflow: it creates the MLflow run when the benchmark has an id, logs live metrics, and stores
//! everything else at the end, within a time limit.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::MlflowConfig;
use aiperf_live::{LiveRun, View};
use serde_json::Value;

use crate::artifacts::{self, SelectedFile};
use crate::contents;
use crate::error::MlflowError;
use crate::export_file::{EXPORT_FILE, MlflowExport};
use crate::live_metrics::live_metrics;
use crate::store::{MetricValue, NewRun, RunStatus, StoredRun, TextPair, TrackingStore};

/// Pause between two rows of live metrics.
const LIVE_INTERVAL: Duration = Duration::from_secs(2);

/// Stores one run.
#[derive(Debug)]
pub struct MlflowExporter {
    finished: Sender<FinishedRun>,
    results: Receiver<Result<MlflowExport, MlflowError>>,
    limit: Duration,
}

/// A run whose files are written.
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// The summary document.
    pub summary: Value,
    pub benchmark_id: String,
    pub was_cancelled: bool,
    pub has_failed: bool,
}

impl MlflowExporter {
    /// Call it before the run starts. `folder` is that of its artifacts, `user` who runs it.
    pub fn start(
        config: &MlflowConfig,
        version: &str,
        user: &str,
        folder: &Path,
        limit: Duration,
        live: &Arc<LiveRun>,
    ) -> io::Result<Self> {
        let (finished, commands) = mpsc::channel();
        let (answers, results) = mpsc::channel();
        let work = StoreLoop {
            store: TrackingStore::open(&config.tracking),
            config: config.clone(),
            version: version.to_owned(),
            user: user.to_owned(),
            folder: folder.to_owned(),
            _view: live.attach()?,
            live: Arc::clone(live),
            anchor: WallAnchor::take(),
            run: None,
            stream_started_at_ns: None,
            last_seen: 0,
            has_warned: false,
            limit,
        };
        thread::Builder::new().name("mlflow".into()).spawn(move || work.run(&commands, &answers))?;
        Ok(Self { finished, results, limit })
    }

    /// Stores the results. Waits no longer than the time limit; what is not done then is given up.
    pub fn finish(self, run: FinishedRun) -> Result<MlflowExport, MlflowError> {
        let over = MlflowError::TimeOver { seconds: self.limit.as_secs_f64() };
        if self.finished.send(run).is_err() {
            return Err(over);
        }
        self.results.recv_timeout(self.limit).unwrap_or(Err(over))
    }
}

struct StoreLoop {
    store: TrackingStore,
    config: MlflowConfig,
    version: String,
    user: String,
    folder: PathBuf,
    live: Arc<LiveRun>,
    _view: View,
    anchor: WallAnchor,
    /// The run that live metrics go to.
    run: Option<StoredRun>,
    stream_started_at_ns: Option<u64>,
    last_seen: u64,
    has_warned: bool,
    /// For storing a finished run.
    limit: Duration,
}

impl StoreLoop {
    fn run(mut self, commands: &Receiver<FinishedRun>, answers: &Sender<Result<MlflowExport, MlflowError>>) {
        loop {
            match commands.recv_timeout(LIVE_INTERVAL) {
                Ok(finished) => {
                    let _ = answers.send(self.store_all(&finished));
                    return;
                }
                Err(RecvTimeoutError::Timeout) => self.stream(),
                // The benchmark ended without a result.
                Err(RecvTimeoutError::Disconnected) => {
                    if let Some(run) = &self.run {
                        let _ = self.store.end_run(run, RunStatus::Failed, self.now_ms());
                    }
                    return;
                }
            }
        }
    }

    /// Logs one row of live metrics.
    fn stream(&mut self) {
        let snapshot = self.live.snapshot();
        if snapshot.benchmark_id.is_empty() || snapshot.seq == self.last_seen {
            return;
        }
        self.last_seen = snapshot.seq;
        let metrics = live_metrics(&snapshot);
        if metrics.is_empty() {
            return;
        }
        if let Err(error) = self.stream_row(&snapshot.benchmark_id, &metrics)
            && !self.has_warned
        {
            log::warn!(
                "Cannot store live metrics in MLflow: {error}. The run goes on; its results are stored at the end."
            );
            self.has_warned = true;
        }
    }

    fn stream_row(&mut self, benchmark_id: &str, metrics: &[MetricValue]) -> Result<(), MlflowError> {
        let run = if let Some(run) = &self.run {
            run.clone()
        } else {
            let run = self.create(benchmark_id)?;
            self.run = Some(run.clone());
            self.stream_started_at_ns = Some(self.now_ns());
            // Whoever looks for the run of a benchmark that was killed finds it here.
            self.export(&run, benchmark_id).write(&self.folder)?;
            run
        };
        self.store.log(&run, metrics, &[], &[])
    }

    fn create(&self, benchmark_id: &str) -> Result<StoredRun, MlflowError> {
        let start: String = benchmark_id.chars().take(8).collect();
        let name = self.config.run_name.clone().unwrap_or_else(|| format!("aiperf-{start}"));
        let mut tags: Vec<TextPair> = [
            ("mlflow.source.name", "aiperf"),
            ("mlflow.source.type", "LOCAL"),
            ("mlflow.user", self.user.as_str()),
            ("mlflow.runName", name.as_str()),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
        tags.extend(self.config.parent_run_id.clone().map(|parent| ("mlflow.parentRunId".to_owned(), parent)));
        tags.extend(self.tags(benchmark_id));
        self.store.create_run(&NewRun {
            experiment: self.config.experiment().to_owned(),
            name,
            tags,
            user: self.user.clone(),
            start_ms: self.now_ms(),
        })
    }

    /// Tags that describe the benchmark; those of the user go before ours.
    fn tags(&self, benchmark_id: &str) -> Vec<TextPair> {
        let mut tags = vec![
            ("benchmark_id".to_owned(), benchmark_id.to_owned()),
            ("aiperf.version".to_owned(), self.version.clone()),
        ];
        tags.retain(|(name, _)| self.config.tags.iter().all(|(given, _)| given != name));
        tags.extend(self.config.tags.iter().cloned());
        tags
    }

    fn store_all(&mut self, finished: &FinishedRun) -> Result<MlflowExport, MlflowError> {
        self.store.set_deadline(Mono::now() + self.limit.into());
        let reused = self.run.is_some();
        let run = match self.run.take() {
            Some(run) => run,
            None => self.create(&finished.benchmark_id)?,
        };
        let metrics = contents::final_metrics(&finished.summary, self.now_ms());
        let params = contents::params(&finished.summary);
        let mut tags = self.tags(&finished.benchmark_id);
        tags.push(("aiperf.was_cancelled".to_owned(), finished.was_cancelled.to_string()));
        self.store.log(&run, &metrics, &params, &tags)?;
        let mut export = self.export(&run, &finished.benchmark_id);
        export.reused_live_run = reused;
        export.metric_keys = metrics.into_iter().map(|metric| metric.key).collect();
        export.param_keys = params.into_iter().map(|(key, _)| key).collect();
        export.tag_keys = tags.into_iter().map(|(key, _)| key).collect();
        for keys in [&mut export.metric_keys, &mut export.param_keys, &mut export.tag_keys] {
            keys.sort();
        }
        export.exported_at_ns = Some(self.now_ns());
        let uploaded = self.upload(&run, &mut export);
        let status = match (finished.was_cancelled, finished.has_failed) {
            (true, _) => RunStatus::Killed,
            (false, true) => RunStatus::Failed,
            (false, false) => RunStatus::Finished,
        };
        let ended = self.store.end_run(&run, status, self.now_ms());
        uploaded.and(ended).map(|()| export)
    }

    /// Uploads the selected files. The record of the export is written first, so that it is among them.
    fn upload(&self, run: &StoredRun, export: &mut MlflowExport) -> Result<(), MlflowError> {
        let mut files = artifacts::select(&self.folder, &self.config.artifact_globs)?;
        files.retain(|file| file.name != EXPORT_FILE);
        let mut outcome = Ok(());
        for file in &files {
            match self.store.upload(run, &file.place(), &file.path) {
                Ok(()) => export.uploaded_artifacts.push(file.name.clone()),
                // One file that fails does not keep the others back.
                Err(error) if outcome.is_ok() => outcome = Err(error),
                Err(_) => {}
            }
        }
        export.uploaded_artifacts.push(EXPORT_FILE.to_owned());
        export.write(&self.folder)?;
        let record = SelectedFile { path: self.folder.join(EXPORT_FILE), name: EXPORT_FILE.to_owned() };
        if let Err(error) = self.store.upload(run, &record.place(), &record.path) {
            export.uploaded_artifacts.pop();
            export.write(&self.folder)?;
            outcome = outcome.and(Err(error));
        }
        outcome
    }

    fn export(&self, run: &StoredRun, benchmark_id: &str) -> MlflowExport {
        MlflowExport {
            tracking_uri: self.config.tracking.shown(),
            experiment: self.config.experiment().to_owned(),
            run_id: run.id.clone(),
            run_name: run.name.clone(),
            benchmark_id: benchmark_id.to_owned(),
            parent_run_id: self.config.parent_run_id.clone(),
            live_streaming: true,
            stream_started_at_ns: self.stream_started_at_ns,
            ..MlflowExport::default()
        }
    }

    fn now_ns(&self) -> u64 {
        self.anchor.epoch(Mono::now()).0
    }

    fn now_ms(&self) -> i64 {
        (self.now_ns() / 1_000_000) as i64
    }
}
