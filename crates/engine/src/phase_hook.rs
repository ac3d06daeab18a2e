//! What is done between phases.

use aiperf_config::PhaseConfig;

/// Called on the scheduler's thread, which waits for it.
pub trait PhaseHook: Send {
    /// Before the first request of a phase. A reason why the phase cannot start ends the run.
    fn before(&mut self, phase: &PhaseConfig) -> Result<(), String>;

    /// The last thing before a phase starts, when its connections are open: returns when the phase is to start. A reason why it
    /// cannot start ends the run.
    fn release(&mut self, _phase: &PhaseConfig) -> Result<(), String> {
        Ok(())
    }

    /// After the last answer of a phase, however it ended.
    fn after(&mut self, phase: &PhaseConfig);

    /// Instead of both, if a phase begins while answers of the one before it are still to come. It should not take long: nothing is
    /// sent meanwhile. A reason why the phase cannot start ends the run.
    fn between(&mut self, ended: &PhaseConfig, begins: &PhaseConfig) -> Result<(), String>;
}
