//! Which models are asked for.

use std::sync::Arc;

use aiperf_config::{ModelSelection, Target};

use crate::catalogue::OptionId;
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
        Some("weighted") => {
            return Err(raw.bad(
                OptionId::ModelSelectionStrategy,
                "weighted",
                "a command line cannot give weights; use round_robin or random",
            ));
        }
        Some("random") => ModelSelection::Random,
        _ => ModelSelection::RoundRobin,
    };
    Ok((models, selection))
}
