//! The runs below a folder, each with its summary and its place among the others.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::collection::run_folders;
use crate::origin::RunOrigin;
use crate::{ArtifactError, Folder};

/// One run below a folder.
#[derive(Debug)]
pub struct FoundRun {
    pub dir: PathBuf,
    /// The summary that it left; `None` if it was killed or failed.
    pub summary: Option<Value>,
    /// The values of the swept parameters by their paths in the configuration; empty for a run that is not part of a sweep.
    pub values: Map<String, Value>,
    /// The place of its configuration in the sweep.
    pub variation: usize,
}

/// All runs in a folder and below, without those that an earlier command left there.
pub fn find_runs(root: &Path) -> Result<Vec<FoundRun>, ArtifactError> {
    let mut runs = Vec::new();
    for dir in run_folders(root)? {
        let origin = RunOrigin::find(&Folder::open(&dir)?);
        let place = origin.place();
        let (values, variation) = place.map_or_else(Default::default, |it| (it.variation.values, it.variation.index));
        runs.push(FoundRun { dir, summary: origin.summary, values, variation });
    }
    Ok(runs)
}
