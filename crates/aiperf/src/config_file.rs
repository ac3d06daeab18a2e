//! `aiperf config`: writes and checks configuration files, and shows the runs of their sweeps.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use aiperf_config::{Cell, Environment, Experiment};
use aiperf_config_file::{ConfigFile, SCHEMA_FILE, STARTERS, Starter, Variation};
use aiperf_options::RawOptions;
use anyhow::Context;
use serde_json::{Map, Value, json};

use crate::cli::{ConfigInvocation, ExpandFormat};
use crate::run_files;

pub(crate) fn run(asked: &ConfigInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    match asked {
        ConfigInvocation::List { search, category, verbose } => {
            print!("{}", list(search.as_deref(), category.as_deref(), *verbose, "config"));
        }
        ConfigInvocation::Init { template, model, url, output } => {
            let text = template.text(model.as_deref(), url.as_deref());
            let Some(path) = output else {
                print!("{text}");
                return Ok(ExitCode::SUCCESS);
            };
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let text = text.replace(&format!("-f {}.yaml", template.name), &format!("-f {name}"));
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("Wrote {}.", path.display());
            println!("For an editor that completes its keys: aiperf config schema > {SCHEMA_FILE}");
        }
        ConfigInvocation::Schema => println!("{:#}", aiperf_config_file::schema()),
        ConfigInvocation::FromFlags { options, experiment } => {
            warn(experiment);
            let file = match options.config_file().and_then(|given| given.values.first()) {
                Some(path) => {
                    ConfigFile::load(&environment.current_dir.join(path), &environment.variables)?.resolved(options)?
                }
                None => aiperf_config_file::file_of(options, experiment)?,
            };
            print!("{}", aiperf_config_file::write(&file));
        }
        ConfigInvocation::Validate { file } => {
            let experiment =
                ConfigFile::load(file, &environment.variables)?.experiment(&RawOptions::default(), environment)?;
            experiment.plot_presets.as_ref().map(run_files::presets).transpose()?;
            warn(&experiment);
            println!("Configuration valid: {}", file.display());
        }
        ConfigInvocation::Expand { file, full, index, format } => {
            let file = ConfigFile::load(file, &environment.variables)?;
            if file.sweep_type()? == Some("AdaptiveSearchSweep") {
                eprintln!(
                    "error: a search chooses its points while it runs. There is no list of runs to show. \
                     To check the file, run `aiperf config validate`"
                );
                return Ok(ExitCode::from(2));
            }
            // The configuration of a run needs the files that it names; a list of runs does not.
            let cells: Vec<ShownCell> = if *full {
                let experiment = file.experiment(&RawOptions::default(), environment)?;
                warn(&experiment);
                experiment.cells.iter().map(ShownCell::of).collect()
            } else {
                file.read_variations()?.into_iter().map(ShownCell::from).collect()
            };
            print!("{}", expanded(&cells, file.sweep_type()?, *index, *format)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The templates by category, one to a line. `command` is `config` or `kube`, which both print them.
pub(crate) fn list(search: Option<&str>, category: Option<&str>, verbose: bool, command: &str) -> String {
    let is_wanted = |one: &&Starter| {
        search.is_none_or(|word| one.mentions(word))
            && category.is_none_or(|word| one.category.to_lowercase().contains(&word.to_lowercase()))
    };
    let mut text = String::new();
    let mut last = "";
    for one in STARTERS.iter().filter(is_wanted) {
        if one.category != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{}", one.category);
            last = one.category;
        }
        let _ = writeln!(text, "  {:<27} {}", one.name, one.about);
        if verbose {
            let _ = writeln!(text, "  {:<27} {}; {}", "", one.difficulty, one.tags);
        }
    }
    if text.is_empty() {
        return format!("No template matches. `aiperf {command} init --list` shows all.\n");
    }
    text + &format!("\nPrint one: aiperf {command} init --template NAME\n")
}

/// Says once what should be changed.
fn warn(experiment: &Experiment) {
    let mut said: Vec<&String> = Vec::new();
    for warning in experiment.cells.iter().flat_map(|cell| &cell.config.warnings) {
        if !said.contains(&warning) {
            eprintln!("warning: {warning}");
            said.push(warning);
        }
    }
}

/// A run of a sweep, as it is shown.
struct ShownCell {
    folder: String,
    label: String,
    values: Map<String, Value>,
    /// The configuration, if it is wanted.
    config: Option<Value>,
}

impl ShownCell {
    fn of(cell: &Cell) -> Self {
        Self {
            folder: cell.folder().to_owned(),
            label: cell.label().to_owned(),
            values: cell.values_by_path(),
            config: Some(cell.config.to_input_config()),
        }
    }

    fn folder(&self) -> &str {
        if self.folder.is_empty() { "base" } else { &self.folder }
    }
}

impl From<Variation> for ShownCell {
    fn from(Variation { dir_name, label, values, .. }: Variation) -> Self {
        Self { folder: dir_name, label, values, config: None }
    }
}

fn expanded(
    cells: &[ShownCell],
    kind: Option<&str>,
    index: Option<usize>,
    format: ExpandFormat,
) -> anyhow::Result<String> {
    if let Some(index) = index.filter(|index| *index >= cells.len()) {
        anyhow::bail!("--index {index}: there are {} runs, counted from 0", cells.len());
    }
    let shown = || cells.iter().enumerate().filter(|(place, _)| index.is_none_or(|index| index == *place));
    let kind = kind.unwrap_or("none");
    if format != ExpandFormat::Text {
        let variations: Vec<Value> = shown()
            .map(|(place, cell)| {
                let mut object = Map::new();
                object.insert("index".to_owned(), json!(place));
                object.insert("dir_name".to_owned(), json!(cell.folder()));
                object.insert("label".to_owned(), json!(cell.label));
                object.insert("values".to_owned(), Value::Object(cell.values.clone()));
                object.extend(cell.config.clone().map(|config| ("benchmark".to_owned(), config)));
                Value::Object(object)
            })
            .collect();
        let document = json!({"sweep_type": kind, "variations": variations});
        return Ok(match format {
            ExpandFormat::Yaml => aiperf_config_file::write(&document),
            _ => serde_json::to_string_pretty(&document)? + "\n",
        });
    }
    let count = match (index, cells.len()) {
        (Some(_), all) => format!("showing 1 of {all}"),
        (None, 1) => "1 variation".to_owned(),
        (None, all) => format!("{all} variations"),
    };
    let mut text = format!("Sweep type: {kind} ({count})\n\n");
    for (place, cell) in shown() {
        writeln!(text, "[{place}] dir={}  label={}", cell.folder(), cell.label)?;
        if let Some(config) = &cell.config {
            for line in aiperf_config_file::write(config).lines() {
                writeln!(text, "    {line}")?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}
