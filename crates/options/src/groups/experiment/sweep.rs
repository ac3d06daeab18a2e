//! Lists of values: which options have one, and how they combine.

use std::collections::BTreeSet;

use aiperf_config::{Parameter, Sweep, SweepOrder, SweptValue, Trials};
use serde_json::Value;

use crate::catalogue::{Arity, OptionId, ValueKind};
use crate::grammar::{length, number};
use crate::{ConfigError, RawOptions};

/// Options that mean nothing without a list.
const OF_SWEEPS: [OptionId; 5] = [
    OptionId::ParameterSweepCooldownSeconds,
    OptionId::ParameterSweepSameSeed,
    OptionId::ParameterSweepMode,
    OptionId::SweepType,
    OptionId::NoSweepTable,
];

/// Cells that a sweep may have: more is a slip of the keyboard.
const MOST_CELLS: usize = 10_000;

/// The option that a parameter is swept with.
pub(super) const fn option(parameter: Parameter) -> OptionId {
    match parameter {
        Parameter::InputTokensMean => OptionId::PromptInputTokensMean,
        Parameter::InputTokensStddev => OptionId::PromptInputTokensStddev,
        Parameter::OutputTokensMean => OptionId::PromptOutputTokensMean,
        Parameter::OutputTokensStddev => OptionId::PromptOutputTokensStddev,
        Parameter::TurnsMean => OptionId::ConversationTurnMean,
        Parameter::Duration => OptionId::BenchmarkDuration,
        Parameter::PrefillConcurrency => OptionId::PrefillConcurrency,
        Parameter::RequestRate => OptionId::RequestRate,
        Parameter::RequestCount => OptionId::RequestCount,
        Parameter::SessionCount => OptionId::ConversationNum,
        Parameter::Users => OptionId::NumUsers,
        Parameter::Concurrency => OptionId::Concurrency,
    }
}

/// All options that were given several values.
#[derive(Debug)]
pub(super) struct Lists {
    /// In alphabetical order of their paths.
    parameters: Vec<(Parameter, Vec<SweptValue>)>,
    side_by_side: bool,
}

impl Lists {
    pub(super) fn find(raw: &RawOptions) -> Result<Option<Self>, ConfigError> {
        let mut parameters = Vec::new();
        for given in raw.given() {
            let Arity::Sweep(parameter) = given.id.spec().arity else { continue };
            let Some(text) = given.values.first().filter(|text| !length::is_description(text)) else { continue };
            let pieces: Vec<&str> = text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect();
            if pieces.len() > 1 {
                let values = pieces.iter().map(|piece| value(raw, given.id, piece)).collect::<Result<Vec<_>, _>>()?;
                parameters.push((parameter, values));
            }
        }
        parameters.sort_by_key(|(parameter, _)| parameter.path());
        let side_by_side = raw.choice(OptionId::SweepType)? == Some("zip");
        Ok((!parameters.is_empty()).then_some(Self { parameters, side_by_side }))
    }

    /// What sets each cell apart, in the order in which cells are run.
    pub(super) fn combinations(&self, raw: &RawOptions) -> Result<Vec<Vec<(Parameter, SweptValue)>>, ConfigError> {
        let combinations = if self.side_by_side { self.zip(raw)? } else { self.grid(raw)? };
        let mut seen = BTreeSet::new();
        for settings in &combinations {
            let texts: Vec<String> = settings.iter().map(|(_, value)| value.text()).collect();
            if !seen.insert(texts.clone()) {
                let (parameter, _) = settings[0];
                let why = if settings.len() == 1 {
                    format!("{} is in the list twice", texts[0])
                } else {
                    format!("the lists contain the combination {} twice", texts.join(" with "))
                };
                let text = raw.text(option(parameter)).unwrap_or_default();
                return Err(raw.bad(
                    option(parameter),
                    text,
                    &format!("{why}; use --num-profile-runs to repeat a point"),
                ));
            }
        }
        Ok(combinations)
    }

    /// The first option that has a list.
    pub(super) fn first_option(&self) -> Option<OptionId> {
        self.parameters.first().map(|(parameter, _)| option(*parameter))
    }

    /// An option with a list; `allows_concurrency`: that of the concurrency does not count.
    pub(super) fn other_than(&self, allows_concurrency: bool) -> Option<OptionId> {
        let counts = |parameter: &Parameter| !(allows_concurrency && *parameter == Parameter::Concurrency);
        self.parameters.iter().map(|(parameter, _)| *parameter).find(counts).map(option)
    }

    /// The lists by the names that tables have for them.
    pub(super) fn named(&self) -> Vec<(String, Vec<Value>)> {
        let name = |(parameter, values): &(Parameter, Vec<SweptValue>)| {
            (parameter.name().to_owned(), values.iter().map(|value| value.json()).collect())
        };
        self.parameters.iter().map(name).collect()
    }

    fn zip(&self, raw: &RawOptions) -> Result<Vec<Vec<(Parameter, SweptValue)>>, ConfigError> {
        let length = self.parameters[0].1.len();
        if self.parameters.iter().any(|(_, values)| values.len() != length) {
            let lengths = self.parameters.iter().map(|(parameter, values)| {
                let noun = if values.len() == 1 { "value" } else { "values" };
                format!("{} has {} {noun}", raw.spelling(option(*parameter)), values.len())
            });
            let lengths = lengths.collect::<Vec<_>>().join(", ");
            let why = format!("zipped lists must have the same length, but {lengths}");
            return Err(raw.bad(OptionId::SweepType, "zip", &why));
        }
        let row =
            |place: usize| self.parameters.iter().map(|(parameter, values)| (*parameter, values[place])).collect();
        Ok((0..length).map(row).collect())
    }

    fn grid(&self, raw: &RawOptions) -> Result<Vec<Vec<(Parameter, SweptValue)>>, ConfigError> {
        let size = self.parameters.iter().try_fold(1_usize, |size, (_, values)| size.checked_mul(values.len()));
        if size.is_none_or(|size| size > MOST_CELLS) {
            let (parameter, _) = self.parameters[0];
            let text = raw.text(option(parameter)).unwrap_or_default();
            let why =
                format!("the lists combine to more than {MOST_CELLS} points; shorten them or use --sweep-type zip");
            return Err(raw.bad(option(parameter), text, &why));
        }
        let mut rows = vec![Vec::new()];
        for (parameter, values) in &self.parameters {
            let longer = |row: &Vec<(Parameter, SweptValue)>| {
                let row = row.clone();
                values.iter().map(move |value| row.iter().copied().chain([(*parameter, *value)]).collect())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        Ok(rows)
    }
}

fn value(raw: &RawOptions, id: OptionId, text: &str) -> Result<SweptValue, ConfigError> {
    if id.spec().value == ValueKind::Int {
        let whole = number::int(text).and_then(|value| i64::try_from(value).ok());
        return whole.map(SweptValue::Whole).ok_or_else(|| raw.bad(id, text, "must be a whole number"));
    }
    let expected = "must be a number without a unit, such as 5, 0.5 or 1e3";
    number::float(text).map(SweptValue::Real).ok_or_else(|| raw.bad(id, text, expected))
}

/// `parameters`: what is varied with its values; `None` without a sweep.
pub(super) fn resolve(
    raw: &RawOptions,
    parameters: Option<Vec<(String, Vec<Value>)>>,
    trials: &Trials,
) -> Result<Option<Sweep>, ConfigError> {
    let is_swept = parameters.is_some();
    let sweep = common(raw, parameters.unwrap_or_default())?;
    if !is_swept {
        return match OF_SWEEPS.into_iter().find(|id| raw.is_given(*id)) {
            Some(id) => {
                let why = "it applies to the points of a sweep, and this run has one point";
                Err(raw.needs_text(id, "a list of values for an option, such as --concurrency 1,2,4", why))
            }
            None => Ok(None),
        };
    }
    if raw.is_given(OptionId::ParameterSweepMode) && trials.count == 1 {
        let why = "the mode only orders repeated runs, and each point runs once";
        return Err(raw.needs_text(OptionId::ParameterSweepMode, "--num-profile-runs above 1", why));
    }
    check_order(raw, sweep.order, trials)?;
    Ok(Some(sweep))
}

/// What goes for sweeps of all kinds.
pub(super) fn common(raw: &RawOptions, parameters: Vec<(String, Vec<Value>)>) -> Result<Sweep, ConfigError> {
    let cooldown = raw.seconds(OptionId::ParameterSweepCooldownSeconds)?.unwrap_or_default();
    let shows_tables = !raw.flag(OptionId::NoSweepTable)?;
    let order = match raw.choice(OptionId::ParameterSweepMode)? {
        Some("independent") => SweepOrder::Independent,
        _ => SweepOrder::Repeated,
    };
    Ok(Sweep { parameters, order, cooldown, shows_tables, sla_filters: Vec::new(), post_process: None })
}

pub(super) fn check_order(raw: &RawOptions, order: SweepOrder, trials: &Trials) -> Result<(), ConfigError> {
    if trials.convergence.is_some() && order == SweepOrder::Repeated {
        let why = "convergence is checked between consecutive runs of the same point";
        return Err(raw.needs_text(OptionId::ConvergenceMetric, "--parameter-sweep-mode independent", why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::options;

    #[test]
    fn the_row_of_each_parameter_names_that_parameter() {
        for spec in options() {
            if let Arity::Sweep(parameter) = spec.arity {
                assert_eq!(option(parameter), spec.id);
            }
        }
    }
}
