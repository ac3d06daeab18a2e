//! The files of a search for a capacity: the result with its curve and decisions (`capacity.json`), and the history that grows with
//! each step (`capacity_history.jsonl`).

mod history;
mod result;

pub use history::{CapacityHistory, HistoryError, HistoryStep};
pub use result::{
    CapacityDecision, CapacityFile, CapacityGoal, CapacityInterval, CapacitySloLimit, CapacityWarning, StepResult,
};
