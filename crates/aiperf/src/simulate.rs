//! `aiperf sim`: serves the simulator until Ctrl-C.

use aiperf_sim::{Shutdown, SimOptions};

use crate::cli::SimInvocation;
use crate::interrupts::Interrupts;

pub(crate) fn run(invocation: &SimInvocation, interrupts: &Interrupts) -> anyhow::Result<()> {
    let mut options = SimOptions::default();
    for (name, value) in &invocation.settings {
        options.set(name, value)?;
    }
    let shutdown = Shutdown::new();
    let asked = shutdown.clone();
    interrupts.call(move || asked.request());
    aiperf_sim::serve(options, invocation.bind, &shutdown, &mut std::io::stdout())?;
    Ok(())
}
