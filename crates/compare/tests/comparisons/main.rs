//! Whole comparisons, of runs whose truth is known and of folders that the reference left.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod error_rates;
mod folders;
mod forms;
mod synthetic;
