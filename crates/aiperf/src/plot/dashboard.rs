//! `aiperf plot --dashboard`: the charts as a web page, until Ctrl-C.

use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;

use aiperf_config::Environment;
use aiperf_plot_dashboard::{BoardOptions, PlotDashboard};

use crate::cli::PlotInvocation;
use crate::interrupts::Interrupts;

/// Serves the charts as a web page until Ctrl-C.
pub(super) fn serve(
    asked: &PlotInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let options = BoardOptions {
        plot: asked.options.clone(),
        theme: asked.theme,
        host: asked.dashboard.host.clone(),
        port: asked.dashboard.port,
    };
    let (sender, ended) = mpsc::channel();
    let dashboard = PlotDashboard::start(options)?;
    interrupts.call(move || {
        let _ = sender.send(());
    });
    for warning in dashboard.warnings() {
        eprintln!("warning: {warning}");
    }
    let (count, mode) = dashboard.runs();
    let runs = if count == 1 { "1 run" } else { &format!("{count} runs") };
    let address = dashboard.page_address();
    println!("Dashboard: {address}");
    println!("{} plots of {runs}. New runs appear by themselves. Press Ctrl-C to end.", mode.name());
    if environment.stdout_is_terminal && dashboard.is_loopback() {
        open_browser(&address, environment);
    }
    // Only Ctrl-C ends the wait: the handler keeps the other end.
    let _ = ended.recv();
    println!("Shutting down the dashboard.");
    drop(dashboard);
    Ok(ExitCode::SUCCESS)
}

/// Shows the page in the browser of a person who sits at this machine. Without one the printed address has to do.
fn open_browser(address: &str, environment: &Environment) {
    let is_set = |name: &str| environment.variables.get(name).is_some_and(|value| !value.is_empty());
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        "xdg-open"
    } else {
        return;
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(cause) = command.spawn() {
        log::debug!("{program} cannot be started: {cause}");
    }
}
