//! Which models are asked for.

use std::sync::Arc;

use crate::catalogue::OptionId;
use crate::{ConfigError, ModelSelection, RawOptions, Target};

/// What the embedded simulator answers to.
const SIM_MODEL: &str = "sim-model";

/// First words of names that stand for no real model.
const PLACEHOLDERS: [&str; 6] = ["mock", "test", "fake", "dummy", "sim", "placeholder"];

pub(super) fn resolve(raw: &RawOptions, targets: &[Target]) -> Result<(Vec<Arc<str>>, ModelSelection), ConfigError> {
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
        return Err(raw.bad(
            OptionId::ModelNames,
            token,
            "a name in the list is empty; remove it, and the comma beside it",
        ));
    }
    let selection = match raw.choice(OptionId::ModelSelectionStrategy)? {
        Some("weighted") => {
            return Err(raw.bad(
                OptionId::ModelSelectionStrategy,
                "weighted",
                "the command line has no way to give weights; use round_robin or random",
            ));
        }
        Some("random") => ModelSelection::Random,
        _ => ModelSelection::RoundRobin,
    };
    Ok((models, selection))
}

/// `mock-model`, `test_model` and their like: no tokenizer of that name can exist.
pub(crate) fn is_placeholder(model: &str) -> bool {
    let name = model.to_ascii_lowercase().replace('_', "-");
    let (first, rest) = name.split_once('-').unwrap_or((&name, "model"));
    PLACEHOLDERS.contains(&first) && (rest == "model" || rest == "llm" || rest.starts_with("model-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known_by_their_first_word_and_real_names_are_not() {
        for name in ["mock-model", "Test_Model", "fake-model", "dummy", "mock-model-2", "sim-model", "mock-llm"] {
            assert!(is_placeholder(name), "{name}");
        }
        for name in ["gpt2", "org/mock-model", "mockingbird-7b", "test-llama-8b", "simplescaling"] {
            assert!(!is_placeholder(name), "{name}");
        }
    }
}
