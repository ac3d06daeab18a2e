//! `aiperf sim`: serves the simulator until Ctrl-C.

use aiperf_sim::{SIM_OPTIONS, Shutdown, SimOptions};

use crate::cli::{SimFlag, SimInvocation};
use crate::interrupts::Interrupts;

/// The simulator's settings as flags.
pub(crate) fn flags() -> Vec<SimFlag> {
    SIM_OPTIONS
        .iter()
        .map(|option| SimFlag { name: option.flag(), value: option.value, default: option.default, help: option.help })
        .collect()
}

pub(crate) fn run(invocation: &SimInvocation, interrupts: &Interrupts) -> anyhow::Result<()> {
    let mut options = SimOptions::default();
    for (flag, value) in &invocation.settings {
        options.set(&flag.replace('-', "_"), value)?;
    }
    let shutdown = Shutdown::new();
    let asked = shutdown.clone();
    interrupts.call(move || asked.request());
    aiperf_sim::serve(options, invocation.bind, &shutdown, &mut std::io::stdout())?;
    Ok(())
}
