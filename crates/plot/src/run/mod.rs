//! What artifact folders say about runs: which folders are runs, their summaries, requests, time slices and telemetry.

mod columns;
mod discover;
mod gpu;
mod json;
mod recorded;
mod server_parquet;
mod server_series;
mod server_summary;
mod slices;
mod statistics;
mod summarised;

pub use columns::RunParameter;
pub use discover::{ResultFolder, ResultKind, discover};
pub use recorded::DetailedRun;
pub(crate) use server_series::ScrapedSeries;
pub(crate) use server_summary::ServerMetricKind;
pub(crate) use slices::SliceRow;
pub(crate) use statistics::{StatValue, is_statistic, split_statistic, statistic_order, statistic_text};
pub(crate) use summarised::PER_GPU;
pub use summarised::SummarisedRun;
