//! The process plugins of one run: collectors of server metrics, and exporters. None of them fails a run.

use std::path::{Path, PathBuf};

use aiperf_address::{Address, Scheme};
use aiperf_config::{Config, Environment, PluginProcess};
use aiperf_plugin::{CollectorServer, ExportedRun, PluginError, StreamExporter, export};
use serde_json::Value;

const AFTER_RUN: &str = "data_exporter";
const DURING_RUN: &str = "stream_exporter";
const COLLECTORS: &str = "server_metrics_collector";

/// The programs of one run, from before it is prepared until its files are written.
#[derive(Debug, Default)]
pub(crate) struct PluginProcesses {
    collectors: Vec<CollectorServer>,
    streams: Vec<StreamExporter>,
    exporters: Vec<PluginProcess>,
    dir: PathBuf,
    records: PathBuf,
}

impl PluginProcesses {
    /// Starts the programs, and adds the pages of the collectors to those that are scraped.
    pub(crate) fn start(config: &mut Config, environment: &Environment, records: &Path) -> Self {
        let extensions = &environment.extensions;
        let mut started = Self {
            exporters: extensions.processes_of(AFTER_RUN).cloned().collect(),
            dir: config.output.dir.clone(),
            records: records.to_owned(),
            ..Self::default()
        };
        if let Some(metrics) = &mut config.server_metrics {
            for collector in extensions.processes_of(COLLECTORS) {
                match CollectorServer::start(&collector.name, &collector.command) {
                    Ok(server) => {
                        metrics.urls.extend(Address::parse(&server.url(), Scheme::Http));
                        started.collectors.push(server);
                    }
                    Err(error) => warn(collector, &error, "The run goes on without its metrics"),
                }
            }
        }
        for stream in extensions.processes_of(DURING_RUN) {
            match StreamExporter::start(&stream.name, &stream.command, records) {
                Ok(exporter) => started.streams.push(exporter),
                Err(error) => log::warn!("plugin {DURING_RUN}:{}: {error}. The run goes on without it.", stream.name),
            }
        }
        started
    }

    /// Whether a program wants the results.
    pub(crate) fn want_results(&self) -> bool {
        !self.exporters.is_empty() || !self.streams.is_empty()
    }

    /// Passes the results on; the files of the run are written.
    pub(crate) fn finish(self, summary: &Value) {
        drop(self.collectors);
        let run = ExportedRun { summary: summary.clone(), artifact_dir: self.dir.clone() };
        let kept = format!("The results are in {}", self.dir.display());
        for stream in self.streams {
            let label = stream.label().to_owned();
            match stream.finish(run.clone()) {
                Ok(said) => tell(&label, said.as_deref()),
                Err(error) => log::warn!("plugin {label}: {error}. {kept}."),
            }
        }
        for exporter in &self.exporters {
            match export(AFTER_RUN, &exporter.name, &exporter.command, &self.records, &run) {
                Ok(said) => tell(&format!("{AFTER_RUN}:{}", exporter.name), said.as_deref()),
                Err(error) => warn(exporter, &error, &kept),
            }
        }
    }
}

fn warn(process: &PluginProcess, error: &PluginError, consequence: &str) {
    log::warn!("plugin {}:{}: {error}. {consequence}.", process.category, process.name);
}

fn tell(label: &str, said: Option<&str>) {
    log::info!("plugin {label}: {}", said.unwrap_or("done"));
}
