//! Names on the hub. They become parts of paths and URLs, so that only safe ones are accepted.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::HubError;

/// What is escaped in one segment of a URL: everything but the unreserved characters of RFC 3986.
const URL_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What is escaped in a path of several segments.
const URL_PATH: &AsciiSet = &URL_SEGMENT.remove(b'/');

/// The kind of a repository. Each kind has its own folder in the cache and its own path in URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryKind {
    Model,
    Dataset,
}

/// The id of a repository: `NAME` or `OWNER/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryId {
    kind: RepositoryKind,
    name: String,
}

impl RepositoryId {
    pub fn model(name: &str) -> Result<Self, HubError> {
        Self::parse(RepositoryKind::Model, name)
    }

    pub fn dataset(name: &str) -> Result<Self, HubError> {
        Self::parse(RepositoryKind::Dataset, name)
    }

    fn parse(kind: RepositoryKind, name: &str) -> Result<Self, HubError> {
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() <= 2 && parts.iter().all(|part| is_safe_part(part)) {
            Ok(Self { kind, name: name.to_owned() })
        } else {
            Err(HubError::NotAnId { name: name.to_owned() })
        }
    }

    pub fn kind(&self) -> RepositoryKind {
        self.kind
    }

    /// The folder of the repository in the cache.
    pub(crate) fn folder(&self) -> String {
        let kind = match self.kind {
            RepositoryKind::Model => "models",
            RepositoryKind::Dataset => "datasets",
        };
        format!("{kind}--{}", self.name.replace('/', "--"))
    }

    /// The path of its page on the hub, without the endpoint.
    pub(crate) fn page(&self) -> String {
        match self.kind {
            RepositoryKind::Model => self.name.clone(),
            RepositoryKind::Dataset => format!("datasets/{}", self.name),
        }
    }

    /// The path of its description in the hub's API, without the endpoint.
    pub(crate) fn api(&self) -> String {
        match self.kind {
            RepositoryKind::Model => format!("api/models/{}", self.name),
            RepositoryKind::Dataset => format!("api/datasets/{}", self.name),
        }
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A branch, a tag (which may contain slashes, such as `refs/pr/1`) or a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision(String);

impl Revision {
    pub fn parse(revision: &str) -> Result<Self, HubError> {
        if revision.split('/').all(is_safe_part) {
            Ok(Self(revision.to_owned()))
        } else {
            Err(HubError::NotARevision { revision: revision.to_owned() })
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The revision as one segment of a URL.
    pub(crate) fn url_segment(&self) -> String {
        utf8_percent_encode(&self.0, URL_SEGMENT).to_string()
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The path of a file in a repository, checked not to leave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePath(String);

impl FilePath {
    pub fn parse(path: &str) -> Result<Self, HubError> {
        let harmless = |part: &str| {
            !matches!(part, "" | "." | "..") && !part.contains(|c: char| c.is_control() || matches!(c, '\\' | ':'))
        };
        if path.split('/').all(harmless) {
            Ok(Self(path.to_owned()))
        } else {
            Err(HubError::UnsafeName { name: path.to_owned() })
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the last dot, in lower case.
    pub fn extension(&self) -> String {
        let name = self.0.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
    }

    /// The path as it stands in a URL, percent-encoded except for its slashes.
    pub(crate) fn url(&self) -> String {
        utf8_percent_encode(&self.0, URL_PATH).to_string()
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Usable as the name of one file: no separators, no `..`, no hidden names.
pub(crate) fn is_safe_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && !part.contains("..")
        && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_cache_folder_and_its_pages() {
        assert_eq!(RepositoryId::model("org/name-1.5").unwrap().folder(), "models--org--name-1.5");
        assert_eq!(RepositoryId::model("gpt2").unwrap().folder(), "models--gpt2");
        let set = RepositoryId::dataset("org/set").unwrap();
        assert_eq!((set.folder(), set.page()), ("datasets--org--set".to_owned(), "datasets/org/set".to_owned()));
        assert_eq!(set.api(), "api/datasets/org/set");
    }

    #[test]
    fn names_that_would_leave_the_cache_are_refused() {
        for bad in ["", "/", "../x", "a/../b", "a//b", "a b", "a/b/c", "org/.hidden", "x?y", "ä"] {
            assert!(RepositoryId::model(bad).is_err(), "{bad}");
        }
        assert!(Revision::parse("../../etc").is_err());
        assert!(Revision::parse("").is_err());
        for bad in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/.", "a\\b", "C:x", "a\nb"] {
            assert!(FilePath::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_revision_with_slashes_is_one_url_segment() {
        assert_eq!(Revision::parse("refs/pr/1").unwrap().url_segment(), "refs%2Fpr%2F1");
    }

    #[test]
    fn a_file_is_escaped_in_urls_and_known_by_its_ending() {
        let file = FilePath::parse("all data/train #1.Parquet").unwrap();
        assert_eq!((file.url().as_str(), file.extension().as_str()), ("all%20data/train%20%231.Parquet", "parquet"));
        assert_eq!(FilePath::parse(".gitattributes").unwrap().extension(), "gitattributes");
        assert_eq!(FilePath::parse("a.b/README").unwrap().extension(), "");
    }
}
