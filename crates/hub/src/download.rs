//! Downloads a file from the hub into the cache: resumes earlier downloads, retries, and checks the result.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::header::CONTENT_LENGTH;

use crate::cache::Repository;
use crate::client::{FileIdentity, HubResponse, RequestFailure, header};
use crate::hub::Hub;
use crate::identity::{FilePath, RepositoryId, Revision};
use crate::partial::Partial;
use crate::{HubError, hub};

/// The most consecutive attempts without new data.
const FUTILE_ATTEMPTS: u32 = 4;
/// The most attempts for one file.
const MOST_ATTEMPTS: u32 = 100;
/// The pause before the second attempt; doubled after each further attempt without new data.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const BUFFER: usize = 1 << 16;
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(200);

/// The result of one attempt.
enum Attempt {
    Done(PathBuf),
    /// A part of the data arrived.
    Cut(String),
    Futile(String),
    Failed(HubError),
}

impl Hub {
    /// Downloads a file of a repository.
    pub(crate) fn download(
        &self,
        id: &RepositoryId,
        revision: &Revision,
        file: &FilePath,
    ) -> Result<PathBuf, HubError> {
        let repository = Repository::new(&self.environment.cache, id);
        let url =
            format!("{}/{}/resolve/{}/{}", self.environment.endpoint, id.page(), revision.url_segment(), file.url());
        let what = hub::described(id, revision, Some(file));
        let attempt = || self.attempt(&url, &what, revision, file, &repository);
        let result = self.persist(&what, &url, attempt);
        self.progress.end();
        result
    }

    /// Repeats the attempt until it succeeds or the retries are used up.
    fn persist(&self, what: &str, url: &str, attempt: impl Fn() -> Attempt) -> Result<PathBuf, HubError> {
        let (mut futile, mut pause) = (0, FIRST_PAUSE);
        let mut last = String::new();
        for _ in 0..MOST_ATTEMPTS {
            match attempt() {
                Attempt::Done(path) => return Ok(path),
                Attempt::Failed(error) => return Err(error),
                Attempt::Cut(reason) => {
                    (futile, pause) = (0, FIRST_PAUSE);
                    last = reason;
                }
                Attempt::Futile(reason) => {
                    futile += 1;
                    last = reason;
                }
            }
            if futile == FUTILE_ATTEMPTS {
                break;
            }
            log::debug!("download of {what}: {last}; trying again");
            self.check_time(what)?;
            std::thread::sleep(pause);
            pause = if futile > 0 { pause * 2 } else { FIRST_PAUSE };
        }
        Err(self.download_error(what, url, last))
    }

    fn attempt(&self, url: &str, what: &str, revision: &Revision, file: &FilePath, repository: &Repository) -> Attempt {
        let have = |identity: &FileIdentity| {
            std::fs::metadata(repository.partial(&identity.etag)).map_or(0, |facts| facts.len())
        };
        let answer = match self.client.get_from(url, have) {
            Ok(answer) => answer,
            Err(RequestFailure::Passing(reason)) => return Attempt::Futile(reason),
            Err(RequestFailure::Final(reason)) => return Attempt::Failed(self.download_error(what, url, reason)),
        };
        let Some(identity) = answer.identity.clone() else {
            let reason = "the response does not name a commit; is HF_ENDPOINT a Hugging Face hub?".to_owned();
            return Attempt::Failed(self.download_error(what, url, reason));
        };
        let stored = || -> Result<BodyRead, HubError> {
            let blob = repository.blob(&identity.etag).map_err(|error| self.cache_error(&error))?;
            let received = self.receive(answer, what, &identity, &blob, &repository.partial(&identity.etag))?;
            Ok(received)
        };
        match stored() {
            Ok(BodyRead::All) => {
                let path = repository
                    .link(&identity.commit, file, &identity.etag)
                    .and_then(|path| repository.remember(revision, &identity.commit).map(|()| path));
                path.map_or_else(|error| Attempt::Failed(self.cache_error(&error)), Attempt::Done)
            }
            Ok(BodyRead::Part { bytes: 0, reason }) => Attempt::Futile(reason),
            Ok(BodyRead::Part { reason, .. }) => Attempt::Cut(reason),
            Err(error) => Attempt::Failed(error),
        }
    }

    fn receive(
        &self,
        answer: HubResponse,
        what: &str,
        identity: &FileIdentity,
        blob: &Path,
        partial_path: &Path,
    ) -> Result<BodyRead, HubError> {
        let partial = loop {
            if blob.is_file() {
                return Ok(BodyRead::All);
            }
            if let Some(partial) = Partial::open(partial_path).map_err(|error| self.cache_error(&error))? {
                break partial;
            }
            log::info!("{what} is being downloaded by another process; waiting for it");
            self.check_time(what)?;
            std::thread::sleep(WAIT_FOR_OTHERS);
        };
        // Another process may have finished it in the meantime.
        if blob.is_file() {
            return Ok(BodyRead::All);
        }
        self.fill(partial, answer, what, identity, blob)
    }

    fn fill(
        &self,
        mut partial: Partial,
        answer: HubResponse,
        what: &str,
        identity: &FileIdentity,
        blob: &Path,
    ) -> Result<BodyRead, HubError> {
        let cache_error = |error: std::io::Error| self.cache_error(&error);
        let length = header(answer.response.headers(), CONTENT_LENGTH.as_str()).and_then(|l| l.parse::<u64>().ok());
        if answer.from != partial.length() {
            if answer.from > 0 {
                // Another process continued the download in the meantime.
                return Ok(BodyRead::Part {
                    bytes: 0,
                    reason: "another process changed the partial download".to_owned(),
                });
            }
            partial.restart().map_err(cache_error)?;
        }
        let size = identity.size.or(length.map(|length| answer.from + length));
        self.check_size(what, size.unwrap_or(0).saturating_sub(partial.length()))?;
        self.progress.begin(what, partial.length(), size);
        let of = size.map(|size| format!(" of {size} bytes")).unwrap_or_default();
        log::info!("downloading {what}{of}, from byte {}", partial.length());
        let before = partial.length();
        let mut body = answer.response.into_body().into_with_config().limit(u64::MAX).reader();
        let mut buffer = vec![0; BUFFER];
        let cut = loop {
            match body.read(&mut buffer) {
                Ok(0) => break None,
                Ok(read) => {
                    partial.append(&buffer[..read]).map_err(cache_error)?;
                    self.progress.advance(read as u64);
                    self.check_size(what, 0)?;
                    self.check_time(what)?;
                }
                Err(error) => break Some(error.to_string()),
            }
        };
        let short = size.filter(|size| partial.length() < *size);
        if cut.is_some() || short.is_some() {
            let reason = cut.unwrap_or_else(|| "the connection was closed in the middle of the file".to_owned());
            return Ok(BodyRead::Part { bytes: partial.length() - before, reason });
        }
        let wrong_size = size.is_some_and(|size| partial.length() > size);
        let wrong_bytes = match identity.sha256() {
            Some(expected) => partial.sha256().map_err(cache_error)? != expected,
            None => false,
        };
        if wrong_size || wrong_bytes {
            partial.discard().map_err(cache_error)?;
            let reason =
                "the download does not match the size or hash that the hub announced; it was deleted, try again";
            return Err(self.download_error(what, &self.environment.endpoint, reason.to_owned()));
        }
        partial.finish(blob).map_err(cache_error)?;
        Ok(BodyRead::All)
    }

    /// Downloads something that is not on the hub.
    pub(crate) fn download_url(&self, url: &str, path: &Path) -> Result<PathBuf, HubError> {
        let attempt = || {
            let mut answer = match self.client.get(url) {
                Ok(answer) => answer,
                Err(RequestFailure::Passing(reason)) => return Attempt::Futile(reason),
                Err(RequestFailure::Final(reason)) => return Attempt::Failed(self.download_error(url, url, reason)),
            };
            answer.from = 0;
            let identity = FileIdentity { commit: String::new(), etag: String::new(), size: None };
            let partial = path.with_extension("incomplete");
            match self.receive(answer, url, &identity, path, &partial) {
                Ok(BodyRead::All) => Attempt::Done(path.to_owned()),
                Ok(BodyRead::Part { reason, .. }) => Attempt::Futile(reason),
                Err(error) => Attempt::Failed(error),
            }
        };
        let result = self.persist(url, url, attempt);
        self.progress.end();
        result
    }
}

enum BodyRead {
    All,
    Part { bytes: u64, reason: String },
}
