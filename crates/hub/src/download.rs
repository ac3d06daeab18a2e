//! One file from the hub into the cache: resumed where an earlier download ended, tried again a few times, checked.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::header::CONTENT_LENGTH;

use crate::cache::Repository;
use crate::client::{Answer, Failure, FileIdentity, header};
use crate::hub::Hub;
use crate::identity::{FilePath, RepositoryId, Revision};
use crate::partial::Partial;
use crate::{HubError, hub};

/// Attempts in a row that bring nothing.
const FUTILE_ATTEMPTS: u32 = 4;
/// Attempts for one file, however much each of them brings.
const MOST_ATTEMPTS: u32 = 100;
/// Before the second attempt; doubled before each further one that follows a futile one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const BUFFER: usize = 1 << 16;
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(200);

/// What happened in one attempt.
enum Attempt {
    Done(PathBuf),
    /// Bytes came, but not all of them.
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

    /// Tries until it works or until there is no hope.
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
            Err(Failure::Passing(reason)) => return Attempt::Futile(reason),
            Err(Failure::Final(reason)) => return Attempt::Failed(self.download_error(what, url, reason)),
        };
        let Some(identity) = answer.identity.clone() else {
            let reason = "the answer names no commit: is HF_ENDPOINT a Hugging Face hub?".to_owned();
            return Attempt::Failed(self.download_error(what, url, reason));
        };
        let stored = || -> Result<Received, HubError> {
            let blob = repository.blob(&identity.etag).map_err(|error| self.cache_error(&error))?;
            let received = self.receive(answer, what, &identity, &blob, &repository.partial(&identity.etag))?;
            Ok(received)
        };
        match stored() {
            Ok(Received::All) => {
                let path = repository
                    .link(&identity.commit, file, &identity.etag)
                    .and_then(|path| repository.remember(revision, &identity.commit).map(|()| path));
                path.map_or_else(|error| Attempt::Failed(self.cache_error(&error)), Attempt::Done)
            }
            Ok(Received::Part { bytes: 0, reason }) => Attempt::Futile(reason),
            Ok(Received::Part { reason, .. }) => Attempt::Cut(reason),
            Err(error) => Attempt::Failed(error),
        }
    }

    fn receive(
        &self,
        answer: Answer,
        what: &str,
        identity: &FileIdentity,
        blob: &Path,
        partial_path: &Path,
    ) -> Result<Received, HubError> {
        let partial = loop {
            if blob.is_file() {
                return Ok(Received::All);
            }
            if let Some(partial) = Partial::open(partial_path).map_err(|error| self.cache_error(&error))? {
                break partial;
            }
            log::info!("{what} is being downloaded by another process; waiting for it");
            self.check_time(what)?;
            std::thread::sleep(WAIT_FOR_OTHERS);
        };
        // It may have been finished while this one waited.
        if blob.is_file() {
            return Ok(Received::All);
        }
        self.fill(partial, answer, what, identity, blob)
    }

    fn fill(
        &self,
        mut partial: Partial,
        answer: Answer,
        what: &str,
        identity: &FileIdentity,
        blob: &Path,
    ) -> Result<Received, HubError> {
        let cache_error = |error: std::io::Error| self.cache_error(&error);
        let length = header(answer.response.headers(), CONTENT_LENGTH.as_str()).and_then(|l| l.parse::<u64>().ok());
        if answer.from != partial.length() {
            if answer.from > 0 {
                // Another process went on with the file in between.
                return Ok(Received::Part { bytes: 0, reason: "the file changed while it was asked for".to_owned() });
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
            return Ok(Received::Part { bytes: partial.length() - before, reason });
        }
        let wrong_size = size.is_some_and(|size| partial.length() > size);
        let wrong_bytes = match identity.sha256() {
            Some(expected) => partial.sha256().map_err(cache_error)? != expected,
            None => false,
        };
        if wrong_size || wrong_bytes {
            partial.discard().map_err(cache_error)?;
            let reason =
                "what arrived is not what the hub announced (its size or hash differs); it was thrown away, try again";
            return Err(self.download_error(what, &self.environment.endpoint, reason.to_owned()));
        }
        partial.finish(blob).map_err(cache_error)?;
        Ok(Received::All)
    }

    /// Downloads something that is not on the hub.
    pub(crate) fn download_url(&self, url: &str, path: &Path) -> Result<PathBuf, HubError> {
        let attempt = || {
            let mut answer = match self.client.get(url) {
                Ok(answer) => answer,
                Err(Failure::Passing(reason)) => return Attempt::Futile(reason),
                Err(Failure::Final(reason)) => return Attempt::Failed(self.download_error(url, url, reason)),
            };
            answer.from = 0;
            let identity = FileIdentity { commit: String::new(), etag: String::new(), size: None };
            let partial = path.with_extension("incomplete");
            match self.receive(answer, url, &identity, path, &partial) {
                Ok(Received::All) => Attempt::Done(path.to_owned()),
                Ok(Received::Part { reason, .. }) => Attempt::Futile(reason),
                Err(error) => Attempt::Failed(error),
            }
        };
        let result = self.persist(url, url, attempt);
        self.progress.end();
        result
    }
}

enum Received {
    All,
    Part { bytes: u64, reason: String },
}
