//! Which models are asked for.

use std::sync::Arc;

use aiperf_config::{ModelSelection, Target};

use crate::catalogue::OptionId;
use crate::grammar::number;
use crate::{ConfigError, RawOptions};

/// What the embedded simulator answers to.
const SIM_MODEL: &str = "sim-model";

pub(in crate::groups) fn resolve(
    raw: &RawOptions,
    targets: &[Target],
) -> Result<(Vec<Arc<str>>, ModelSelection), ConfigError> {
    let is_blank = |token: &&String| token.split(',').any(|name| name.trim().is_empty());
    let blank = raw.tokens(OptionId::ModelNames).iter().find(is_blank);
    let mut models: Vec<Arc<str>> = raw.list(OptionId::ModelNames).into_iter().map(Arc::from).collect();
    if models.is_empty() {
        let only_sim = targets.iter().all(|target| matches!(target, Target::Sim(_)));
        if raw.is_given(OptionId::ModelNames) || !only_sim {
            return Err(ConfigError::NoModel);
        }
        models.push(Arc::from(SIM_MODEL));
    } else if let Some(token) = blank {
        return Err(raw.bad(OptionId::ModelNames, token, "a name in the list is empty; remove the extra comma"));
    }
    let selection = match raw.choice(OptionId::ModelSelectionStrategy)? {
        Some("weighted") => ModelSelection::Weighted(weights(raw, models.len())?),
        _ if raw.is_given(OptionId::ModelWeights) => {
            let needs = format!("{} weighted", raw.spelling(OptionId::ModelSelectionStrategy));
            return Err(raw.needs_text(OptionId::ModelWeights, &needs, "it says how often each model is chosen"));
        }
        Some("random") => ModelSelection::Random,
        _ => ModelSelection::RoundRobin,
    };
    Ok((models, selection))
}

/// How far the shares may be from 1 together.
const TOLERANCE: f64 = 0.01;

fn weights(raw: &RawOptions, models: usize) -> Result<Arc<[f64]>, ConfigError> {
    let id = OptionId::ModelWeights;
    let texts = raw.list(id);
    if texts.is_empty() {
        let strategy = OptionId::ModelSelectionStrategy;
        return Err(raw.needs(strategy, id, "it draws models by their weights"));
    }
    let mut weights = Vec::with_capacity(texts.len());
    for text in &texts {
        let weight = number::float(text).filter(|weight| (0.0..=1.0).contains(weight));
        weights.push(weight.ok_or_else(|| raw.bad(id, text, "a weight is a number from 0 to 1"))?);
    }
    let all = texts.join(",");
    if weights.len() != models {
        return Err(raw.bad(id, &all, &format!("there are {models} models; give as many weights")));
    }
    let sum: f64 = weights.iter().sum();
    if (sum - 1.0).abs() > TOLERANCE {
        return Err(raw.bad(id, &all, &format!("the weights add up to {sum}; they must add up to 1")));
    }
    Ok(weights.into())
}
