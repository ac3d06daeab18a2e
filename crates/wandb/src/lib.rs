//! Writes a run as an offline run of Weights & Biases: a folder with a record file and the files of the run, which `wandb sync`
//! uploads. Nothing is sent: the online API is not documented and changes with its client.
#![forbid(unsafe_code)]

mod error;
mod message;
mod record_file;
mod run_files;
mod run_folder;
mod summary_table;

pub use error::WandbError;
pub use run_folder::{BenchmarkResult, OfflineRun, write_offline_run};
