//! `aiperf doctor`: checks this machine and says what each finding means for a benchmark.

use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_doctor::{MachineFiles, Rank};
use aiperf_hub::HubEnvironment;
use aiperf_report::console::Width;

use crate::cli::DoctorInvocation;
use crate::profile;

/// Without a terminal to ask.
const WIDTH: Width = Width(100);

pub(crate) fn run(asked: &DoctorInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let variable = |name: &str| environment.variables.get(name).cloned();
    let hub = HubEnvironment::from_process();
    let examination = aiperf_doctor::examine(&MachineFiles::of_this_machine(), &asked.artifacts, &hub, &variable);
    let text = if asked.json {
        serde_json::to_string_pretty(&examination)? + "\n"
    } else {
        examination.text(profile::console_of(WIDTH, environment).0.0)
    };
    crate::print(text.as_bytes())?;
    Ok(if examination.count(Rank::Problem) > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
