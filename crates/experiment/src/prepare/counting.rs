//! Chooses the tokenizer that counts tokens; a run that needs none loads none.

use std::collections::BTreeSet;
use std::sync::Arc;

use aiperf_config::{Config, DatasetSource, SystemPrompt};
use aiperf_dataset::Dataset;
use aiperf_hub::Hub;
use aiperf_live::{LiveRun, StageName, StageState};
use aiperf_seed::Seed;
use aiperf_tokenizer::{BUILTIN, Tokenizer, TokenizerRequest, has_revisions, load};

use crate::RunError;

/// The revision of a tokenizer if none is asked for.
const MAIN: &str = "main";

/// Loads the tokenizer and makes the data.
pub(crate) fn prepare(
    config: &Config,
    seed: Seed,
    hub: &Hub,
    live: &LiveRun,
) -> Result<(Arc<dyn Tokenizer>, Dataset), RunError> {
    let endpoint = &config.endpoint;
    let build = |tokenizer: &Arc<dyn Tokenizer>| {
        live.stage(StageName::Dataset, StageState::Working { done: 0, of: 0 }, "being read or made");
        let dataset = aiperf_dataset::build_with_hub(&config.dataset, seed, tokenizer, hub)?;
        live.stage(StageName::Dataset, StageState::Done, size(&dataset));
        Ok::<_, RunError>(dataset)
    };
    if may_do_without(config) {
        // Nothing asks it, unless the file turns out to describe texts that must be written first.
        let stand_in = load(&TokenizerRequest::named(BUILTIN), hub.environment())?;
        let dataset = build(&stand_in)?;
        if !dataset.is_deferred() {
            log::info!("No tokenizer is loaded: the server counts the tokens (--use-server-token-count)");
            live.stage(StageName::Tokenizer, StageState::Skipped, "the server counts the tokens");
            return Ok((stand_in, dataset));
        }
    }
    let model = &config.dataset.models[0];
    let request = TokenizerRequest {
        name: endpoint.tokenizer_name(model).to_owned(),
        revision: endpoint.tokenizer_revision.clone(),
        chat_template: endpoint.apply_chat_template,
    };
    if request.revision != MAIN && !has_revisions(&request.name) {
        log::warn!(
            "--tokenizer-revision {} has no effect: {} is not on the Hugging Face hub, and only tokenizers from there have revisions",
            request.revision,
            request.name
        );
    }
    live.stage(StageName::Tokenizer, StageState::Working { done: 0, of: 0 }, &request.name);
    let tokenizer = load(&request, hub.environment())?;
    live.stage(StageName::Tokenizer, StageState::Done, &request.name);
    let dataset = build(&tokenizer)?;
    let others = other_models(&dataset, model);
    let facts = endpoint.kind.facts();
    let counts = !endpoint.server_token_count && (facts.tokenizes_input || facts.produces_tokens);
    if counts && endpoint.tokenizer.is_none() && !others.is_empty() {
        log::warn!(
            "Tokens of all requests are counted with the tokenizer {} (of --model), but some requests ask for the models {}. Use \
             --tokenizer to choose another tokenizer.",
            request.name,
            others.join(", ")
        );
    }
    Ok((tokenizer, dataset))
}

/// How much data there is, in words.
fn size(dataset: &Dataset) -> String {
    let outlines = dataset.outlines();
    let turns: usize = outlines.iter().map(|outline| outline.turns.len()).sum();
    format!("{} conversations, {turns} turns", outlines.len())
}

/// Whether nothing is counted here and nothing is written to a length.
fn may_do_without(config: &Config) -> bool {
    let endpoint = &config.endpoint;
    endpoint.server_token_count
        && endpoint.tokenizer.is_none()
        && !endpoint.apply_chat_template
        // A pipe can be read once only.
        && matches!(&config.dataset.source, DatasetSource::File(file) if file.path.is_file() || file.path.is_dir())
        && !matches!(config.dataset.system_prompt, SystemPrompt::Synthetic(_))
        && config.dataset.user_context_tokens.is_none()
}

/// Up to five models that turns ask for in addition to this one.
fn other_models(dataset: &Dataset, model: &str) -> Vec<String> {
    const NAMED: usize = 5;
    let turns = dataset.outlines().iter().flat_map(|outline| &outline.turns);
    let others: BTreeSet<&str> =
        turns.map(|turn| &*turn.model).filter(|named| !named.is_empty() && *named != model).collect();
    others.into_iter().take(NAMED).map(str::to_owned).collect()
}
