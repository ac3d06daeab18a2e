//! The Hugging Face hub: where its cache lies on this machine, and how a missing `tokenizer.json` gets there. The cache
//! has the layout of the hub's own tools, so that what they fetched is found and what is fetched here serves them.

mod cache;
mod download;
mod environment;
mod identity;

use std::path::PathBuf;

use crate::TokenizerError;
pub use environment::HubEnvironment;
pub(crate) use identity::RepositoryId;

/// The path of a file of the repository, such as its `tokenizer.json`: from the cache, without asking the hub whether a branch has moved (a
/// benchmark should count the same way twice), else downloaded.
pub(crate) fn file(
    id: &RepositoryId,
    name: &str,
    revision: &str,
    environment: &HubEnvironment,
) -> Result<PathBuf, TokenizerError> {
    let revision = identity::Revision::parse(revision)?;
    let repository = cache::Repository::new(&environment.cache, id);
    if let Some(found) = repository.find(&revision, name) {
        return Ok(found);
    }
    if environment.offline {
        return Err(TokenizerError::Offline {
            id: id.to_string(),
            revision: revision.to_string(),
            cache: environment.cache.clone(),
        });
    }
    download::file(id, name, &revision, &repository, environment)
}
