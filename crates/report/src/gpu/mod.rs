//! The files of GPU telemetry: one line per reading, the `telemetry_data` of the summary, its rows in the summary CSV.

mod figures;
mod line;
mod rows;

pub use figures::{EnergyFigure, GpuDescription, GpuFigures, GpuSourceFigures, GpuTelemetryFigures};
pub use line::{GpuLine, GpuLineWriter};
pub use rows::GpuRow;
pub(crate) use rows::{csv_section, rows};
