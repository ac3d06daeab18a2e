//! An analysis for people and for programs: table, JSON, CSV, charts.

mod axis;
mod chart;
mod csv;
mod explorer;
mod json;
mod page;
mod table;

pub use csv::csv;
pub use explorer::cache_explorer;
pub use json::json;
pub use page::page;
pub use table::table;
