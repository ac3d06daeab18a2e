//! Stores a run in MLflow: live metrics while it lasts, then its final metrics, parameters, tags and files. The store is a server,
//! spoken to over its REST API, or a folder in the layout of MLflow's file store. A failure never fails the run.
#![forbid(unsafe_code)]

mod artifacts;
mod contents;
mod error;
mod export_file;
mod exporter;
mod live_metrics;
mod store;
mod upload;

pub use error::MlflowError;
pub use export_file::{EXPORT_FILE, MlflowExport};
pub use exporter::{FinishedRun, MlflowExporter};
pub use upload::{UploadTarget, upload_plots};
