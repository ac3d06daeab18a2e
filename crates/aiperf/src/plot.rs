//! `aiperf plot`: draws charts of runs into files, on the terminal or on a web page; and the plots at the end of
//! `aiperf profile`.

mod dashboard;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_mlflow::{UploadTarget, upload_plots};
use aiperf_plot::{
    BUILT_IN_YAML, ConfigOrigin, PictureFormat, PlotOptions, PlotSession, SkippedPlot, TerminalSize, Theme,
    WrittenPlots, kitty, sixel, terminal_text,
};
use anyhow::Context;

use crate::cli::{PlotInvocation, PlotTarget, PlotUpload, TerminalGraphics};
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
        PlotTarget::Dashboard => return dashboard::serve(asked, environment, interrupts),
        PlotTarget::Files => None,
        PlotTarget::Terminal(graphics) => Some(graphics.unwrap_or_else(|| graphics_of(environment))),
    };
    let upload = asked.upload.as_ref().map(|upload| upload_target(upload, asked, environment)).transpose()?;
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
        None => write(&session, asked, upload.as_ref())?,
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

/// Pictures in files, and in an MLflow run; the result is how many there were, and those that were skipped.
fn write(
    session: &PlotSession,
    asked: &PlotInvocation,
    upload: Option<&UploadTarget>,
) -> anyhow::Result<(usize, Vec<SkippedPlot>)> {
    let written = WrittenPlots::write(session, &asked.output, asked.theme, &asked.formats)?;
    if asked.is_verbose {
        for name in &written.drawn {
            println!("Drawn: {}", asked.output.join(name).display());
        }
    }
    println!("Saved {} plots to: {}", written.drawn.len(), asked.output.display());
    println!("Logs: {}", written.log.display());
    if let Some(target) = upload {
        let formats = |name| asked.formats.iter().map(move |format| format!("{name}.{}", format.name()));
        let files: Vec<_> = written.drawn.iter().flat_map(formats).map(|file| asked.output.join(file)).collect();
        let places = upload_plots(target, &asked.output, &files).context("--mlflow-upload")?;
        println!("Uploaded {} pictures to the MLflow run {}", places.len(), target.run_id);
    }
    Ok((written.drawn.len(), written.skipped))
}

/// The MLflow run that gets the pictures. It is looked for before anything is drawn, so that a mistake is told at once.
fn upload_target(
    upload: &PlotUpload,
    asked: &PlotInvocation,
    environment: &Environment,
) -> anyhow::Result<UploadTarget> {
    let folder = asked.options.paths.first().map_or(Path::new(""), PathBuf::as_path);
    let (uri, run_id) = (upload.tracking_uri.as_deref(), upload.run_id.as_deref());
    UploadTarget::find(folder, uri, run_id, environment).context("--mlflow-upload")
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

/// The plots at the end of a run, in words; `None` if none could be drawn.
pub(crate) fn after_run(dir: &Path, environment: &Environment) -> Option<String> {
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
            None
        }
        Ok(written) => {
            for SkippedPlot { name, reason } in &written.skipped {
                log::info!("Plot {name} is skipped: {reason}");
            }
            if written.drawn.is_empty() {
                log::warn!("No plots were drawn; {} says why", written.log.display());
                return None;
            }
            Some(format!("Plots: {} in {}", written.drawn.len(), aiperf_report::PLOTS))
        }
    }
}
