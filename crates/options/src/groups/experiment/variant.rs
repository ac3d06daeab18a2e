//! Hand-picked points of a sweep: `--variant "[name:] option=value, option=value"`.

use std::collections::BTreeSet;

use aiperf_config::{Cell, CellVariation, Environment};
use serde_json::Value;

use crate::catalogue::{Arity, OptionId, OptionSpec, ValueKind, options};
use crate::grammar::number;
use crate::{ConfigError, RawOptions};

/// Options that belong to the whole command, not to one of its points.
const OF_THE_COMMAND: [OptionId; 9] = [
    OptionId::Variant,
    OptionId::Config,
    OptionId::OutputArtifactDir,
    OptionId::NumProfileRuns,
    OptionId::ParameterSweepMode,
    OptionId::SweepType,
    OptionId::Resume,
    OptionId::DryRun,
    OptionId::FailFast,
];

/// A point and the options that it sets.
#[derive(Debug)]
pub(super) struct Variant {
    name: String,
    /// As typed, with the option that each name stands for.
    settings: Vec<(String, &'static OptionSpec, String)>,
}

impl Variant {
    /// All points; none if the option was not given. `has_lists`: other options were given lists of values.
    pub(super) fn find(raw: &RawOptions, has_lists: bool) -> Result<Vec<Self>, ConfigError> {
        let texts = raw.tokens(OptionId::Variant);
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let bad = |text: &str, why: &str| raw.bad(OptionId::Variant, text, why);
        if has_lists {
            return Err(bad(&texts[0], "cannot be combined with a list of values; write all points as variants"));
        }
        let [_, _, ..] = texts else {
            return Err(bad(&texts[0], "a sweep needs at least two points; give --variant at least twice"));
        };
        let mut names = BTreeSet::new();
        let mut variants = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let variant = Self::read(text, index).map_err(|why| bad(text, &why))?;
            if !names.insert(variant.name.clone()) {
                return Err(bad(text, &format!("there are two variants called {}", variant.name)));
            }
            variants.push(variant);
        }
        Ok(variants)
    }

    fn read(text: &str, index: usize) -> Result<Self, String> {
        // A colon before the first `=` ends the name.
        let head = text.split('=').next().unwrap_or_default();
        let (name, rest) = match head.split_once(':') {
            Some((name, _)) => (name.trim().to_owned(), &text[name.len() + 1..]),
            None => (format!("v{index}"), text),
        };
        let is_plain = !name.contains(['/', '\\', '\0']) && !name.trim_matches('.').is_empty();
        if !is_plain {
            return Err("the name must not be empty, and must have no slash: it names a folder".to_owned());
        }
        let mut settings: Vec<(String, &'static OptionSpec, String)> = Vec::new();
        for piece in rest.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
            let Some((key, value)) = piece.split_once('=') else {
                return Err(format!("{piece:?} is not option=value"));
            };
            let (key, value) = (key.trim(), value.trim());
            let long = key.trim_start_matches('-').replace('_', "-");
            let Some(spec) = options().find(|spec| spec.long.contains(&long.as_str())) else {
                return Err(format!("{key:?} is not an option of aiperf profile"));
            };
            if OF_THE_COMMAND.contains(&spec.id) {
                return Err(format!("{key} belongs to the whole command, not to one point"));
            }
            if settings.iter().any(|(_, known, _)| known.id == spec.id) {
                return Err(format!("{key} is set twice"));
            }
            settings.push((key.to_owned(), spec, value.to_owned()));
        }
        if settings.is_empty() {
            return Err("sets no option; write option=value".to_owned());
        }
        Ok(Self { name, settings })
    }

    /// The options of the command with those of the point.
    fn options(&self, raw: &RawOptions) -> RawOptions {
        let mut own = raw.clone();
        own.remove(OptionId::Variant);
        for (key, spec, value) in &self.settings {
            own.set(spec.id, format!("--variant {}: {key}", self.name), vec![value.clone()]);
        }
        own
    }

    /// The values by the names under which files have them: the path of a parameter, or the name of the option.
    fn values(&self) -> Vec<(String, Value)> {
        let named = |(key, spec, value): &(String, &'static OptionSpec, String)| {
            let path = match spec.arity {
                Arity::Sweep(parameter) => parameter.path().to_owned(),
                _ => key.replace('-', "_"),
            };
            (path, typed(spec, value))
        };
        self.settings.iter().map(named).collect()
    }
}

/// A whole number, a number, a truth value or a text, whichever fits first.
fn typed(spec: &OptionSpec, value: &str) -> Value {
    if spec.value == ValueKind::Flag {
        return number::truth(value).map_or_else(|| value.into(), Value::from);
    }
    let is_number = |value: &Value| value.is_number() || value.is_boolean();
    serde_json::from_str(value).ok().filter(is_number).unwrap_or_else(|| value.into())
}

/// The points of `--variant` by name, each with all of its options.
pub fn variant_options(raw: &RawOptions) -> Result<Vec<(String, RawOptions)>, ConfigError> {
    let variants = Variant::find(raw, false)?;
    Ok(variants.into_iter().map(|variant| (variant.name.clone(), variant.options(raw))).collect())
}

pub(super) fn cells(
    raw: &RawOptions,
    variants: &[Variant],
    environment: &Environment,
) -> Result<Vec<Cell>, ConfigError> {
    let mut cells = Vec::new();
    for variant in variants {
        let mut config = variant.options(raw).resolve(environment)?;
        config.command_line = crate::command_line::repeat(raw, &environment.variables);
        let variation =
            CellVariation { label: variant.name.clone(), folder: variant.name.clone(), values: variant.values() };
        cells.push(Cell { config, variation: Some(variation) });
    }
    Ok(cells)
}

/// What the points set, with all values.
pub(super) fn parameters(variants: &[Variant]) -> Vec<(String, Vec<Value>)> {
    let all: Vec<(String, Value)> = variants.iter().flat_map(Variant::values).collect();
    aiperf_config::swept_parameters(all.iter().map(|(path, value)| (path.as_str(), value)))
}
