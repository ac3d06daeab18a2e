//! `aiperf config`: checks a configuration file, and shows the runs of its sweep.

use std::fmt::Write as _;
use std::process::ExitCode;

use aiperf_config::{Cell, Environment};
use aiperf_config_file::ConfigFile;
use aiperf_options::RawOptions;
use serde_json::{Map, Value, json};

use crate::cli::{ConfigAction, ConfigInvocation, ExpandFormat};

pub(crate) fn run(asked: &ConfigInvocation, environment: &Environment) -> anyhow::Result<ExitCode> {
    let file = ConfigFile::load(&asked.file, &environment.variables)?;
    let experiment = file.experiment(&RawOptions::default(), environment)?;
    let mut said: Vec<&String> = Vec::new();
    for warning in experiment.cells.iter().flat_map(|cell| &cell.config.warnings) {
        if !said.contains(&warning) {
            eprintln!("warning: {warning}");
            said.push(warning);
        }
    }
    match asked.action {
        ConfigAction::Validate => println!("Configuration valid: {}", asked.file.display()),
        ConfigAction::Expand { .. } if experiment.search.is_some() => {
            eprintln!(
                "error: {}: an adaptive_search chooses its points while it runs, so there is no list of runs to show; \
                 `aiperf config validate` checks the file",
                asked.file.display()
            );
            return Ok(ExitCode::from(2));
        }
        ConfigAction::Expand { full, index, format } => {
            let kind = file.sweep_type()?;
            print!("{}", expanded(&experiment.cells, kind, full, index, format)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn expanded(
    cells: &[Cell],
    kind: Option<&str>,
    full: bool,
    index: Option<usize>,
    format: ExpandFormat,
) -> anyhow::Result<String> {
    if let Some(index) = index.filter(|index| *index >= cells.len()) {
        anyhow::bail!("--index {index}: there are {} runs, counted from 0", cells.len());
    }
    let shown = || cells.iter().enumerate().filter(|(place, _)| index.is_none_or(|index| index == *place));
    let kind = kind.unwrap_or("none");
    let folder = |cell: &Cell| if cell.folder().is_empty() { "base".to_owned() } else { cell.folder().to_owned() };
    if format != ExpandFormat::Text {
        let variations: Vec<Value> = shown()
            .map(|(place, cell)| {
                let mut object = Map::new();
                object.insert("index".to_owned(), json!(place));
                object.insert("dir_name".to_owned(), json!(folder(cell)));
                object.insert("label".to_owned(), json!(cell.label()));
                object.insert("values".to_owned(), Value::Object(cell.values_by_path()));
                if full {
                    object.insert("benchmark".to_owned(), cell.config.to_input_config());
                }
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
        writeln!(text, "[{place}] dir={}  label={}", folder(cell), cell.label())?;
        if full {
            for line in aiperf_config_file::write(&cell.config.to_input_config()).lines() {
                writeln!(text, "    {line}")?;
            }
            text.push('\n');
        }
    }
    Ok(text)
}
