//! Options of the command line over a file. Only options that were given count; names with values are merged, all else
//! replaces what the file says.

use aiperf_config::{Parameter, PhaseKind};
use aiperf_options::catalogue::{Arity, OptionId};
use aiperf_options::{ConfigError, Given, PhaseOptions, RawOptions};
use serde_json::{Map, Value};

use crate::experiment::{is_list, of_warmup};
use crate::field::{ADAPTIVE_SCALE, Field, Form, OwnForm, PHASE};
use crate::multi_run;

/// Options that start a warmup if the file has none.
const WARMUP_TRIGGERS: [OptionId; 3] =
    [OptionId::WarmupRequestCount, OptionId::WarmupDuration, OptionId::NumWarmupSessions];

/// Options whose values are added to those of the file.
const MERGED: [OptionId; 2] = [OptionId::Header, OptionId::ExtraInputs];

/// The options that were given lists of values, as paths with values.
pub(crate) fn lists(typed: &RawOptions) -> Vec<(String, Vec<Value>)> {
    let list = |given: &Given| {
        let Arity::Sweep(parameter) = given.id.spec().arity else { return None };
        let text = given.values.first().filter(|_| is_list(given.id, &given.values))?;
        let values = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        let number = |piece: &str| serde_json::from_str(piece).unwrap_or_else(|_| Value::from(piece));
        Some((parameter.path().to_owned(), values.map(number).collect()))
    };
    typed.given().iter().filter_map(list).collect()
}

/// Puts the options that `applies` chooses over those of a file.
pub(crate) fn lay_over(options: &mut RawOptions, typed: &RawOptions, applies: fn(OptionId) -> bool) {
    for given in typed.given().iter().filter(|given| applies(given.id)) {
        options.set(given.id, given.spelling.clone(), given.values.clone());
    }
}

/// Puts the options of one run over those of the file. What the cell sets stays as it is. An option of a phase needs to know which
/// one is meant, so it is refused if there are several.
pub(crate) fn lay_over_phases(
    run: &mut RawOptions,
    phases: &mut Vec<PhaseOptions>,
    typed: &RawOptions,
    cell: &Map<String, Value>,
    file: &str,
) -> Result<(), ConfigError> {
    let load = options_of(PHASE);
    for given in typed.given() {
        let id = given.id;
        let elsewhere = id == OptionId::Config || is_list(id, &given.values);
        if elsewhere || is_set_by(id, cell) || (multi_run::applies(id) && id != OptionId::ConfidenceLevel) {
            continue;
        }
        if let Some(of_any) = of_warmup(id) {
            match only(phases, PhaseKind::Warmup, given, file)? {
                Some(warmup) => warmup.options.set(of_any, given.spelling.clone(), given.values.clone()),
                None if WARMUP_TRIGGERS.contains(&id) => {
                    let mut options = RawOptions::new();
                    options.set(of_any, given.spelling.clone(), given.values.clone());
                    let (name, kind) = (PhaseKind::Warmup.name().to_owned(), PhaseKind::Warmup);
                    phases.insert(0, PhaseOptions { name, kind, seamless: false, excluded: true, options });
                }
                // A rule about options says what is missing.
                None => run.set(id, given.spelling.clone(), given.values.clone()),
            }
        } else if load.contains(&id) || of_load(id) {
            if let Some(profiling) = only(phases, PhaseKind::Profiling, given, file)? {
                set_load(&mut profiling.options, given, typed);
            }
        } else if MERGED.contains(&id) {
            for value in &given.values {
                run.append(id, given.spelling.clone(), value.clone());
            }
        } else {
            run.set(id, given.spelling.clone(), given.values.clone());
        }
    }
    Ok(())
}

/// The phase of a kind that an option of the command line means; an error if there are several.
fn only<'a>(
    phases: &'a mut [PhaseOptions],
    kind: PhaseKind,
    given: &Given,
    file: &str,
) -> Result<Option<&'a mut PhaseOptions>, ConfigError> {
    let mut of_kind = phases.iter_mut().filter(|phase| phase.kind == kind);
    match (of_kind.next(), of_kind.next()) {
        (Some(_), Some(_)) => Err(ConfigError::Conflict {
            first: given.spelling.clone(),
            second: file.to_owned(),
            why: format!("the file has several {} phases; set it in the phase that you mean", kind.name()),
        }),
        (only, _) => Ok(only),
    }
}

/// Options of the load that no field of a phase stands for by itself.
const fn of_load(id: OptionId) -> bool {
    matches!(
        id,
        OptionId::RequestRate
            | OptionId::UserCentricRate
            | OptionId::ArrivalPattern
            | OptionId::FixedSchedule
            | OptionId::NoFixedSchedule
            | OptionId::RampShape
    )
}

/// Another way to pace requests replaces the one of the file. Two ways on the command line contradict each other, which a rule about
/// options says.
fn set_load(profiling: &mut RawOptions, given: &Given, typed: &RawOptions) {
    let is_off = given.values.first().is_some_and(|value| value == "false");
    let others: &[OptionId] = match given.id {
        OptionId::FixedSchedule if is_off => &[],
        OptionId::UserCentricRate | OptionId::FixedSchedule => {
            &[OptionId::RequestRate, OptionId::RequestRateSeries, OptionId::ArrivalPattern, OptionId::ArrivalSmoothness]
        }
        OptionId::RequestRate => &[OptionId::RequestRateSeries, OptionId::UserCentricRate, OptionId::FixedSchedule],
        _ => &[],
    };
    for other in others.iter().filter(|other| typed.get(**other).is_none()) {
        profiling.remove(*other);
    }
    profiling.set(given.id, given.spelling.clone(), given.values.clone());
}

/// Whether the cell of a sweep sets what this option says.
fn is_set_by(id: OptionId, cell: &Map<String, Value>) -> bool {
    let Arity::Sweep(parameter) = id.spec().arity else { return false };
    cell.keys().any(|path| parameter_at(path) == Some(parameter))
}

/// The parameter that a path of a file stands for, whatever the data set is called.
fn parameter_at(path: &str) -> Option<Parameter> {
    let path = match path.split('.').collect::<Vec<_>>().as_slice() {
        ["datasets" | "dataset", _, rest @ ..] => {
            let rest = rest.join(".");
            let rest = rest.strip_prefix("prompts.").unwrap_or(&rest);
            let rest = if rest.contains('.') { rest.to_owned() } else { format!("{rest}.mean") };
            let under = if rest.starts_with("turns") { "" } else { "prompts." };
            format!("datasets.main.{under}{rest}")
        }
        _ => path.to_owned(),
    };
    Parameter::at(&path)
}

/// All options that the fields of a section stand for.
pub(crate) fn options_of(fields: &[Field]) -> Vec<OptionId> {
    let mut ids = Vec::new();
    for field in fields {
        match field.form {
            Form::Scalar(id)
            | Form::Flag(id)
            | Form::NegatedFlag(id)
            | Form::List(id)
            | Form::Map(id)
            | Form::Pairs(id)
            | Form::Thresholds(id)
            | Form::Duration(id)
            | Form::Own(OwnForm::Ramp(id)) => ids.push(id),
            Form::Distribution(mean, stddev) => ids.extend([mean, stddev]),
            Form::Section(fields) => ids.extend(options_of(fields)),
            Form::Own(OwnForm::RateSeries) => ids.push(OptionId::RequestRateSeries),
            Form::Own(OwnForm::AdaptiveScale) => ids.extend(options_of(ADAPTIVE_SCALE)),
            Form::Own(OwnForm::Sla) => ids.push(OptionId::AdaptiveScaleSla),
            Form::Own(_) | Form::Refused(_) | Form::WithoutEffect(_) => {}
        }
    }
    ids
}

/// Options that cannot be given together with a file, with the reason.
pub(crate) fn refused(typed: &RawOptions) -> Option<(&Given, &'static str)> {
    let reason = |given: &Given| match given.id {
        OptionId::SweepType => Some("the file has a sweep of its own type; write it there"),
        OptionId::Variant => Some("a variant is of a sweep on the command line"),
        _ => None,
    };
    typed.given().iter().find_map(|given| reason(given).map(|reason| (given, reason)))
}
