//! `aiperf sim`: serves the simulator until Ctrl-C.

use aiperf_sim::{SIM_OPTIONS, Shutdown, SimOptions};
use anyhow::Context;

use crate::cli::{SimFlag, SimInvocation};

/// The simulator's settings as flags.
pub(crate) fn flags() -> Vec<SimFlag> {
    SIM_OPTIONS
        .iter()
        .map(|option| SimFlag { name: option.flag(), value: option.value, default: option.default, help: option.help })
        .collect()
}

pub(crate) fn run(invocation: &SimInvocation) -> anyhow::Result<()> {
    let mut options = SimOptions::default();
    for (flag, value) in &invocation.settings {
        options.set(&flag.replace('-', "_"), value)?;
    }
    let shutdown = Shutdown::new();
    let asked = shutdown.clone();
    ctrlc::set_handler(move || asked.request()).context("Ctrl-C cannot be caught")?;
    aiperf_sim::serve(options, invocation.bind, &shutdown, &mut std::io::stdout())?;
    Ok(())
}
