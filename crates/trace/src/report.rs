//! An analysis for people and for programs: table, JSON, CSV, charts.

mod chart;
mod csv;
mod json;
mod page;
mod table;

pub use csv::csv;
pub use json::json;
pub use page::page;
pub use table::table;
