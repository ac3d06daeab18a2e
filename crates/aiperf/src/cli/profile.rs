//! From matched arguments to raw options, in the order typed.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aiperf_config::{Environment, Experiment, ListModels, Target};
use aiperf_config_file::{ConfigFile, ConfigFileError, shown_file_of};
use aiperf_experiment::ExperimentPlan;
use aiperf_options::catalogue::{OptionId, OptionSpec, options};
use aiperf_options::{ConfigError, Given, RawOptions};
use clap::ArgMatches;
use clap::parser::ValueSource;

use super::spelling::Typed;
use super::{CliError, capacity};

pub(super) fn raw_options(matches: &ArgMatches, typed: &Typed) -> RawOptions {
    let mut found: Vec<(usize, &OptionSpec, Vec<String>)> = options()
        .filter_map(|spec| {
            let (id, values) = values(matches, spec)?;
            // An option with no value at all has no place of its own; its order does not matter.
            let place = matches.indices_of(id).and_then(|mut indices| indices.next()).unwrap_or(usize::MAX);
            Some((place, spec, values))
        })
        .collect();
    found.sort_by_key(|(place, ..)| *place);
    let mut raw = RawOptions::default();
    for (_, spec, values) in found {
        let spelling = typed.of(spec.id).map_or_else(|| short_or_long(spec), str::to_owned);
        raw.push(spec.id, spelling, values);
    }
    raw
}

/// Options that may stand next to `--resume` when it repeats the command of the plan.
const NEXT_TO_RESUME: [OptionId; 10] = [
    OptionId::PluginDir,
    OptionId::Resume,
    OptionId::DryRun,
    OptionId::FailFast,
    OptionId::UiType,
    OptionId::Verbose,
    OptionId::ExtraVerbose,
    OptionId::LogLevel,
    OptionId::NoSweepTable,
    OptionId::OutputArtifactDir,
];

/// The whole command: `--resume FOLDER` alone stands for the command that made the plan in that folder. The files go where they
/// went.
fn whole_command(raw: &RawOptions) -> Result<Cow<'_, RawOptions>, CliError> {
    let Some(given) = raw.get(OptionId::Resume) else { return Ok(Cow::Borrowed(raw)) };
    let folder = given.values.first().cloned().unwrap_or_default();
    let mut whole = raw.clone();
    // `aiperf capacity` stands for an option that nobody typed.
    let is_next = |given: &Given| NEXT_TO_RESUME.contains(&given.id) || given.spelling == capacity::SPELLING;
    if raw.given().iter().all(is_next) {
        let plan = ExperimentPlan::read(Path::new(&folder))
            .map_err(|problem| CliError::OptionValue { option: given.spelling.clone(), problem })?;
        // What is said now goes over what was said then.
        let mut then = RawOptions::restore(&plan.options())?;
        then.remove(OptionId::DryRun);
        whole.extend(then);
    }
    if let Some(other) = raw.get(OptionId::OutputArtifactDir).filter(|dir| dir.values.first() != Some(&folder)) {
        let why = "the files go into the folder that is resumed; leave one of them out".to_owned();
        return Err(ConfigError::Conflict { first: given.spelling.clone(), second: other.spelling.clone(), why }.into());
    }
    whole.set(OptionId::OutputArtifactDir, OptionId::OutputArtifactDir.flag(), vec![folder]);
    Ok(Cow::Owned(whole))
}

/// The runs of the options, or of the configuration file that they name. A run without a model takes the only one of its server.
pub(super) fn experiment(raw: &RawOptions, environment: &Environment) -> Result<Experiment, CliError> {
    let raw = &*whole_command(raw)?;
    match (resolve(raw, environment), environment.listed_models) {
        (Err(CliError::Config(ConfigError::NoModel)), Some(list)) if !raw.is_given(OptionId::ModelNames) => {
            resolve_with_listed_model(raw, environment, list)
        }
        (result, _) => result,
    }
}

fn resolve_with_listed_model(
    raw: &RawOptions,
    environment: &Environment,
    list: ListModels,
) -> Result<Experiment, CliError> {
    let with = |model: &str| {
        let mut raw = raw.clone();
        raw.push(OptionId::ModelNames, OptionId::ModelNames.flag(), vec![model.to_owned()]);
        resolve(&raw, environment)
    };
    // Only its server is used: where it is, and how it is asked.
    let unnamed = with("model")?;
    let config = &unnamed.cells[0].config;
    let url = match config.endpoint.targets.first() {
        Some(Target::Url(address)) => aiperf_redact::shown_url(address.as_str()),
        _ => return Err(ConfigError::NoModel.into()),
    };
    let mut models = list(config).map_err(|reason| CliError::ModelsUnknown { url: url.clone(), reason })?;
    models.dedup();
    match models.as_slice() {
        [] => Err(CliError::NoModelListed { url }),
        [model] => {
            let mut experiment = with(model)?;
            for cell in &mut experiment.cells {
                cell.config.warnings.push(format!("no model given: using {model}, the only one that {url} lists"));
            }
            Ok(experiment)
        }
        _ => Err(CliError::SeveralModels { url, models: models.join(", ") }),
    }
}

fn resolve(raw: &RawOptions, environment: &Environment) -> Result<Experiment, CliError> {
    let Some(given) = raw.config_file() else {
        let mut experiment = raw.resolve_experiment(environment)?;
        experiment.file =
            shown_file_of(raw, &experiment).map_or_else(|_| String::new(), |file| with_advice(&file, &experiment));
        return Ok(experiment);
    };
    let path = given.values.first().map(PathBuf::from).unwrap_or_default();
    let path = if path.exists() { path } else { environment.current_dir.join(path) };
    if !path.exists() {
        let (flag, path) = (given.spelling.clone(), path.display().to_string());
        return Err(ConfigError::Unreadable { flag, path, reason: "no such file".to_owned() }.into());
    }
    let file = ConfigFile::load(&path, &environment.variables).map_err(ConfigFileError::from)?;
    let mut experiment = file.experiment(raw, environment)?;
    if let Some(resource) = file.custom_resource().filter(|resource| !resource.deployment.is_empty()) {
        let keys: Vec<&str> = resource.deployment.keys().map(String::as_str).collect();
        let warning =
            format!("these settings are for `aiperf kube` and have no effect on this machine: {}", keys.join(", "));
        experiment.cells.iter_mut().for_each(|cell| cell.config.warnings.push(warning.clone()));
    }
    experiment.file = with_advice(&file.shown(raw).map_err(ConfigFileError::from)?, &experiment);
    Ok(experiment)
}

/// The file that is written among the results, with what its reader must know to repeat the run.
fn with_advice(file: &serde_json::Value, experiment: &Experiment) -> String {
    let file = aiperf_config_file::write(file);
    let mut text = "# What was run. To run it again: aiperf profile -f aiperf_config.yaml\n".to_owned();
    if experiment.seeds.base.is_none() {
        text.push_str("# It had no randomSeed, so that each run draws other data.\n");
    }
    if file.contains(aiperf_redact::REDACTED) {
        text.push_str("# Secrets were left out; put them in place of <redacted>.\n");
    }
    text + &file
}

fn values(matches: &ArgMatches, spec: &'static OptionSpec) -> Option<(&'static str, Vec<String>)> {
    if let Some(negative) = spec.negative
        && matches.value_source(negative) == Some(ValueSource::CommandLine)
    {
        return Some((negative, vec!["false".to_owned()]));
    }
    let id = spec.long[0];
    (matches.value_source(id) == Some(ValueSource::CommandLine))
        .then(|| (id, matches.get_many::<String>(id).into_iter().flatten().cloned().collect()))
}

/// What was typed when it was not a long name.
fn short_or_long(spec: &OptionSpec) -> String {
    spec.short.map_or_else(|| spec.id.flag(), |short| format!("-{short}"))
}
