//! Lists the files of a revision of a repository.

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::HubError;
use crate::cache::Repository;
use crate::client::RequestFailure;
use crate::hub::{Hub, described};
use crate::identity::{FilePath, RepositoryId, Revision, is_safe_part};

/// The largest file list; it has some hundred bytes per file.
const MOST_LIST_BYTES: u64 = 256 << 20;

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFile {
    pub path: FilePath,
    pub size: Option<u64>,
    pub(crate) id: RepositoryId,
    pub(crate) commit: Revision,
}

impl RemoteFile {
    /// The commit that the file belongs to.
    pub fn commit(&self) -> &Revision {
        &self.commit
    }
}

/// All files of a commit, sorted by name.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) files: Vec<RemoteFile>,
}

impl Hub {
    /// The path of the file, downloaded if it is not in the cache.
    pub fn fetch(&self, file: &RemoteFile) -> Result<PathBuf, HubError> {
        self.file(&file.id, &file.commit, &file.path)
    }

    /// The files of a revision, as the hub listed them first. Offline and without such a list, the files in the cache.
    pub(crate) fn list(&self, id: &RepositoryId, revision: &Revision) -> Result<Listing, HubError> {
        let repository = Repository::new(&self.environment.cache, id);
        let known = repository.commit(revision);
        if let Some(commit) = &known {
            let kept = std::fs::read(repository.listing(commit)).ok();
            if let Some(listing) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
                return read(id, &listing);
            }
            let cached = repository.files(commit);
            if self.environment.offline && !cached.is_empty() {
                let commit = Revision::parse(commit)?;
                let file = |(path, size)| RemoteFile { path, size: Some(size), id: id.clone(), commit: commit.clone() };
                return Ok(Listing { files: cached.into_iter().map(file).collect() });
            }
        }
        self.check_online(id, revision, None)?;
        self.check_time(&described(id, revision, None))?;
        // Ask for the commit that is in the cache, if there is one, since its files are to be completed.
        let asked = known.as_deref().map_or(Ok(revision.clone()), Revision::parse)?;
        let description = self.describe(id, &asked)?;
        let listing = read(id, &description)?;
        let commit = description["sha"].as_str().unwrap_or_default();
        let stored = repository.listing(commit);
        let store = || {
            if let Some(folder) = stored.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&stored, kept(&listing, commit).to_string())?;
            repository.remember(revision, commit)
        };
        store().map_err(|error| self.cache_error(&error))?;
        Ok(listing)
    }

    fn describe(&self, id: &RepositoryId, revision: &Revision) -> Result<Value, HubError> {
        let url = format!("{}/{}/revision/{}?blobs=true", self.environment.endpoint, id.api(), revision.url_segment());
        let what = described(id, revision, None);
        let answer = self.client.get(&url).or_else(|failure| match failure {
            // One retry is enough for a request that is made once per cache.
            RequestFailure::Passing(_) => self.client.get(&url),
            RequestFailure::Final(reason) => Err(RequestFailure::Final(reason)),
        });
        let answer = answer.map_err(|(RequestFailure::Passing(reason) | RequestFailure::Final(reason))| {
            self.download_error(&what, &url, reason)
        })?;
        let mut text = Vec::new();
        let mut body = answer.response.into_body().into_with_config().limit(MOST_LIST_BYTES).reader();
        body.read_to_end(&mut text).map_err(|error| self.download_error(&what, &url, error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| {
            let reason = format!("its file list is not JSON ({error}); is HF_ENDPOINT a Hugging Face hub?");
            self.download_error(&what, &url, reason)
        })
    }
}

/// The list to store, without the other fields of the hub's response.
fn kept(listing: &Listing, commit: &str) -> Value {
    let files: Vec<Value> =
        listing.files.iter().map(|file| json!({"rfilename": file.path.as_str(), "size": file.size})).collect();
    json!({"sha": commit, "siblings": files})
}

fn read(id: &RepositoryId, description: &Value) -> Result<Listing, HubError> {
    let commit = description["sha"].as_str().filter(|commit| is_safe_part(commit)).unwrap_or_default();
    let commit = Revision::parse(commit)?;
    let files = description["siblings"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let mut files = files
        .filter_map(|file| Some((file["rfilename"].as_str()?, file)))
        .map(|(name, file)| {
            let size = file["size"].as_u64().or_else(|| file["lfs"]["size"].as_u64());
            Ok(RemoteFile { path: FilePath::parse(name)?, size, id: id.clone(), commit: commit.clone() })
        })
        .collect::<Result<Vec<_>, HubError>>()?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Listing { files })
}
