//! Files of the Hugging Face hub: tokenizers and data sets. Files that are in the cache on this machine are used as they are;
//! missing ones are downloaded into it. The cache has the layout of the hub's own tools, so that each finds what the other
//! downloaded.
//!
//! Why this is not the crate `hf-hub` (as of 0.5): it has no offline mode, no limit on bytes or time, and no check of a file's
//! hash; it draws its own progress bars; and it does not know which files belong to a split of a data set, which is half of
//! the work here. What would remain is one GET request with a redirect.
#![forbid(unsafe_code)]

mod cache;
mod client;
mod download;
mod environment;
mod error;
mod hub;
mod identity;
mod listing;
mod partial;
mod progress;
mod splits;

pub use environment::HubEnvironment;
pub use error::HubError;
pub use hub::{DownloadLimits, Hub};
pub use identity::{FilePath, RepositoryId, RepositoryKind, Revision};
pub use listing::RemoteFile;
pub use progress::{DownloadProgress, DownloadSnapshot};
pub use splits::local_data_files;
