//! Why a run could not be written.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
#[error("{}: {cause}", path.display())]
pub struct WandbError {
    pub path: PathBuf,
    pub cause: io::Error,
}

impl WandbError {
    pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self { path, cause }
    }
}
