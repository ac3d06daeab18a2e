//! The state of GPUs during a run: sources, their readings, and what they come to in the window of a phase.

pub mod cadence;
pub mod collected;
pub mod collector;
pub mod extra_fields;
pub mod field;
pub mod reading;
pub mod series;
pub mod source;
pub mod statistics;
pub mod summary;
pub mod throttle;
