//! Scenarios: names for runs whose settings may not be changed, so that their results can be held against each other.

/// The only one that there is so far.
pub const SCENARIO: &str = "inferencex-agentx-mvp";

/// What a run that names a scenario is held to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    pub name: &'static str,
    /// `--unsafe-override`: settings that the scenario forbids are kept, and the results count for nothing.
    pub overridden: bool,
    /// Settings that it forbids, in words; empty unless overridden.
    pub violations: Vec<String>,
    /// What it has set by itself, as options.
    pub set: Vec<String>,
}
