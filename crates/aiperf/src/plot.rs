//! `aiperf plot`: draws charts of runs into files, on the terminal or on a web page; and the plots at the end of
//! `aiperf profile`.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use aiperf_config::Environment;
use aiperf_plot::{
    BUILT_IN_YAML, ConfigOrigin, PictureFormat, PlotOptions, PlotSession, SkippedPlot, TerminalSize, Theme,
    WrittenPlots, kitty, sixel, terminal_text,
};

use aiperf_plot_dashboard::{BoardOptions, PlotDashboard};

use crate::cli::{PlotInvocation, PlotTarget, TerminalGraphics};
use crate::interrupts::Interrupts;

pub(crate) fn run(
    asked: &PlotInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let graphics = match asked.target {
        PlotTarget::PrintConfig => {
            crate::print(BUILT_IN_YAML.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        PlotTarget::Dashboard => return serve(asked, environment, interrupts),
        PlotTarget::Files => None,
        PlotTarget::Terminal(graphics) => Some(graphics.unwrap_or_else(|| graphics_of(environment))),
    };
    let session = PlotSession::open(&asked.options)?;
    if let ConfigOrigin::File(path) = &session.origin {
        println!("Using config: {}", path.display());
    }
    if asked.is_verbose {
        for run in &session.runs {
            println!("Run: {}", run.folder.display());
        }
    }
    for warning in session.presets.warnings.iter().chain(&session.findings()) {
        eprintln!("warning: {warning}");
    }
    let (drawn, skipped) = match graphics {
        Some(graphics) => show(&session, asked.theme, graphics, environment),
        None => {
            let written = WrittenPlots::write(&session, &asked.output, asked.theme, &asked.formats)?;
            if asked.is_verbose {
                for name in &written.drawn {
                    println!("Drawn: {}", asked.output.join(name).display());
                }
            }
            println!("Saved {} plots to: {}", written.drawn.len(), asked.output.display());
            println!("Logs: {}", written.log.display());
            (written.drawn.len(), written.skipped)
        }
    };
    for SkippedPlot { name, reason } in &skipped {
        eprintln!("warning: {name} is skipped: {reason}");
    }
    if drawn == 0 {
        let possible = session.possible();
        let advice = match &possible[..] {
            [] => "the lines above say why".to_owned(),
            names => format!("these can be: --preset {}", names.join(",")),
        };
        eprintln!("error: no plot was drawn; {advice}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves the charts as a web page until Ctrl-C.
fn serve(asked: &PlotInvocation, environment: &Environment, interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
    let options =
        BoardOptions { plot: asked.options.clone(), theme: asked.theme, host: asked.host.clone(), port: asked.port };
    let (sender, ended) = std::sync::mpsc::channel();
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
    // Nothing else can end the wait.
    while ended.recv_timeout(Duration::from_secs(3600)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {}
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

/// Charts on stdout; the result is how many there were, and those that were skipped.
fn show(
    session: &PlotSession,
    theme: Theme,
    graphics: TerminalGraphics,
    environment: &Environment,
) -> (usize, Vec<SkippedPlot>) {
    let (columns, rows) = terminal_size::terminal_size()
        .map_or((100, 30), |(columns, rows)| (usize::from(columns.0), usize::from(rows.0)));
    let is_plain = environment.variables.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    let has_colour = environment.stdout_is_terminal && !is_plain;
    let (drawn, skipped) = session.figures();
    for plot in &drawn {
        let text = match graphics {
            TerminalGraphics::Unicode => terminal_text(&plot.figure, theme, TerminalSize { columns, rows, has_colour }),
            TerminalGraphics::Sixel => sixel(&plot.figure, theme),
            TerminalGraphics::Kitty => kitty(&plot.figure, theme),
        };
        println!("{text}");
    }
    (drawn.len(), skipped)
}

/// What the terminal says that it can show. Output that is not a terminal gets text.
fn graphics_of(environment: &Environment) -> TerminalGraphics {
    let variable = |name: &str| environment.variables.get(name).map(String::as_str).unwrap_or_default();
    let (terminal, program) = (variable("TERM"), variable("TERM_PROGRAM"));
    // Terminal multiplexers swallow graphics.
    if !environment.stdout_is_terminal || !variable("TMUX").is_empty() || terminal.starts_with("screen") {
        return TerminalGraphics::Unicode;
    }
    let has_kitty = !variable("KITTY_WINDOW_ID").is_empty()
        || ["kitty", "ghostty"].iter().any(|name| terminal.contains(name))
        || ["WezTerm", "ghostty"].contains(&program);
    let has_sixel = ["sixel", "foot", "mlterm", "contour", "yaft"].iter().any(|name| terminal.contains(name));
    match (has_kitty, has_sixel) {
        (true, _) => TerminalGraphics::Kitty,
        (false, true) => TerminalGraphics::Sixel,
        (false, false) => TerminalGraphics::Unicode,
    }
}

/// The plots at the end of a run; `false` if none could be drawn.
pub(crate) fn after_run(dir: &Path, environment: &Environment) -> bool {
    let options = PlotOptions {
        paths: vec![dir.to_owned()],
        home: environment.variables.get("HOME").map(Into::into),
        ..PlotOptions::default()
    };
    let output = dir.join(aiperf_report::PLOTS);
    let formats = [PictureFormat::Png, PictureFormat::Svg];
    let written = PlotSession::open(&options)
        .and_then(|session| WrittenPlots::write(&session, &output, Theme::default(), &formats));
    match written {
        Err(error) => {
            log::warn!("No plots were drawn: {error}");
            false
        }
        Ok(written) => {
            for SkippedPlot { name, reason } in &written.skipped {
                log::info!("Plot {name} is skipped: {reason}");
            }
            if written.drawn.is_empty() {
                log::warn!("No plots were drawn; {} says why", written.log.display());
                return false;
            }
            println!("Plots: {} in {}", written.drawn.len(), output.display());
            true
        }
    }
}
