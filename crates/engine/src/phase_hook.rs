//! What is done between phases, while nothing is in flight.

use aiperf_config::PhaseKind;

/// Called on the scheduler's thread, which waits for it.
pub trait PhaseHook: Send {
    /// Before the first request of a phase. A reason why the phase cannot start ends the run.
    fn before(&mut self, phase: PhaseKind) -> Result<(), String>;

    /// After the last answer of a phase, however it ended.
    fn after(&mut self, phase: PhaseKind);
}
