//! Names a run, and writes down what it is before it starts.

use aiperf_report::{RunConfig, RunNote};
use aiperf_seed::Stream;

use super::Run;
use crate::conclude::summarise::repeating_command;
use crate::error::RunError;

impl Run {
    pub(super) fn run_note(&self, version: &str, benchmark_id: &str) -> RunNote {
        RunNote {
            aiperf_version: version.to_owned(),
            benchmark_id: benchmark_id.to_owned(),
            input_config: self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: repeating_command(self),
            build: self.build.clone(),
        }
    }

    /// A random id, different for each run even with the same seed: 12 hexadecimal digits, or 32 if there are several runs, as in
    /// the reference.
    pub(super) fn new_run_id(&self) -> String {
        let mut id = Stream::from_entropy().uuid().simple().to_string();
        if self.place.is_none() {
            id.truncate(12);
        }
        id
    }

    /// For one of several runs: writes its configuration next to its results.
    pub(super) fn write_run_config(&self, benchmark_id: &str) -> Result<(), RunError> {
        let Some(place) = &self.place else { return Ok(()) };
        let config = RunConfig {
            benchmark_id,
            place,
            input_config: &self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: &self.config.command_line,
        };
        Ok(config.write(&self.paths)?)
    }
}
