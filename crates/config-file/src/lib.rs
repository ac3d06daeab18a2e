//! Configuration files of `aiperf profile -f`: strict YAML, environment references, templates, and the fields that stand for
//! options. The rules about what goes together are those of `aiperf-options`.
#![forbid(unsafe_code)]

mod body;
mod command_line;
mod environment;
mod error;
mod experiment;
mod field;
mod file;
mod multi_run;
mod names;
mod search;
mod sweep;
mod template;
mod yaml;

pub use error::FileError;
pub use experiment::ConfigFileError;
pub use file::ConfigFile;
pub use sweep::Variation;
pub use yaml::{Position, write};
