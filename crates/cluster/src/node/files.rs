//! Files and secrets that a node gets from the coordinator.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Assignment, NodeAgent};
use crate::ClusterError;
use crate::coordinator::hash_of;
use crate::message::{RunSecrets, decode};
use crate::names::{FILES, secrets};

const PATIENCE: Duration = Duration::from_secs(5);

impl NodeAgent {
    /// Fetches the files of a run; returns the place of each, by the value of its option. A file that is there with the right
    /// content is not fetched again.
    pub fn fetch_files(&self, assignment: &Assignment) -> Result<BTreeMap<String, PathBuf>, ClusterError> {
        let cache = self.settings.spool.join("files");
        fs::create_dir_all(&cache).map_err(ClusterError::file(&cache))?;
        let mut places = BTreeMap::new();
        for file in &assignment.spec.files {
            if !file.hash.bytes().all(|byte| byte.is_ascii_hexdigit()) || !is_inside(&file.within) {
                return Err(ClusterError::WrongHash { name: file.named.clone() });
            }
            let name = Path::new(&file.named).file_name().map_or_else(|| "file".into(), ToOwned::to_owned);
            let (root, path) = if file.within.is_empty() {
                // The name stays: the format of some files is told by its end.
                let path = cache.join(&file.hash).join(name);
                (path.clone(), path)
            } else {
                let root = cache.join(&assignment.spec.run).join(name);
                (root.clone(), root.join(&file.within))
            };
            if !path.exists() || hash_of(&path)? != file.hash {
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(ClusterError::file(parent))?;
                }
                let part = path.with_extension(format!("part-{}", self.card.id));
                self.bus.fetch_file(FILES, &file.hash, &part)?;
                if hash_of(&part)? != file.hash {
                    return Err(ClusterError::WrongHash { name: file.named.clone() });
                }
                fs::rename(&part, &path).map_err(ClusterError::file(&path))?;
            }
            places.insert(file.named.clone(), root);
        }
        Ok(places)
    }

    /// Secrets are not stored on the bus: the coordinator answers for them.
    pub fn secrets(&self, assignment: &Assignment) -> Result<RunSecrets, ClusterError> {
        if assignment.spec.secrets.is_empty() {
            return Ok(RunSecrets::default());
        }
        let subject = secrets(&assignment.spec.run);
        let answer = self.bus.request(&subject, Vec::new(), PATIENCE)?;
        decode(&subject, &answer)
    }
}

/// Whether a path stays in its folder.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}
