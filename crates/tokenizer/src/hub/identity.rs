//! Names on the hub. They become parts of paths and URLs, so that only harmless ones pass.

use std::fmt;

use crate::TokenizerError;

/// `NAME` or `OWNER/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryId(String);

impl RepositoryId {
    pub(crate) fn parse(name: &str) -> Result<Self, TokenizerError> {
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() <= 2 && parts.iter().all(|part| is_safe_part(part)) {
            Ok(Self(name.to_owned()))
        } else {
            Err(TokenizerError::NotAnId { name: name.to_owned() })
        }
    }

    /// The folder of the repository in the cache.
    pub(crate) fn folder(&self) -> String {
        format!("models--{}", self.0.replace('/', "--"))
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A branch, tag (which may hold slashes, as `refs/pr/1`) or commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Revision(String);

impl Revision {
    pub(crate) fn parse(revision: &str) -> Result<Self, TokenizerError> {
        if revision.split('/').all(is_safe_part) {
            Ok(Self(revision.to_owned()))
        } else {
            Err(TokenizerError::NotARevision { revision: revision.to_owned() })
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The revision as one segment of a URL.
    pub(crate) fn url_segment(&self) -> String {
        self.0.replace('/', "%2F")
    }
}

impl fmt::Display for Revision {
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
    fn an_id_names_its_cache_folder() {
        assert_eq!(RepositoryId::parse("org/name-1.5").unwrap().folder(), "models--org--name-1.5");
        assert_eq!(RepositoryId::parse("gpt2").unwrap().folder(), "models--gpt2");
    }

    #[test]
    fn names_that_would_leave_the_cache_are_refused() {
        for bad in ["", "/", "../x", "a/../b", "a//b", "a b", "a/b/c", "org/.hidden", "x?y", "ä"] {
            assert!(RepositoryId::parse(bad).is_err(), "{bad}");
        }
        assert!(Revision::parse("../../etc").is_err());
        assert!(Revision::parse("").is_err());
    }

    #[test]
    fn a_revision_with_slashes_is_one_url_segment() {
        assert_eq!(Revision::parse("refs/pr/1").unwrap().url_segment(), "refs%2Fpr%2F1");
    }
}
