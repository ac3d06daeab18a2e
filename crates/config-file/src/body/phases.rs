//! The phases of a run: `benchmark.phases`, or `benchmark.profiling` with `benchmark.warmup`.

use aiperf_config::PhaseKind;
use aiperf_options::PhaseOptions;
use aiperf_options::catalogue::OptionId;

use super::reader::{Reader, must_be_map, scalar, truth};
use crate::FileError;
use crate::field::PHASE;
use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue};

/// Keys of a phase that are not options.
const OWN_KEYS: [&str; 5] = ["name", "kind", "seamless", "exclude_from_results", "timing_mode"];

/// The phases in their order, each with its warnings.
pub(super) fn read(file: &str, body: &Node, path: &str) -> Result<Vec<(PhaseOptions, Vec<String>)>, FileError> {
    // A key without a value is the same as no key.
    let is_there = |entry: &&Entry| !matches!(entry.value.value, NodeValue::Null);
    let short = |name: &str| body.entries().iter().filter(is_there).find(|entry| snake(&entry.key) == name);
    let mut phases = Vec::new();
    match (short("phases"), short("profiling"), short("warmup")) {
        (Some(_), Some(other), _) | (Some(_), _, Some(other)) => {
            let problem =
                format!("phases and {} cannot be combined; put {} into the list of phases", other.key, other.key);
            return Err(FileError::at(other.key_position, path, problem));
        }
        (Some(entry), None, None) => {
            let path = format!("{path}.{}", entry.key);
            match &entry.value.value {
                NodeValue::List(items) => {
                    for (index, item) in items.iter().enumerate() {
                        phases.push(phase(file, item, &format!("{path}[{index}]"), None)?);
                    }
                }
                _ => phases.push(phase(file, &entry.value, &path, Some("profiling"))?),
            }
        }
        (None, Some(profiling), warmup) => {
            if let Some(warmup) = warmup {
                phases.push(phase(file, &warmup.value, &format!("{path}.{}", warmup.key), Some("warmup"))?);
            }
            phases.push(phase(file, &profiling.value, &format!("{path}.{}", profiling.key), Some("profiling"))?);
        }
        (None, None, Some(warmup)) => {
            return Err(FileError::at(
                warmup.key_position,
                path,
                "a warmup needs a profiling phase after it; add `profiling`",
            ));
        }
        (None, None, None) => {
            return Err(FileError::at(
                body.position,
                path,
                "there are no phases; add `profiling: {concurrency: 8, requests: 100}`",
            ));
        }
    }
    check(&phases, body, path)?;
    Ok(phases)
}

fn check(phases: &[(PhaseOptions, Vec<String>)], body: &Node, path: &str) -> Result<(), FileError> {
    let wrong = |problem: String| Err(FileError::at(body.position, format!("{path}.phases"), problem));
    for (index, (phase, _)) in phases.iter().enumerate() {
        if phases[..index].iter().any(|(other, _)| other.name == phase.name) {
            return wrong(format!("two phases are called {}; give each a name of its own", phase.name));
        }
    }
    if phases.first().is_some_and(|(first, _)| first.seamless) {
        return wrong("the first phase cannot be seamless: no phase is before it".to_owned());
    }
    if !phases.iter().any(|(phase, _)| phase.kind == PhaseKind::Profiling) {
        return wrong("there is no profiling phase; add one, or set `kind: profiling`".to_owned());
    }
    if !phases.iter().any(|(phase, _)| phase.is_measured()) {
        return wrong(
            "no profiling phase counts in the results; leave out `excludeFromResults` of one of them".to_owned(),
        );
    }
    Ok(())
}

fn phase(
    file: &str,
    node: &Node,
    path: &str,
    usual_name: Option<&str>,
) -> Result<(PhaseOptions, Vec<String>), FileError> {
    let mut reader = Reader::new(file);
    must_be_map(node, path)?;
    let text = |key: &str| match node.get(key) {
        Some(value) => {
            scalar(value).map(Some).map_err(|problem| FileError::at(value.position, format!("{path}.{key}"), problem))
        }
        None => Ok(None),
    };
    let flag = |name: &str| match node.entries().iter().find(|entry| snake(&entry.key) == name) {
        Some(entry) => truth(&entry.value)
            .map(Some)
            .map_err(|problem| FileError::at(entry.value.position, format!("{path}.{}", entry.key), problem)),
        None => Ok(None),
    };
    let name = text("name")?.or_else(|| usual_name.map(ToOwned::to_owned));
    let Some(name) = name else { return Err(FileError::at(node.position, path, "a phase needs a name")) };
    check_name(&name).map_err(|problem| FileError::at(node.position, format!("{path}.name"), problem))?;
    let kind = match text("kind")?.as_deref().or(if usual_name.is_some() { usual_name } else { Some(name.as_str()) }) {
        Some("warmup") => PhaseKind::Warmup,
        Some("profiling") => PhaseKind::Profiling,
        other => {
            let problem =
                format!("{:?} is not a kind; set `kind: warmup` or `kind: profiling`", other.unwrap_or_default());
            return Err(FileError::at(node.position, format!("{path}.kind"), problem));
        }
    };
    for entry in node.entries() {
        let key = snake(&entry.key);
        let path = format!("{path}.{}", entry.key);
        if !OWN_KEYS.contains(&key.as_str()) {
            reader.entry(entry, &path, PHASE, &OWN_KEYS)?;
        }
    }
    load_type(&mut reader, node, path)?;
    if let Some(entry) = node.entries().iter().find(|entry| snake(&entry.key) == "timing_mode") {
        timing_mode(&reader, node, &entry.value, &format!("{path}.{}", entry.key))?;
    }
    let seamless = flag("seamless")?.unwrap_or(false);
    let excluded = match (kind, flag("exclude_from_results")?) {
        (PhaseKind::Warmup, Some(false)) => {
            let problem = "a warmup is never in the results; leave out the key, or set `kind: profiling`";
            return Err(FileError::at(node.position, format!("{path}.excludeFromResults"), problem));
        }
        (PhaseKind::Warmup, _) => true,
        (PhaseKind::Profiling, excluded) => excluded.unwrap_or(false),
    };
    let (options, warnings) = reader.finish();
    Ok((PhaseOptions { name, kind, seamless, excluded, options }, warnings))
}

/// `timingMode` follows from the other fields; what it says must agree with them. An agentic replay follows from the scenario of the
/// run, which refuses what does not belong to it.
fn timing_mode(reader: &Reader<'_>, phase: &Node, mode: &Node, path: &str) -> Result<(), FileError> {
    let given = scalar(mode).map_err(|problem| FileError::at(mode.position, path, problem))?;
    let kind = phase.get("type").and_then(Node::word);
    let follows = match kind.as_deref() {
        _ if reader.is_on(OptionId::AdaptiveScale) => "adaptive_scale",
        Some("user_centric") => "user_centric_rate",
        Some("fixed_schedule") => "fixed_schedule",
        _ => "request_rate",
    };
    let is_replay = given == "agentic_replay" && kind.as_deref().is_none_or(|kind| kind == "concurrency");
    if given == follows || is_replay {
        return Ok(());
    }
    let problem = format!("{given:?} does not agree with the other fields, which mean {follows}; leave the key out");
    Err(FileError::at(mode.position, path, problem))
}

fn check_name(name: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Ok(());
    }
    Err(format!("{name:?} is not a name; use letters, digits, _ and -, and begin with a letter or _"))
}

/// The options that follow from the type of the load and its rate.
fn load_type(reader: &mut Reader<'_>, node: &Node, path: &str) -> Result<(), FileError> {
    let named = node.get("type");
    let kind = named
        .map(|value| scalar(value).map_err(|problem| FileError::at(value.position, format!("{path}.type"), problem)));
    let kind = kind.transpose()?;
    let rate = node.get("rate");
    let here = named.unwrap_or(node);
    let rate_option = match kind.as_deref() {
        None | Some("concurrency") => OptionId::RequestRate,
        Some(pattern @ ("poisson" | "constant" | "gamma")) => {
            reader.put(OptionId::ArrivalPattern, here, &format!("{path}.type"), vec![pattern.to_owned()]);
            if rate.is_none() && !node.entries().iter().any(|entry| snake(&entry.key) == "rate_series") {
                let problem = format!("a {pattern} phase needs `rate` or `rateSeries`");
                return Err(FileError::at(here.position, path, problem));
            }
            OptionId::RequestRate
        }
        Some("user_centric") => OptionId::UserCentricRate,
        Some("fixed_schedule") => {
            reader.put(OptionId::FixedSchedule, here, &format!("{path}.type"), vec!["true".to_owned()]);
            OptionId::RequestRate
        }
        Some(other) => {
            let problem = format!(
                "{other:?} is not a type of load; choose concurrency, poisson, constant, gamma, user_centric or fixed_schedule"
            );
            return Err(FileError::at(here.position, format!("{path}.type"), problem));
        }
    };
    if let Some(rate) = rate {
        let path = format!("{path}.rate");
        let word = scalar(rate).map_err(|problem| FileError::at(rate.position, path.as_str(), problem))?;
        if matches!(kind.as_deref(), None | Some("concurrency")) {
            let problem = "a concurrency phase has no rate; set `type: poisson`, `constant` or `gamma`";
            return Err(FileError::at(rate.position, path, problem));
        }
        reader.put(rate_option, rate, &path, vec![word]);
    }
    Ok(())
}
