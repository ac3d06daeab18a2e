//! Loads the files of a tokenizer from the Hugging Face hub, and converts the hub's errors.

use std::path::PathBuf;

use aiperf_hub::{FilePath, Hub, HubEnvironment, HubError, RepositoryId, Revision};

use crate::TokenizerError;

/// The path of a file of the repository, such as its `tokenizer.json`, downloaded if it is not in the cache.
pub(crate) fn file(
    file: &str,
    name: &str,
    revision: &str,
    environment: &HubEnvironment,
) -> Result<PathBuf, TokenizerError> {
    let find = || {
        let id = RepositoryId::model(name)?;
        Hub::new(environment.clone()).file(&id, &Revision::parse(revision)?, &FilePath::parse(file)?)
    };
    find().map_err(|error| {
        let (id, revision, cache) = (name.to_owned(), revision.to_owned(), environment.cache().to_owned());
        match error {
            HubError::NotAnId { name } => TokenizerError::NotAnId { name },
            HubError::NotARevision { revision } => TokenizerError::NotARevision { revision },
            HubError::Offline { .. } => TokenizerError::Offline { id, revision, cache },
            HubError::Download { url, reason, .. } => TokenizerError::Download { id, revision, cache, url, reason },
            other => TokenizerError::Hub { id, revision, reason: other.to_string() },
        }
    })
}
