//! `aiperf plot FOLDER...`

mod dashboard;
mod upload;

use std::path::PathBuf;

use aiperf_config::Environment;
use aiperf_option_table::OptionRow;
use aiperf_plot::{PictureFormat, PlotOptions, RunMode, Theme};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::CliError;
use super::command::{Purpose, option_arg};
pub(crate) use dashboard::DashboardAddress;
pub(crate) use upload::PlotUpload;

/// Where runs are if no folder is named.
const USUAL_FOLDER: &str = "artifacts";

/// Pictures to draw.
#[derive(Debug)]
pub(crate) struct PlotInvocation {
    pub(crate) options: PlotOptions,
    /// Where the files go.
    pub(crate) output: PathBuf,
    pub(crate) theme: Theme,
    pub(crate) formats: Vec<PictureFormat>,
    pub(crate) target: PlotTarget,
    pub(crate) dashboard: DashboardAddress,
    /// The MLflow run that gets the pictures too.
    pub(crate) upload: Option<PlotUpload>,
    pub(crate) is_verbose: bool,
}

/// Where pictures go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlotTarget {
    Files,
    /// Charts on the terminal, instead of files.
    Terminal(Option<TerminalGraphics>),
    /// The built-in presets, as text.
    PrintConfig,
    /// A web page, until Ctrl-C.
    Dashboard,
}

/// How a terminal shows pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalGraphics {
    Unicode,
    Sixel,
    Kitty,
}

/// How an option of this command is given.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlotArg {
    Text,
    /// Repeatable, or with commas.
    List,
    /// Repeatable, or several after one name.
    Folders,
    /// With or without a value after `=`.
    Optional(&'static str),
    Flag,
    File,
    Folder,
}

type PlotRow = OptionRow<PlotArg>;

pub(super) const OPTIONS: [PlotRow; 18] = [
    row(
        "paths",
        "FOLDER",
        "./artifacts",
        "Folders of runs, or folders with runs in them; the same as naming them without --paths",
        PlotArg::Folders,
    ),
    row("output", "FOLDER", "plots in the first folder", "Folder to write to; it is created", PlotArg::Folder),
    row("theme", "light|dark", "light", "Colours of the pictures", PlotArg::Text),
    row("format", "png|svg", "png,svg", "Formats of the pictures; several are separated by commas", PlotArg::List),
    row(
        "config",
        "FILE",
        "",
        "Plot configuration, instead of .aiperf-plot-config.yaml in a folder or ~/.aiperf/plot_config.yaml",
        PlotArg::File,
    ),
    row("print-config", "", "", "Print the built-in plot configuration and draw nothing", PlotArg::Flag),
    row(
        "preset",
        "NAME",
        "the defaults of the configuration",
        "Plots to draw; several are separated by commas",
        PlotArg::List,
    ),
    row(
        "mode",
        "single|multi",
        "single for one run, else multi",
        "Show the requests of one run, or one point for each run",
        PlotArg::Text,
    ),
    row(
        "gpus",
        "N",
        "as the GPU telemetry says",
        "Number of GPUs that served each run, for metrics per GPU",
        PlotArg::Text,
    ),
    row(
        "terminal",
        "auto|unicode|sixel|kitty",
        "",
        "Show the charts on the terminal and write no files; auto uses sixel or kitty if the terminal is known to have them",
        PlotArg::Optional("auto"),
    ),
    row(
        super::PLUGIN_DIR,
        "FOLDER",
        "",
        "Folder with plugin packs, in addition to the plugins folder of your configuration; repeatable",
        PlotArg::List,
    ),
    row("verbose", "", "", "Name the runs that were found and the files that were written", PlotArg::Flag),
    row(
        "dashboard",
        "",
        "",
        "Serve a web page with the charts until Ctrl-C: choose runs, change charts, save them to the preset file",
        PlotArg::Flag,
    ),
    row(
        "host",
        "ADDRESS",
        dashboard::USUAL_HOST,
        "Address that the dashboard listens on; an address that others can reach needs the token that is printed",
        PlotArg::Text,
    ),
    row("port", "PORT", "8050", "Port that the dashboard listens on; 0 for any free one", PlotArg::Text),
    row(
        "mlflow-upload",
        "",
        "",
        "Upload the pictures to the MLflow run of the folder, which its mlflow_export.json names",
        PlotArg::Flag,
    ),
    row(
        "mlflow-tracking-uri",
        "URI",
        "as mlflow_export.json says",
        "MLflow server or folder that has the run, for --mlflow-upload",
        PlotArg::Text,
    ),
    row(
        "mlflow-run-id",
        "ID",
        "as mlflow_export.json says",
        "MLflow run to upload to, for --mlflow-upload",
        PlotArg::Text,
    ),
];

/// Options of AIPerf that say what is so without them.
const NEGATIONS: [(&str, &str); 4] = [
    ("no-verbose", "verbose"),
    ("no-dashboard", "dashboard"),
    ("no-mlflow-upload", "mlflow-upload"),
    ("empty-paths", "paths"),
];

const fn row(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    help: &'static str,
    action: PlotArg,
) -> PlotRow {
    PlotRow { name, value, default, help, action }
}

const EXAMPLES: &str = "\
Examples:
  aiperf plot artifacts/my-run                  the charts of one run
  aiperf plot artifacts/my-sweep --gpus 8       one point for each run of a sweep
  aiperf plot artifacts/my-run --terminal       on the terminal, without files
  aiperf plot artifacts --dashboard             as a web page
  aiperf plot artifacts/my-run --mlflow-upload  also into the MLflow run of the benchmark
  aiperf plot --print-config > my-plots.yaml    presets to change, for --config";

/// Negations are known to the parser only.
pub(super) fn command(purpose: Purpose) -> Command {
    let negations: &[(&str, &str)] = if purpose == Purpose::Parsing { &NEGATIONS } else { &[] };
    let folders = Arg::new("folders").num_args(0..).value_name("FOLDER").value_hint(ValueHint::DirPath).help(
        "Artifact folders of aiperf, AIPerf or GenAI-Perf, or folders with such folders in them [default: ./artifacts]",
    );
    Command::new("plot")
        .about("Draw charts of a run, or of several runs, from their artifact folders")
        .disable_version_flag(true)
        .override_usage("aiperf plot [FOLDER]... [OPTIONS]")
        .after_help(EXAMPLES)
        .arg(folders)
        .args(OPTIONS.iter().map(arg))
        .args(negations.iter().map(|(name, option)| {
            Arg::new(*name).long(*name).action(ArgAction::SetTrue).hide(true).conflicts_with(*option)
        }))
}

fn arg(row: &PlotRow) -> Arg {
    let arg = option_arg(row, row.value);
    match row.action {
        PlotArg::List => arg.action(ArgAction::Append).num_args(1).value_delimiter(','),
        PlotArg::Folders => arg.action(ArgAction::Append).num_args(1..).value_hint(ValueHint::DirPath),
        PlotArg::Optional(missing) => arg.num_args(0..=1).require_equals(true).default_missing_value(missing),
        PlotArg::Folder => arg.value_hint(ValueHint::DirPath),
        PlotArg::File => arg.value_hint(ValueHint::FilePath),
        PlotArg::Text | PlotArg::Flag => arg,
    }
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<PlotInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name);
    let list = |name: &str| matches.get_many::<String>(name).into_iter().flatten();
    let path = |text: &String| environment.current_dir.join(text);
    let mut paths: Vec<PathBuf> = list("folders").chain(list("paths")).map(path).collect();
    if paths.is_empty() {
        paths.push(environment.current_dir.join(USUAL_FOLDER));
    }
    let choice = |option: &'static str, names: &'static str| {
        move |text: &String| refused(option, format!("{text:?} is not one of {names}"))
    };
    let theme = match text("theme") {
        None => Theme::Light,
        Some(name) => Theme::from_name(name).ok_or_else(|| choice("--theme", "light, dark")(name))?,
    };
    let mode = match text("mode") {
        None => None,
        Some(name) => Some(RunMode::from_name(name).ok_or_else(|| choice("--mode", "single, multi")(name))?),
    };
    let format = |name: &String| PictureFormat::from_name(name).ok_or_else(|| choice("--format", "png, svg")(name));
    let mut formats = list("format").map(format).collect::<Result<Vec<_>, _>>()?;
    if formats.is_empty() {
        formats = vec![PictureFormat::Png, PictureFormat::Svg];
    }
    let gpus = text("gpus").map(|text| {
        let count = text.parse().ok().filter(|count: &u64| *count > 0);
        count.ok_or_else(|| refused("--gpus", format!("{text:?} is not a whole number of at least 1")))
    });
    let is_dashboard = matches.get_flag("dashboard");
    let target = match (matches.get_flag("print-config"), text("terminal")) {
        (true, _) => PlotTarget::PrintConfig,
        (false, None) if is_dashboard => PlotTarget::Dashboard,
        (false, None) => PlotTarget::Files,
        (false, Some(name)) => PlotTarget::Terminal(match name.as_str() {
            "auto" => None,
            "unicode" => Some(TerminalGraphics::Unicode),
            "sixel" => Some(TerminalGraphics::Sixel),
            "kitty" => Some(TerminalGraphics::Kitty),
            _ => return Err(choice("--terminal", "auto, unicode, sixel, kitty")(name)),
        }),
    };
    if is_dashboard && target != PlotTarget::Dashboard {
        let other = if target == PlotTarget::PrintConfig { "--print-config" } else { "--terminal" };
        return Err(refused("--dashboard", format!("cannot be used together with {other}; leave one of them out")));
    }
    let writes_no_files = match target {
        PlotTarget::Terminal(_) => Some("--terminal"),
        PlotTarget::Dashboard => Some("--dashboard"),
        PlotTarget::Files | PlotTarget::PrintConfig => None,
    };
    if let Some(with) = writes_no_files {
        for (option, is_given) in [("--output", text("output").is_some()), ("--format", matches.contains_id("format"))]
        {
            if is_given {
                return Err(refused(option, format!("has no effect with {with}, which writes no files")));
            }
        }
    }
    let dashboard = DashboardAddress::read(matches, target)?;
    let upload = PlotUpload::read(matches, paths.len(), target)?;
    Ok(PlotInvocation {
        output: text("output").map_or_else(|| paths[0].join("plots"), path),
        options: PlotOptions {
            paths,
            config: text("config").map(path),
            home: environment.variables.get("HOME").map(PathBuf::from),
            mode,
            gpus: gpus.transpose()?,
            presets: list("preset").cloned().collect(),
            added: Vec::new(),
        },
        theme,
        formats,
        target,
        dashboard,
        upload,
        is_verbose: matches.get_flag("verbose"),
    })
}

fn refused(option: &'static str, problem: String) -> CliError {
    CliError::TraceOption { option, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(words: &[&str]) -> Result<PlotInvocation, CliError> {
        let matches = command(Purpose::Parsing).try_get_matches_from(["plot"].iter().chain(words)).unwrap();
        read(&matches, &Environment { current_dir: "/here".into(), ..Environment::default() })
    }

    #[test]
    fn every_option_reaches_the_plots() {
        let words =
            ["a", "/b", "--paths", "c", "d", "--output", "o", "--theme", "DARK", "--format", "svg", "--gpus", "4"];
        let more = ["--config", "f.yaml", "--preset", "x,y", "--preset=z", "--mode", "multi", "--verbose"];
        let asked = plot(&[&words[..], &more[..]].concat()).unwrap();
        let paths: Vec<String> = asked.options.paths.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(paths, ["/here/a", "/b", "/here/c", "/here/d"]);
        assert_eq!((asked.output, asked.theme), (PathBuf::from("/here/o"), Theme::Dark));
        assert_eq!((asked.formats, asked.target), (vec![PictureFormat::Svg], PlotTarget::Files));
        assert_eq!(asked.options.presets, ["x", "y", "z"]);
        assert_eq!((asked.options.mode, asked.options.gpus), (Some(RunMode::Multi), Some(4)));
        assert_eq!(asked.options.config, Some("/here/f.yaml".into()));
        assert!(asked.is_verbose && asked.upload.is_none());
        let asked = plot(&["--mlflow-upload", "--mlflow-tracking-uri", "U", "--mlflow-run-id", "R"]).unwrap();
        assert_eq!(asked.upload, Some(PlotUpload { tracking_uri: Some("U".into()), run_id: Some("R".into()) }));
    }

    #[test]
    fn without_words_the_usual_folder_is_read_and_written() {
        let asked = plot(&[]).unwrap();
        assert_eq!(asked.options.paths, [PathBuf::from("/here/artifacts")]);
        assert_eq!(asked.output, PathBuf::from("/here/artifacts/plots"));
        assert_eq!(plot(&["--terminal"]).unwrap().target, PlotTarget::Terminal(None));
        let kitty = PlotTarget::Terminal(Some(TerminalGraphics::Kitty));
        assert_eq!(plot(&["a", "--terminal=kitty"]).unwrap().target, kitty);
        assert_eq!(plot(&["--print-config"]).unwrap().target, PlotTarget::PrintConfig);
        let board = plot(&["a", "--dashboard"]).unwrap();
        assert_eq!(board.target, PlotTarget::Dashboard);
        assert_eq!(board.dashboard, DashboardAddress { host: "127.0.0.1".to_owned(), port: 8050 });
        let board = plot(&["--dashboard", "--host", "0.0.0.0", "--port", "0"]).unwrap();
        assert_eq!(board.dashboard, DashboardAddress { host: "0.0.0.0".to_owned(), port: 0 });
        let negated = plot(&["--no-verbose", "--no-dashboard", "--no-mlflow-upload", "--empty-paths"]).unwrap();
        assert_eq!((negated.is_verbose, negated.options.paths.len()), (false, 1));
    }

    #[test]
    fn what_does_not_work_is_refused_by_name() {
        let refusal = |words: &[&str]| plot(words).unwrap_err().to_string();
        assert!(refusal(&["--theme", "pink"]).starts_with("--theme: \"pink\" is not one of light, dark"));
        assert!(refusal(&["--gpus", "0"]).starts_with("--gpus: "));
        assert!(refusal(&["--terminal", "--format", "png"]).starts_with("--format: "));
        assert!(refusal(&["--dashboard", "--terminal"]).starts_with("--dashboard: "));
        assert!(refusal(&["--dashboard", "--output", "o"]).starts_with("--output: "));
        assert!(refusal(&["a", "b", "--mlflow-upload"]).starts_with("--mlflow-upload: "));
        assert!(refusal(&["--mlflow-upload", "--terminal"]).starts_with("--mlflow-upload: "));
        assert!(refusal(&["--mlflow-run-id", "R"]).starts_with("--mlflow-run-id: "));
        assert!(refusal(&["--mlflow-tracking-uri", "U"]).starts_with("--mlflow-tracking-uri: "));
        assert!(refusal(&["--mlflow-upload", "--dashboard"]).starts_with("--mlflow-upload: "));
        assert!(refusal(&["--port", "1"]).starts_with("--port: "));
        assert!(refusal(&["--dashboard", "--port", "65536"]).starts_with("--port: \"65536\" is not a port"));
    }
}
