//! The dashboard of `aiperf plot`: a page on this machine with the charts of runs, drawn by `aiperf-plot`. People choose runs, add and
//! change charts, save them to the preset file and export them. It reads artifact folders and writes nothing but preset files.
#![forbid(unsafe_code)]

mod board;
mod chart;
mod export;
mod hover;
mod html_file;
mod known_runs;
mod page;
mod presets;
mod routes;
mod run_details;
mod server;
mod zip_file;

pub use board::BoardOptions;
pub use server::{DashboardError, PlotDashboard};
