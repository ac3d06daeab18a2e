//! Errors of the hub, with the next step for the user.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum HubError {
    #[error("{name:?} is not a Hugging Face id (NAME or OWNER/NAME of letters, digits, '-', '_' and '.')")]
    NotAnId { name: String },

    #[error("{revision:?} is not a branch, tag or commit name")]
    NotARevision { revision: String },

    #[error("the hub lists a file {name:?}, which lies outside its repository; it is not downloaded")]
    UnsafeName { name: String },

    #[error(
        "{what} is not in the cache {} and offline mode (HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE) forbids downloading it; \
         {advice}",
        cache.display()
    )]
    Offline { what: String, cache: PathBuf, advice: String },

    #[error("{what} is not in the cache {} and cannot be downloaded from {url}: {reason}", cache.display())]
    Download { what: String, cache: PathBuf, url: String, reason: String },

    #[error("{what} needs a download of {needed}, but the limit is {limit}")]
    TooLarge { what: String, needed: String, limit: String },

    #[error(
        "the download of {what} took longer than the limit of {seconds} s; the part that arrived is kept, and the next \
         run resumes it"
    )]
    TooSlow { what: String, seconds: u64 },

    #[error("cannot use the hub cache {}: {reason}; set HF_HOME to a writable folder", path.display())]
    Cache { path: PathBuf, reason: String },

    #[error("{repository} has no subset {subset:?}; --hf-subset takes one of: {known}")]
    NoSuchSubset { repository: String, subset: String, known: String },

    #[error("{repository} has several subsets; choose one with --hf-subset: {known}")]
    SubsetNeeded { repository: String, known: String },

    #[error("{repository} has no files of split {split:?}{known}")]
    NoSuchSplit { repository: String, split: String, known: String },
}
