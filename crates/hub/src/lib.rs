//! Files of the Hugging Face hub: tokenizers and data sets. What is in the cache on this machine is used as it is, what is
//! missing is downloaded into it. The cache has the layout of the hub's own tools, so that what they fetched is found and
//! what is fetched here serves them.
#![forbid(unsafe_code)]

mod cache;
mod client;
mod download;
mod environment;
mod error;
mod hub;
mod identity;
mod layout;
mod listing;
mod partial;
mod progress;

pub use environment::HubEnvironment;
pub use error::HubError;
pub use hub::{Hub, Limits};
pub use identity::{FilePath, RepositoryId, RepositoryKind, Revision};
pub use listing::RemoteFile;
pub use progress::{DownloadProgress, DownloadSnapshot};
