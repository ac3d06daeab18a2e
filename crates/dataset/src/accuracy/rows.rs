//! The rows of a benchmark's data set, from the hub or from a folder, and which files they came from.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use aiperf_accuracy::{AccuracyBenchmark, BenchmarkRow, DataSetPart, RowError, release_files};
use aiperf_config::{AccuracyData, AccuracySource};
use aiperf_hub::{FilePath, Hub, HubError, RepositoryId, Revision, local_data_files};
use sha2::{Digest, Sha256};

use super::QuestionOrigin;
use crate::public::each_row;

/// Loads parts of one data set.
pub(super) struct BenchmarkRows<'s> {
    source: &'s AccuracySource,
    hub: Option<&'s Hub>,
    commits: BTreeSet<String>,
    /// Of the files of a folder, in the order in which they were read.
    hash: Sha256,
    missing: Vec<String>,
}

impl<'s> BenchmarkRows<'s> {
    pub(super) fn new(source: &'s AccuracySource, hub: Option<&'s Hub>) -> Self {
        Self { source, hub, commits: BTreeSet::new(), hash: Sha256::new(), missing: Vec::new() }
    }

    /// The rows of a part; none if the data set has no such split.
    pub(super) fn load(&mut self, part: &DataSetPart) -> Result<Vec<BenchmarkRow>, RowError> {
        let files = match &self.source.data {
            AccuracyData::Folder(folder) => self.in_folder(folder, part)?,
            AccuracyData::Hub { revision } => self.on_hub(revision, part).map_err(|error| load_error(&error))?,
        };
        if files.is_empty() {
            let config = part.config.as_ref().map(|config| format!(" of {config}")).unwrap_or_default();
            self.missing.push(format!("{}{config}", part.split));
        }
        let mut rows = Vec::new();
        for file in files {
            let mut take = |row| {
                rows.push(row);
                Ok(ControlFlow::Continue(()))
            };
            each_row(&file, &mut take).map_err(|reason| RowError::Load(format!("{}: {reason}", file.display())))?;
        }
        Ok(rows)
    }

    /// Files that the benchmark names itself: releases of `LiveCodeBench`, and GPQA, whose files are CSV.
    fn named_files(&self, part: &DataSetPart) -> Option<Vec<String>> {
        match self.source.benchmark {
            AccuracyBenchmark::LcbCodeGeneration => release_files(part.config.as_deref().unwrap_or_default()),
            AccuracyBenchmark::GpqaDiamond => Some(vec!["gpqa_diamond.csv".to_owned()]),
            _ => None,
        }
    }

    fn in_folder(&mut self, folder: &Path, part: &DataSetPart) -> Result<Vec<PathBuf>, RowError> {
        if self.source.benchmark == AccuracyBenchmark::LcbCodeGeneration {
            return self.release_in_folder(folder, part);
        }
        let named = self.named_files(part).into_iter().flatten().map(|name| folder.join(name));
        let mut files: Vec<PathBuf> = named.filter(|path| path.is_file()).collect();
        if files.is_empty() {
            files = local_data_files(folder, part.config.as_deref(), part.split)
                .and_then(|files| {
                    // A folder of one configuration needs no folder for it.
                    if files.is_empty() { local_data_files(folder, None, part.split) } else { Ok(files) }
                })
                .map_err(|error| RowError::Load(format!("{}: {error}", folder.display())))?;
            if is_of_other_config(folder, part, &files) {
                files.clear();
            }
        }
        self.note(&files)?;
        Ok(files)
    }

    /// A release is complete, or it is another one.
    fn release_in_folder(&mut self, folder: &Path, part: &DataSetPart) -> Result<Vec<PathBuf>, RowError> {
        let files: Vec<PathBuf> = self.named_files(part).into_iter().flatten().map(|name| folder.join(name)).collect();
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            let release = part.config.as_deref().unwrap_or_default();
            let text = format!("there is no file {}, which the release {release} has", missing.display());
            return Err(RowError::Load(text));
        }
        self.note(&files)?;
        Ok(files)
    }

    /// Adds files to the hash of what was read.
    fn note(&mut self, files: &[PathBuf]) -> Result<(), RowError> {
        for file in files {
            let error = |error: io::Error| RowError::Load(format!("{}: {error}", file.display()));
            let mut hash = Sha256::new();
            let mut reader = BufReader::with_capacity(1 << 20, File::open(file).map_err(error)?);
            loop {
                let bytes = reader.fill_buf().map_err(error)?;
                if bytes.is_empty() {
                    break;
                }
                hash.update(bytes);
                let read = bytes.len();
                reader.consume(read);
            }
            self.hash.update(hash.finalize());
        }
        Ok(())
    }

    fn on_hub(&mut self, revision: &str, part: &DataSetPart) -> Result<Vec<PathBuf>, HubError> {
        let Some(hub) = self.hub else { return Ok(Vec::new()) };
        let id = RepositoryId::dataset(self.source.benchmark.facts().data_set)?;
        let revision = Revision::parse(revision)?;
        if let Some(names) = self.named_files(part) {
            let fetch = |name: &String| hub.file(&id, &revision, &FilePath::parse(name)?);
            let paths = names.iter().map(fetch).collect::<Result<Vec<_>, HubError>>()?;
            self.commits.extend(hub.cached_commit(&id, &revision));
            return Ok(paths);
        }
        let files = match hub.data_files(&id, &revision, part.config.as_deref(), part.split) {
            Err(HubError::NoSuchSplit { .. }) => return Ok(Vec::new()),
            files => files?,
        };
        self.commits.extend(files.iter().map(|file| file.commit().to_string()));
        files.iter().map(|file| hub.fetch(file)).collect()
    }

    pub(super) fn origin(self) -> QuestionOrigin {
        match &self.source.data {
            AccuracyData::Hub { .. } => QuestionOrigin::Hub {
                repository: self.source.benchmark.facts().data_set,
                commits: self.commits.into_iter().collect(),
            },
            AccuracyData::Folder(folder) => QuestionOrigin::Folder {
                path: folder.display().to_string(),
                sha256: self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat(),
            },
        }
    }

    pub(super) fn nothing_found(&self) -> String {
        let place = match &self.source.data {
            AccuracyData::Hub { .. } => self.source.benchmark.facts().data_set.to_owned(),
            AccuracyData::Folder(folder) => folder.display().to_string(),
        };
        if self.missing.is_empty() {
            format!("{place} has no rows")
        } else {
            format!(
                "{place} has no file with the rows of {}. Files are found by their names, such as CONFIGURATION/{}-00000-of-00001.parquet \
                 or CONFIGURATION/{}.jsonl",
                self.missing.join(", "),
                self.missing[0].split(' ').next().unwrap_or_default(),
                self.missing[0].split(' ').next().unwrap_or_default(),
            )
        }
    }
}

/// Whether files that were found without their configuration lie in folders of configurations: then they belong to others.
fn is_of_other_config(folder: &Path, part: &DataSetPart, files: &[PathBuf]) -> bool {
    let Some(config) = &part.config else { return false };
    files.iter().any(|file| {
        let below = file.strip_prefix(folder).unwrap_or(file);
        let mut parents = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        parents.pop();
        parents.iter().any(|name| name != "data") && !parents.iter().any(|name| name == config)
    })
}

fn load_error(error: &HubError) -> RowError {
    let advice = match error {
        HubError::TooLarge { .. } => "; raise AIPERF_DATASET_PUBLIC_DATASET_MAX_GB",
        HubError::TooSlow { .. } => "; raise AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT",
        HubError::Offline { .. } | HubError::Download { .. } => {
            "; or give a copy of the data set with --accuracy-data-dir"
        }
        _ => "",
    };
    RowError::Load(format!("{error}{advice}"))
}
