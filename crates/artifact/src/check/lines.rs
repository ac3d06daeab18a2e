//! The files with a line for each request.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::FolderCheck;
use crate::line::RecordLine;
use crate::lines::each_line;
use crate::schema::Shape;
use crate::{ArtifactError, Finding, Folder};

/// What the records say of who was sent.
#[derive(Debug, Default)]
pub(super) struct SeenRecords {
    pub(super) count: u64,
    pub(super) ids: HashSet<String>,
    pub(super) profiling_ids: HashSet<String>,
    pub(super) conversations: HashSet<String>,
    /// Lines of each phase, by its name.
    pub(super) phases: HashMap<String, u64>,
    /// Successes and failures, without those that the end of the run cut off, by the name of the phase.
    pub(super) outcomes: HashMap<String, (u64, u64)>,
    /// Successes that the results are about.
    pub(super) profiled: u64,
}

impl FolderCheck<'_> {
    pub(super) fn records(&mut self) -> Result<(), ArtifactError> {
        let path = self.folder.paths().records();
        let name = self.folder.name(&path);
        let mut seen = SeenRecords::default();
        let mut torn = None;
        let mut found = Vec::new();
        self.files += 1;
        each_line(&path, |number, line, whole| {
            let mut problem = |text: String| found.push(Finding::at(&name, number, text));
            let value: Value = match serde_json::from_slice(line) {
                Ok(value) => value,
                Err(error) => {
                    if whole {
                        problem(format!("no JSON: {error}"));
                    } else {
                        torn = Some(torn_line(&name, number, &error));
                    }
                    return true;
                }
            };
            if let Some(why) = self.shapes.problem(Shape::Record, &value) {
                problem(why);
            }
            match serde_json::from_value::<RecordLine>(value) {
                Ok(record) => seen.note(&record, &mut problem),
                Err(error) => problem(format!("cannot be read: {error}")),
            }
            true
        })?;
        self.find_some(&name, found);
        if let Some(torn) = torn {
            self.find_unless_killed(torn);
        }
        self.seen = Some(seen);
        Ok(())
    }

    /// The raw file has the same requests as the records.
    pub(super) fn raw(&mut self) -> Result<(), ArtifactError> {
        let path = self.folder.paths().raw();
        if !path.exists() {
            return Ok(());
        }
        let name = self.folder.name(&path);
        self.files += 1;
        let mut ids = HashSet::new();
        let mut found = Vec::new();
        let mut torn = None;
        each_line(&path, |number, line, whole| {
            let mut problem = |text: String| found.push(Finding::at(&name, number, text));
            match serde_json::from_slice::<Value>(line) {
                Ok(value) => {
                    if let Some(why) = self.shapes.problem(Shape::Raw, &value) {
                        problem(why);
                    }
                    ids.extend(value["metadata"]["x_request_id"].as_str().map(ToOwned::to_owned));
                }
                Err(error) if !whole => torn = Some(torn_line(&name, number, &error)),
                Err(error) => problem(format!("no JSON: {error}")),
            }
            true
        })?;
        self.find_some(&name, found);
        if let Some(torn) = torn {
            self.find_unless_killed(torn);
        }
        if let Some(seen) = &self.seen {
            let (missing, extra) = (seen.ids.difference(&ids).count(), ids.difference(&seen.ids).count());
            if missing > 0 || extra > 0 {
                let text =
                    format!("lacks {missing} of the requests in the records, and has {extra} that are not there");
                self.find_unless_killed(Finding::of(&name, text));
            }
        }
        Ok(())
    }

    /// Round trips that were measured during the run.
    pub(super) fn round_trips(&mut self) -> Result<(), ArtifactError> {
        self.shaped_lines(&self.folder.paths().network_latency(), Shape::RoundTrip)
    }

    /// Pages that were scraped during the run.
    pub(super) fn scraped_pages(&mut self) -> Result<(), ArtifactError> {
        self.shaped_lines(&self.folder.paths().server_metrics("jsonl"), Shape::ServerMetricsLine)
    }

    /// Decisions about a load that was raised while its phase ran.
    pub(super) fn adaptive_scale_events(&mut self) -> Result<(), ArtifactError> {
        let Some(manifest) = Folder::json(&self.folder.paths().adaptive_scale_manifest()) else { return Ok(()) };
        let phases = manifest["adaptive_phases"].as_array().into_iter().flatten();
        let files: Vec<PathBuf> =
            phases.filter_map(|phase| phase["events_path"].as_str()).map(|file| self.folder.dir().join(file)).collect();
        files.iter().try_for_each(|file| self.shaped_lines(file, Shape::AdaptiveScaleEvent))
    }

    /// Readings of GPUs, and the GPUs that the summary says were read.
    pub(super) fn gpu_readings(&mut self) -> Result<(), ArtifactError> {
        let path = self.folder.paths().gpu_telemetry();
        let has_gpus = self.summary.as_ref().is_some_and(|summary| {
            summary["telemetry_data"]["endpoints"].as_object().is_some_and(|endpoints| !endpoints.is_empty())
        });
        if has_gpus && !path.exists() {
            let name = self.folder.name(&path);
            self.find(&name, "missing");
        }
        self.shaped_lines(&path, Shape::GpuReading)
    }

    /// A file whose lines all have one shape, if it is there.
    pub(super) fn shaped_lines(&mut self, path: &Path, shape: Shape) -> Result<(), ArtifactError> {
        if !path.exists() {
            return Ok(());
        }
        let name = self.folder.name(path);
        self.files += 1;
        let mut found = Vec::new();
        each_line(path, |number, line, _| {
            let problem = match serde_json::from_slice::<Value>(line) {
                Ok(value) => self.shapes.problem(shape, &value),
                Err(error) => Some(format!("no JSON: {error}")),
            };
            found.extend(problem.map(|text| Finding::at(&name, number, text)));
            true
        })?;
        self.find_some(&name, found);
        Ok(())
    }
}

/// The end of a line that a process did not live to write.
fn torn_line(file: &str, number: usize, error: &serde_json::Error) -> Finding {
    Finding::at(file, number, format!("no JSON: {error} (the last line is not whole)"))
}

impl SeenRecords {
    fn note(&mut self, record: &RecordLine, problem: &mut dyn FnMut(String)) {
        self.count += 1;
        let metadata = &record.metadata;
        if metadata.request_end_ns < metadata.request_start_ns {
            problem("the request ended before it started".to_owned());
        }
        let phase = metadata.benchmark_phase.clone().unwrap_or_default();
        if let Some(id) = &metadata.x_request_id {
            if !self.ids.insert(id.clone()) {
                problem(format!("request {id} is recorded twice"));
            }
            if phase == "profiling" {
                self.profiling_ids.insert(id.clone());
            }
        }
        self.conversations.extend(metadata.conversation_id.clone());
        let name = metadata.phase_name.clone().unwrap_or_else(|| phase.clone());
        *self.phases.entry(name.clone()).or_default() += 1;
        let (successes, failures) = self.outcomes.entry(name).or_default();
        match &record.error {
            None => {
                *successes += 1;
                self.profiled += u64::from(phase == "profiling");
            }
            Some(error) if error.is_cut_off(metadata.was_cancelled) => {}
            Some(_) => *failures += 1,
        }
    }
}
