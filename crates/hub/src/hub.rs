//! The hub for one run: its environment, the limits of downloads, and their progress.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aiperf_clock::Mono;
use sha2::{Digest, Sha256};

use crate::cache::Repository;
use crate::client::HubClient;
use crate::identity::{FilePath, RepositoryId, RepositoryKind, Revision};
use crate::partial::hex;
use crate::{DownloadProgress, HubEnvironment, HubError};

/// Finds files in the cache and downloads those that are missing.
#[derive(Debug)]
pub struct Hub {
    pub(crate) environment: HubEnvironment,
    pub(crate) client: HubClient,
    pub(crate) progress: Arc<DownloadProgress>,
    limits: DownloadLimits,
    /// The time of the first network request.
    began: OnceLock<Mono>,
}

/// The limits of all downloads of a [`Hub`] together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadLimits {
    pub bytes: u64,
    pub time: Duration,
}

impl Default for DownloadLimits {
    /// Enough for any vocabulary; keeps a wrong endpoint from filling the disk.
    fn default() -> Self {
        Self { bytes: 512 << 20, time: Duration::from_secs(300) }
    }
}

impl Hub {
    pub fn new(environment: HubEnvironment) -> Self {
        let client = HubClient::new(&environment);
        let (progress, limits) = (Arc::default(), DownloadLimits::default());
        Self { environment, client, progress, limits, began: OnceLock::new() }
    }

    pub fn with_limits(self, limits: DownloadLimits) -> Self {
        Self { limits, ..self }
    }

    pub fn environment(&self) -> &HubEnvironment {
        &self.environment
    }

    pub fn progress(&self) -> Arc<DownloadProgress> {
        Arc::clone(&self.progress)
    }

    /// The time until the hub answers, whatever it says; or why it cannot be reached.
    pub fn reach(&self) -> Result<Duration, String> {
        let begin = Mono::now();
        self.client.reach(&self.environment.endpoint)?;
        Ok(Mono::now().since(begin).as_duration())
    }

    /// The path of a file, downloaded if it is not in the cache. The hub is not asked whether a branch has moved, so that a
    /// benchmark can be repeated.
    pub fn file(&self, id: &RepositoryId, revision: &Revision, file: &FilePath) -> Result<PathBuf, HubError> {
        if let Some(found) = Repository::new(&self.environment.cache, id).find(revision, file) {
            return Ok(found);
        }
        self.check_online(id, revision, Some(file))?;
        self.check_time(&described(id, revision, Some(file)))?;
        self.download(id, revision, file)
    }

    /// The commit of a revision of which files are in the cache.
    pub fn cached_commit(&self, id: &RepositoryId, revision: &Revision) -> Option<String> {
        Repository::new(&self.environment.cache, id).commit(revision)
    }

    /// A file from any URL, stored next to the cache.
    pub fn url(&self, url: &str) -> Result<PathBuf, HubError> {
        let name = url.rsplit('/').next().unwrap_or_default();
        let hash = hex(&Sha256::digest(url)[..8]);
        let folder = self.environment.home.join("aiperf").join(hash);
        let path = folder.join(if crate::identity::is_safe_part(name) { name } else { "file" });
        if path.is_file() {
            return Ok(path);
        }
        if self.environment.offline {
            let advice = "run once online".to_owned();
            return Err(HubError::Offline { what: url.to_owned(), cache: folder, advice });
        }
        std::fs::create_dir_all(&folder).map_err(|error| self.cache_error(&error))?;
        self.check_time(url)?;
        self.download_url(url, &path)
    }

    pub(crate) fn check_online(
        &self,
        id: &RepositoryId,
        revision: &Revision,
        file: Option<&FilePath>,
    ) -> Result<(), HubError> {
        if !self.environment.offline {
            return Ok(());
        }
        let kind = match id.kind() {
            RepositoryKind::Model => "",
            RepositoryKind::Dataset => " --repo-type dataset",
        };
        Err(HubError::Offline {
            what: described(id, revision, file),
            cache: self.environment.cache.clone(),
            advice: format!("run once online, or fetch it with `hf download{kind} --revision {revision} {id}`"),
        })
    }

    pub(crate) fn check_time(&self, what: &str) -> Result<(), HubError> {
        let began = self.began.get_or_init(Mono::now);
        if Mono::now().since(*began).as_duration() > self.limits.time {
            return Err(HubError::TooSlow { what: what.to_owned(), seconds: self.limits.time.as_secs() });
        }
        Ok(())
    }

    /// Checks that this many more bytes are within the limit.
    pub(crate) fn check_size(&self, what: &str, more: u64) -> Result<(), HubError> {
        let needed = self.progress.received().saturating_add(more);
        if needed > self.limits.bytes {
            let (needed, limit) = (size(needed), size(self.limits.bytes));
            return Err(HubError::TooLarge { what: what.to_owned(), needed, limit });
        }
        Ok(())
    }

    pub(crate) fn download_error(&self, what: &str, url: &str, reason: String) -> HubError {
        let (what, url) = (what.to_owned(), url.to_owned());
        HubError::Download { what, cache: self.environment.cache.clone(), url, reason }
    }

    pub(crate) fn cache_error(&self, error: &std::io::Error) -> HubError {
        HubError::Cache { path: self.environment.cache.clone(), reason: error.to_string() }
    }
}

/// A description such as `org/name (revision main), file data/x.parquet`.
pub(crate) fn described(id: &RepositoryId, revision: &Revision, file: Option<&FilePath>) -> String {
    let file = file.map(|file| format!(", file {file}")).unwrap_or_default();
    format!("{id} (revision {revision}){file}")
}

fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}
