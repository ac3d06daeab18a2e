//! Searches for a load. A planner is asked for the next point to measure and is told what was measured there; it decides from
//! these answers alone, so that a search can be replayed from its history and goes on with the same next point.
//!
//! Nothing here sends a request, reads a clock or writes a file.

#![forbid(unsafe_code)]

mod boundary;
mod convergence;
mod history;
mod model;
mod outcome;
mod pareto;
mod planner;
mod search;
mod space;
#[cfg(test)]
mod tests;
mod tier_results;

pub use boundary::BoundarySummary;
pub use history::{Iteration, search_settings};
pub use outcome::{Outcome, TrialStatistics};
pub use planner::{Ask, EndReason, Planner, planner};
pub use search::{NextProbe, Search};
pub use space::SearchPoint;
