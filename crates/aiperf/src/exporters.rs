//! Starts and ends what passes a run on to other systems: OpenTelemetry, MLflow, Weights & Biases, plugins. Each run of a command has its
//! own. None of them fails a run.

use std::sync::Arc;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{Config, Environment, MlflowTracking, Target, WandbConfig};
use aiperf_experiment::RunResult;
use aiperf_live::{LiveRun, View};
use aiperf_mlflow::{FinishedRun, MlflowExporter};
use aiperf_otel::{DescribedRun, OtelExporter};
use aiperf_report::{ArtifactPaths, WrittenFile, summary_document};
use aiperf_wandb::{BenchmarkResult, write_offline_run};
use anyhow::Context;
use serde_json::Value;

use crate::build::VERSION;
use crate::plugin_processes::PluginProcesses;

/// The exporters of one run, from before it is prepared until its files are written.
#[derive(Debug)]
pub(crate) struct Exporters {
    /// Sends until the last request; its result is part of the summary.
    _otel: Option<OtelExporter>,
    mlflow: Option<(MlflowExporter, MlflowTracking)>,
    wandb: Option<WandbOutput>,
    plugins: PluginProcesses,
    dir: std::path::PathBuf,
}

#[derive(Debug)]
struct WandbOutput {
    config: WandbConfig,
    live: Arc<LiveRun>,
    /// Keeps the history of the run coming.
    _view: View,
    anchor: WallAnchor,
    began: Mono,
}

impl Exporters {
    pub(crate) fn start(config: &mut Config, environment: &Environment, live: &Arc<LiveRun>) -> anyhow::Result<Self> {
        let no_thread = "cannot start a thread for an exporter";
        let otel = match &config.otel {
            Some(otel) => OtelExporter::start(otel, config.tuning.otel, &described(config), live).context(no_thread)?,
            None => None,
        };
        let mlflow = match &config.mlflow {
            Some(mlflow) => {
                let limit = config.tuning.mlflow_timeout;
                let started =
                    MlflowExporter::start(mlflow, VERSION, &user(environment), &config.output.dir, limit, live);
                Some((started.context(no_thread)?, mlflow.tracking.clone()))
            }
            None => None,
        };
        let wandb = match &config.wandb {
            Some(wandb) => Some(WandbOutput {
                config: wandb.clone(),
                live: Arc::clone(live),
                _view: live.attach().context(no_thread)?,
                anchor: WallAnchor::take(),
                began: Mono::now(),
            }),
            None => None,
        };
        let records = ArtifactPaths::new(&config.output.dir, config.output.prefix.as_deref()).records();
        let plugins = PluginProcesses::start(config, environment, &records);
        Ok(Self { _otel: otel, mlflow, wandb, plugins, dir: config.output.dir.clone() })
    }

    /// The files of the run are written: stores them elsewhere, and adds what the user should know to the result.
    pub(crate) fn finish(self, result: &mut RunResult) {
        if self.mlflow.is_none() && self.wandb.is_none() && !self.plugins.want_results() {
            return;
        }
        let summary = summary_document(&result.report);
        let outcome = result.report.ending.outcome;
        let has_failed = !outcome.is_complete();
        if let Some((mlflow, tracking)) = self.mlflow {
            let stored = mlflow.finish(FinishedRun {
                summary: summary.clone(),
                benchmark_id: result.report.benchmark_id.clone(),
                was_cancelled: outcome.is_interrupted(),
                has_failed,
            });
            match stored {
                Ok(_) => {
                    let path = self.dir.join(aiperf_mlflow::EXPORT_FILE);
                    let label = "MLflow Tracking Export Metadata".to_owned();
                    result.files.written.push(WrittenFile { label, path });
                }
                Err(error) => log::warn!(
                    "The run is not stored completely in MLflow at {}: {error}. Its files are in {}.",
                    tracking.shown(),
                    self.dir.display()
                ),
            }
        }
        if let Some(wandb) = &self.wandb {
            wandb.write(&summary, result, &self.dir, has_failed);
        }
        self.plugins.finish(&summary);
    }
}

impl WandbOutput {
    fn write(&self, summary: &Value, result: &mut RunResult, dir: &std::path::Path, has_failed: bool) {
        let epoch = |at| self.anchor.epoch(at).0 as i64;
        let written = write_offline_run(
            &self.config,
            &BenchmarkResult {
                summary,
                history: &self.live.history(),
                artifact_dir: dir,
                benchmark_id: &result.report.benchmark_id,
                version: VERSION,
                host: &aiperf_socket::host_name(),
                cli_command: &result.report.cli_command,
                start_ns: epoch(self.began),
                end_ns: epoch(Mono::now()),
                has_failed,
            },
        );
        match written {
            Ok(run) => {
                let hint = "Weights & Biases: the run was written as an offline run. Upload it with:";
                let command = format!("wandb sync {}", run.folder.display());
                log::info!("{hint} {command}");
                result.report.remarks.push(format!("{hint}\n{command}"));
                let label = "W&B Offline Run".to_owned();
                result.files.written.push(WrittenFile { label, path: run.record_file });
            }
            Err(error) => log::warn!("The offline run of Weights & Biases was not written: {error}."),
        }
    }
}

fn described(config: &Config) -> DescribedRun {
    let server = match &config.endpoint.targets[..] {
        [Target::Url(address)] => {
            let origin = address.origin();
            Some((origin.host, origin.port))
        }
        _ => None,
    };
    DescribedRun {
        version: VERSION.to_owned(),
        endpoint: config.endpoint.kind,
        models: config.dataset.models.iter().map(ToString::to_string).collect(),
        server,
    }
}

fn user(environment: &Environment) -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| environment.variables.get(*name));
    named.cloned().unwrap_or_else(|| "unknown".to_owned())
}
