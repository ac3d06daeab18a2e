//! The files of a public data set, each downloaded when it is needed.

use std::path::PathBuf;

use aiperf_config::{PublicOrigin, PublicSource};
use aiperf_hub::{FilePath, Hub, HubError, RemoteFile, RepositoryId, Revision};

use crate::DatasetError;

pub(super) enum Shard {
    Remote(RemoteFile),
    /// One file of a repository.
    Single(RepositoryId, FilePath),
    Url(&'static str),
}

pub(super) fn of(source: &PublicSource, hub: &Hub) -> Result<Vec<Shard>, DatasetError> {
    find(source, hub).map_err(|error| hub_error(source, error))
}

fn find(source: &PublicSource, hub: &Hub) -> Result<Vec<Shard>, HubError> {
    let split = |repository: &str, revision: &str, subset: Option<&str>, split: &str| {
        let id = RepositoryId::dataset(repository)?;
        let subset = source.subset.as_deref().or(subset);
        let files = hub.data_files(&id, &Revision::parse(revision)?, subset, split)?;
        Ok(files.into_iter().map(Shard::Remote).collect())
    };
    match source.set.origin {
        PublicOrigin::Split { repository, revision, subset, split: name } => split(repository, revision, subset, name),
        PublicOrigin::Named => split(source.repository.as_deref().unwrap_or_default(), "main", None, "train"),
        PublicOrigin::File { repository, path } => {
            Ok(vec![Shard::Single(RepositoryId::dataset(repository)?, FilePath::parse(path)?)])
        }
        PublicOrigin::Url(url) => Ok(vec![Shard::Url(url)]),
    }
}

impl Shard {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Remote(file) => file.path.as_str(),
            Self::Single(_, path) => path.as_str(),
            Self::Url(url) => url,
        }
    }

    /// The path of the file on this machine, downloaded if necessary.
    pub(super) fn path(&self, source: &PublicSource, hub: &Hub) -> Result<PathBuf, DatasetError> {
        let path = match self {
            Self::Remote(file) => hub.fetch(file),
            Self::Single(id, path) => Revision::parse("main").and_then(|main| hub.file(id, &main, path)),
            Self::Url(url) => hub.url(url),
        };
        path.map_err(|error| hub_error(source, error))
    }
}

fn hub_error(source: &PublicSource, error: HubError) -> DatasetError {
    let advice = match error {
        HubError::TooLarge { .. } => "; lower --num-dataset-entries, or raise AIPERF_DATASET_PUBLIC_DATASET_MAX_GB",
        HubError::TooSlow { .. } => "; raise AIPERF_DATASET_PUBLIC_DATASET_TIMEOUT",
        _ => "",
    };
    DatasetError::PublicHub { name: source.set.name, source: Box::new(error), advice }
}
