//! Finds the capacity of a server: the highest request rate, or the largest number of users, at which it keeps its service-level
//! objectives. The answer is an interval, and the interval is as reliable as it says.
//!
//! [`CapacityPlanner`] is pure logic. [`CapacityPlanner::next`] says which load to apply and how long, a [`StepMeasurement`] turns the
//! requests of that step into a [`StepRecord`], and [`CapacityPlanner::tell`] takes it. The next decision follows from the goal and the
//! records alone, so a search that was interrupted continues from its stored records with the same decision.
//!
//! `docs/capacity.md` explains the method, its sources and how well it works.

#![forbid(unsafe_code)]

mod assessment;
mod decision;
mod design_effect;
mod goal;
mod load_level;
mod monotonicity;
mod planner;
mod posterior;
mod relaxation;
mod report;
mod stability;
mod step;
mod verification;

pub use assessment::{Assessment, CapacityEstimate};
pub use decision::{Decision, Reason, SearchAction};
pub use design_effect::DesignEffect;
pub use goal::{LoadKind, SearchBudget, SearchGoal, ServiceObjective};
pub use load_level::{LoadLevel, three_digits};
pub use monotonicity::NonMonotone;
pub use planner::CapacityPlanner;
pub use report::{CapacityReport, CurvePoint, Outcome};
pub use stability::StabilityFinding;
pub use step::{StepMeasurement, StepPlan, StepPurpose, StepRecord, StepState};
pub use verification::{Verification, VerificationVerdict};
