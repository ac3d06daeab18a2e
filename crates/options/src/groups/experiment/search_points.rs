//! The points of a search on the command line: each sets some options to other values.

use std::error::Error;

use aiperf_config::{Config, Environment, Parameter, SearchPoints, SearchSpec};
use serde_json::{Map, Value};

use super::sweep;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Options that end a run.
const STOPS: [OptionId; 3] = [OptionId::RequestCount, OptionId::ConversationNum, OptionId::BenchmarkDuration];

/// The options of all points.
#[derive(Debug)]
pub(super) struct OptionPoints {
    raw: RawOptions,
    environment: Environment,
    /// Of the whole search.
    command_line: String,
}

impl OptionPoints {
    pub(super) fn new(raw: &RawOptions, spec: &SearchSpec, environment: &Environment) -> Result<Self, ConfigError> {
        for dimension in &spec.space {
            if option_at(&dimension.path).is_none() {
                let why = "no option stands for this path; put the search into a configuration file, or search one of \
                           concurrency, prefill_concurrency, rate, requests, duration, sessions, users, smoothness, grace_period, \
                           concurrency_ramp, prefill_ramp, rate_ramp, datasets.main.prompts.isl, datasets.main.prompts.osl, \
                           datasets.main.turns";
                return Err(raw.bad(OptionId::SearchSpace, &dimension.path, why));
            }
        }
        let command_line = crate::command_line::repeat(raw, &environment.variables);
        let mut raw = raw.clone();
        raw.prepare_probes(spec);
        Ok(Self { raw, environment: environment.clone(), command_line })
    }
}

impl OptionPoints {
    /// The run of a point.
    pub(super) fn resolve(&self, values: &Map<String, Value>) -> Result<Config, ConfigError> {
        let mut own = self.raw.clone();
        for (path, value) in values {
            if let Some(id) = option_at(path) {
                own.set(id, own.spelling(id), vec![value.to_string()]);
            }
        }
        let mut config = own.resolve(&self.environment)?;
        // Whoever repeats it wants the whole search.
        config.command_line.clone_from(&self.command_line);
        Ok(config)
    }
}

impl SearchPoints for OptionPoints {
    fn config(&self, values: &Map<String, Value>) -> Result<Config, Box<dyn Error + Send + Sync>> {
        Ok(self.resolve(values)?)
    }
}

impl RawOptions {
    /// Gives the runs of a search the number of requests that its precision asks for, if they have no other end.
    pub fn prepare_probes(&mut self, spec: &SearchSpec) {
        let is_open = !STOPS.into_iter().any(|id| self.is_given(id)) && !self.is_given(OptionId::RequestRateSeries);
        if spec.shapes_probes() && is_open {
            self.set(OptionId::RequestCount, OptionId::RequestCount.flag(), vec![spec.probe_requests.to_string()]);
        }
    }
}

/// The option that a path of a configuration file stands for.
fn option_at(path: &str) -> Option<OptionId> {
    if let Some(parameter) = Parameter::at(path) {
        return Some(sweep::option(parameter));
    }
    match path.split('.').collect::<Vec<_>>().as_slice() {
        ["phases", "profiling", "smoothness"] => Some(OptionId::ArrivalSmoothness),
        ["phases", "profiling", "grace_period"] => Some(OptionId::BenchmarkGracePeriod),
        ["phases", "profiling", "concurrency_ramp"] => Some(OptionId::ConcurrencyRampDuration),
        ["phases", "profiling", "prefill_ramp"] => Some(OptionId::PrefillConcurrencyRampDuration),
        ["phases", "profiling", "rate_ramp"] => Some(OptionId::RequestRateRampDuration),
        ["datasets" | "dataset", _, "prompts", length] | ["datasets" | "dataset", _, length] => {
            length_option(length, "mean")
        }
        ["datasets" | "dataset", _, "prompts", length, part] | ["datasets" | "dataset", _, length, part] => {
            length_option(length, part)
        }
        _ => None,
    }
}

fn length_option(length: &str, part: &str) -> Option<OptionId> {
    match (length, part) {
        ("isl", "mean") => Some(OptionId::PromptInputTokensMean),
        ("isl", "stddev") => Some(OptionId::PromptInputTokensStddev),
        ("osl", "mean") => Some(OptionId::PromptOutputTokensMean),
        ("osl", "stddev") => Some(OptionId::PromptOutputTokensStddev),
        ("turns", "mean") => Some(OptionId::ConversationTurnMean),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stand_for_options() {
        assert_eq!(option_at("phases.profiling.rate"), Some(OptionId::RequestRate));
        assert_eq!(option_at("datasets.main.prompts.isl"), Some(OptionId::PromptInputTokensMean));
        assert_eq!(option_at("datasets.main.osl.stddev"), Some(OptionId::PromptOutputTokensStddev));
        assert_eq!(option_at("endpoint.timeout"), None);
    }
}
