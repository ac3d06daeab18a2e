//! Exporters: a program gets all records of a run, and then its summary. A `data_exporter` gets them after the files of the run were
//! written; a `stream_exporter` gets each record soon after it was written.
//!
//! Records are read from the file that the run writes, so that nothing waits for an exporter while requests are sent.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_config::ProcessCommand;
use serde_json::{Value, json};

use super::client::{PluginClient, expect};
use super::error::PluginError;

/// Pause between two looks at the file of a run that goes on.
const PAUSE: Duration = Duration::from_millis(200);

/// A run whose files are written.
#[derive(Debug, Clone)]
pub struct ExportedRun {
    pub summary: Value,
    pub artifact_dir: PathBuf,
}

/// The records that were sent so far.
#[derive(Debug)]
struct RecordFile {
    path: PathBuf,
    /// Bytes that were sent.
    offset: u64,
}

impl RecordFile {
    /// Sends the complete lines that were not sent yet. A file that is not there has none.
    fn forward(&mut self, client: &mut PluginClient) -> Result<(), PluginError> {
        let failed = |error: std::io::Error| PluginError::Files(format!("{}: {error}", self.path.display()));
        let Ok(mut file) = File::open(&self.path) else { return Ok(()) };
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let mut reader = BufReader::new(file);
        let mut record = Vec::new();
        while reader.read_until(b'\n', &mut record).map_err(failed)? > 0 && record.ends_with(b"\n") {
            let mut line = Vec::with_capacity(record.len() + 32);
            line.extend_from_slice(br#"{"type":"record","record":"#);
            line.extend_from_slice(record.trim_ascii_end());
            line.extend_from_slice(b"}\n");
            client.send_line(line)?;
            self.offset += record.len() as u64;
            record.clear();
        }
        Ok(())
    }
}

/// Passes a finished run to the program; returns what it says at the end. A program that is started again gets all records again.
pub fn export(
    category: &'static str,
    name: &str,
    command: &ProcessCommand,
    records: &Path,
    run: &ExportedRun,
) -> Result<Option<String>, PluginError> {
    let mut left = command.restarts;
    loop {
        let done = PluginClient::start(category, name, command).and_then(|mut client| {
            let mut file = RecordFile { path: records.to_owned(), offset: 0 };
            file.forward(&mut client)?;
            conclude(&mut client, run)
        });
        match done {
            Err(error) if error.is_worth_a_restart() && left > 0 => {
                left -= 1;
                log::info!("plugin {category}:{name}: {error}; starting it again");
            }
            done => return done,
        }
    }
}

fn conclude(client: &mut PluginClient, run: &ExportedRun) -> Result<Option<String>, PluginError> {
    let dir = std::path::absolute(&run.artifact_dir).unwrap_or_else(|_| run.artifact_dir.clone());
    client.send(&json!({"type": "run", "summary": run.summary, "artifact_dir": dir.display().to_string()}))?;
    let answer = client.receive().and_then(|answer| expect(answer, "done"))?;
    Ok(answer["message"].as_str().map(str::to_owned))
}

/// A program that gets records while the run goes on, from a thread of its own.
#[derive(Debug)]
pub struct StreamExporter {
    finished: Option<SyncSender<ExportedRun>>,
    thread: JoinHandle<Result<Option<String>, PluginError>>,
    label: String,
}

impl StreamExporter {
    pub fn start(name: &str, command: &ProcessCommand, records: &Path) -> std::io::Result<Self> {
        const CATEGORY: &str = "stream_exporter";
        let (finished, run) = sync_channel::<ExportedRun>(1);
        let (own_name, own_command, path) = (name.to_owned(), command.clone(), records.to_owned());
        let thread = thread::Builder::new().name("plugin-exporter".to_owned()).spawn(move || {
            let follow = || -> Result<Option<String>, PluginError> {
                let mut client = PluginClient::start(CATEGORY, &own_name, &own_command)?;
                let mut file = RecordFile { path: path.clone(), offset: 0 };
                loop {
                    let over = run.recv_timeout(PAUSE);
                    file.forward(&mut client)?;
                    match over {
                        Ok(run) => return conclude(&mut client, &run),
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    }
                }
            };
            match follow() {
                Err(error) if error.is_worth_a_restart() && own_command.restarts > 0 => {
                    // It gets the whole run when that is over.
                    log::info!("plugin {CATEGORY}:{own_name}: {error}; starting it again after the run");
                    let Ok(run) = run.recv() else { return Err(error) };
                    let command = ProcessCommand { restarts: own_command.restarts - 1, ..own_command };
                    export(CATEGORY, &own_name, &command, &path, &run)
                }
                result => result,
            }
        })?;
        Ok(Self { finished: Some(finished), thread, label: format!("{CATEGORY}:{name}") })
    }

    /// The plugin in messages.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Passes on the rest and the summary, and waits for the program.
    pub fn finish(mut self, run: ExportedRun) -> Result<Option<String>, PluginError> {
        if let Some(finished) = self.finished.take() {
            // If the thread is over, its error says why.
            let _ = finished.send(run);
        }
        self.thread.join().unwrap_or_else(|_| Err(PluginError::Files("its thread ended".to_owned())))
    }
}
