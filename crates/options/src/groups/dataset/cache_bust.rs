//! Markers against prefix caches.

use aiperf_config::{CacheBust, DatasetConfig, DatasetSource, EndpointConfig, MarkerPlace, SystemPrompt};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Cache Bust: markers against prefix caches.
pub(crate) const CACHE_BUST: &[OptionSpec] = &[OptionSpec::new(
    OptionId::CacheBust,
    &["cache-bust"],
    ValueKind::Choice(&[
        "none",
        "system_prefix",
        "system_suffix",
        "first_turn_prefix",
        "first_turn_suffix",
        "warmup_isolation_system",
        "warmup_isolation_first_turn",
    ]),
    "Where to put a marker that defeats the server's prefix cache: a new one for each session, or \
         one for the whole warmup.",
)
.default("none")
.supported()];

pub(super) fn resolve(raw: &RawOptions, endpoint: &EndpointConfig) -> Result<CacheBust, ConfigError> {
    let id = OptionId::CacheBust;
    let Some(name) = raw.choice(id)? else { return Ok(CacheBust::None) };
    let bust = CacheBust::ALL.into_iter().find(|bust| bust.name() == name).unwrap_or_default();
    if bust != CacheBust::None && !endpoint.kind.facts().takes_cache_markers {
        let why = "other endpoints have no messages to put a marker in";
        return Err(raw.needs_text(id, "--endpoint-type chat, responses or messages", why));
    }
    Ok(bust)
}

/// Whether a marker of its own will stand in each session's first user message.
pub(super) fn is_in_first_turn(bust: CacheBust, system: &SystemPrompt) -> bool {
    match bust {
        CacheBust::EachSession { place: MarkerPlace::FirstTurn, .. } => true,
        CacheBust::EachSession { place: MarkerPlace::System, .. } => *system == SystemPrompt::None,
        CacheBust::None | CacheBust::Warmup { .. } => false,
    }
}

/// The same, with the whole run in view: a marker of the warmup needs a warmup, and a message to stand in.
pub(crate) fn within(
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    dataset: &DatasetConfig,
    has_warmup: bool,
) -> Result<CacheBust, ConfigError> {
    let id = OptionId::CacheBust;
    let bust = resolve(raw, endpoint)?;
    let CacheBust::Warmup { place } = bust else { return Ok(bust) };
    if !has_warmup {
        let why = "it marks the requests of the warmup, and this run has no warmup";
        return Err(raw.needs(id, OptionId::WarmupRequestCount, why));
    }
    if raw.is_given(OptionId::Scenario) {
        let why = "the sessions continue from what the warmup leaves in the cache";
        return Err(raw.conflict(id, OptionId::Scenario, why));
    }
    let is_synthetic = matches!(dataset.source, DatasetSource::Synthetic(_));
    if place == MarkerPlace::System && is_synthetic && dataset.system_prompt == SystemPrompt::None {
        let needs = format!("{} or {}", OptionId::SystemPrompt.flag(), OptionId::SharedSystemPromptLength.flag());
        return Err(raw.needs_text(id, &needs, "the marker is put into the system message"));
    }
    Ok(bust)
}
