//! A folder in the layout of MLflow's file store: `EXPERIMENT/RUN` with `meta.yaml`, and a file for each metric, parameter and tag.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use aiperf_seed::Stream;
use serde_json::json;

use super::{MetricValue, NewRun, RunStatus, StoredRun, TextPair};
use crate::error::MlflowError;

#[derive(Debug)]
pub(crate) struct FolderStore {
    root: PathBuf,
}

impl FolderStore {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(super) fn create_run(&self, run: &NewRun) -> Result<StoredRun, MlflowError> {
        let experiment = self.experiment(&run.experiment, run.start_ms)?;
        let id = Stream::from_entropy().uuid().simple().to_string();
        let folder = self.root.join(&experiment).join(&id);
        for part in ["artifacts", "metrics", "params", "tags"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(MlflowError::file(&part))?;
        }
        let artifact_uri = format!("file://{}", folder.join("artifacts").display());
        let mut meta = String::new();
        for (key, value) in [
            ("artifact_uri", json!(artifact_uri)),
            ("end_time", json!(null)),
            ("entry_point_name", json!("")),
            ("experiment_id", json!(experiment)),
            ("lifecycle_stage", json!("active")),
            ("run_id", json!(id)),
            ("run_name", json!(run.name)),
            ("run_uuid", json!(id)),
            ("source_name", json!("")),
            ("source_type", json!(4)),
            ("source_version", json!("")),
            ("start_time", json!(run.start_ms)),
            ("status", json!(1)),
            ("tags", json!([])),
            ("user_id", json!(run.user)),
        ] {
            let _ = writeln!(meta, "{key}: {value}");
        }
        write(&folder.join("meta.yaml"), &meta)?;
        let stored = StoredRun { id, name: run.name.clone(), artifact_uri };
        self.log(&stored.id, &[], &[], &run.tags)?;
        Ok(stored)
    }

    pub(super) fn run(&self, id: &str) -> Result<StoredRun, MlflowError> {
        let folder = self.folder(id)?;
        let meta = folder.join("meta.yaml");
        let text = fs::read_to_string(&meta).map_err(MlflowError::file(&meta))?;
        Ok(StoredRun {
            id: id.to_owned(),
            name: field(&text, "run_name").unwrap_or_default(),
            artifact_uri: format!("file://{}", folder.join("artifacts").display()),
        })
    }

    pub(super) fn log(
        &self,
        run_id: &str,
        metrics: &[MetricValue],
        params: &[TextPair],
        tags: &[TextPair],
    ) -> Result<(), MlflowError> {
        let folder = self.folder(run_id)?;
        for metric in metrics {
            let path = value_file(&folder.join("metrics"), &metric.key)?;
            let mut file =
                OpenOptions::new().create(true).append(true).open(&path).map_err(MlflowError::file(&path))?;
            writeln!(file, "{} {} {}", metric.at_ms, metric.value, metric.step).map_err(MlflowError::file(&path))?;
        }
        for (kind, pairs) in [("params", params), ("tags", tags)] {
            for (key, value) in pairs {
                write(&value_file(&folder.join(kind), key)?, value)?;
            }
        }
        Ok(())
    }

    pub(super) fn end_run(&self, run_id: &str, status: RunStatus, end_ms: i64) -> Result<(), MlflowError> {
        let meta = self.folder(run_id)?.join("meta.yaml");
        let text = fs::read_to_string(&meta).map_err(MlflowError::file(&meta))?;
        let number = match status {
            RunStatus::Finished => 3,
            RunStatus::Failed => 4,
            RunStatus::Killed => 5,
        };
        let lines = text.lines().map(|line| match line.split_once(':') {
            Some(("end_time", _)) => format!("end_time: {end_ms}\n"),
            Some(("status", _)) => format!("status: {number}\n"),
            _ => format!("{line}\n"),
        });
        write(&meta, &lines.collect::<String>())
    }

    /// The folder of an experiment with this name, which is created if there is none.
    fn experiment(&self, name: &str, now_ms: i64) -> Result<String, MlflowError> {
        fs::create_dir_all(&self.root).map_err(MlflowError::file(&self.root))?;
        for (id, folder) in self.folders()? {
            let Ok(text) = fs::read_to_string(folder.join("meta.yaml")) else { continue };
            if field(&text, "name").as_deref() == Some(name) {
                return Ok(id);
            }
        }
        // MLflow names folders with a number of 18 digits.
        let number = Stream::from_entropy().next_u64() % 900_000_000_000_000_000 + 100_000_000_000_000_000;
        let id = number.to_string();
        let folder = self.root.join(&id);
        fs::create_dir_all(&folder).map_err(MlflowError::file(&folder))?;
        let mut meta = String::new();
        for (key, value) in [
            ("artifact_location", json!(format!("file://{}", folder.display()))),
            ("creation_time", json!(now_ms)),
            ("experiment_id", json!(id)),
            ("last_update_time", json!(now_ms)),
            ("lifecycle_stage", json!("active")),
            ("name", json!(name)),
        ] {
            let _ = writeln!(meta, "{key}: {value}");
        }
        write(&folder.join("meta.yaml"), &meta)?;
        Ok(id)
    }

    fn folder(&self, run_id: &str) -> Result<PathBuf, MlflowError> {
        let found = self.folders()?.into_iter().map(|(_, folder)| folder.join(run_id)).find(|folder| folder.is_dir());
        found.ok_or_else(|| MlflowError::File {
            path: self.root.join("*").join(run_id),
            cause: std::io::ErrorKind::NotFound.into(),
        })
    }

    /// The experiments: folders whose names are numbers.
    fn folders(&self) -> Result<Vec<(String, PathBuf)>, MlflowError> {
        let entries = fs::read_dir(&self.root).map_err(MlflowError::file(&self.root))?;
        let named = entries.filter_map(Result::ok).filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            name.bytes().all(|byte| byte.is_ascii_digit()).then(|| (name, entry.path()))
        });
        Ok(named.collect())
    }
}

/// A value of a `meta.yaml`: one line each, in quotes or not.
fn field(text: &str, name: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.trim();
    if value.starts_with('"') {
        return serde_json::from_str(value).ok();
    }
    let single = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
    Some(single.map_or_else(|| value.to_owned(), |value| value.replace("''", "'")))
}

/// The file of a metric, parameter or tag. A `/` in its name is a folder; names that lead out of the run are not followed.
fn value_file(folder: &Path, key: &str) -> Result<PathBuf, MlflowError> {
    let is_safe = !key.is_empty() && key.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    let path = folder.join(if is_safe { key } else { "_" });
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(MlflowError::file(parent))?;
    }
    Ok(path)
}

fn write(path: &Path, text: &str) -> Result<(), MlflowError> {
    fs::write(path, text).map_err(MlflowError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_run(name: &str) -> NewRun {
        NewRun {
            experiment: "it's \"mine\"".into(),
            name: name.into(),
            tags: vec![("a".into(), "b".into())],
            user: "me".into(),
            start_ms: 5,
        }
    }

    #[test]
    fn a_run_is_found_again_and_experiments_are_shared() {
        let root = tempfile::tempdir().unwrap();
        let store = FolderStore::new(root.path());
        let (first, second) = (store.create_run(&new_run("one")).unwrap(), store.create_run(&new_run("two")).unwrap());
        assert_eq!(store.folders().unwrap().len(), 1);
        assert_eq!(store.run(&second.id).unwrap().name, "two");
        let metric = MetricValue { key: "x.p50".into(), value: 1.5, at_ms: 7, step: 0 };
        store.log(&first.id, &[metric.clone(), metric], &[("p".into(), "1".into())], &[]).unwrap();
        store.end_run(&first.id, RunStatus::Finished, 9).unwrap();
        let folder = store.folder(&first.id).unwrap();
        assert_eq!(fs::read_to_string(folder.join("metrics/x.p50")).unwrap(), "7 1.5 0\n7 1.5 0\n");
        assert_eq!(fs::read_to_string(folder.join("tags/a")).unwrap(), "b");
        let meta = fs::read_to_string(folder.join("meta.yaml")).unwrap();
        assert!(meta.contains("end_time: 9\n") && meta.contains("status: 3\n"), "{meta}");
    }

    #[test]
    fn values_of_other_writers_are_read() {
        assert_eq!(field("name: aiperf\n", "name").as_deref(), Some("aiperf"));
        assert_eq!(field("name: 'it''s'\n", "name").as_deref(), Some("it's"));
        assert_eq!(field("run_name: x\nname: y\n", "name").as_deref(), Some("y"));
    }
}
