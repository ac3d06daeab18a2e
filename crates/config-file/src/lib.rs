//! Configuration files of `aiperf profile -f`: strict YAML, environment references, templates, and the fields that stand for
//! options. The rules about what goes together are those of `aiperf-options`.
#![forbid(unsafe_code)]

mod body;
mod command_line;
mod custom_resource;
mod environment;
mod error;
mod experiment;
mod field;
mod file;
mod metrics_discovery;
mod multi_run;
mod names;
mod schema;
mod search;
mod starter;
mod sweep;
mod template;
mod user_files;
mod written;
mod yaml;

pub use custom_resource::CustomResource;
pub use error::FileError;
pub use experiment::ConfigFileError;
pub use file::ConfigFile;
pub use metrics_discovery::MetricsDiscovery;
pub use names::nearest;
pub use schema::{SCHEMA_FILE, schema};
pub use starter::{STARTERS, Starter, starter};
pub use sweep::Variation;
pub use user_files::user_files;
pub use written::{SplitFile, file_of, shown_file_of, split_secrets};
pub use yaml::{Entry, Node, NodeValue, Position, read as read_yaml, value as yaml_value, write};
