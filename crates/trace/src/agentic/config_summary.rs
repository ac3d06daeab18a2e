//! The settings as the quality file lists them: flat, so that two runs can be compared.

use serde_json::{Value, json};

use super::settings::AgenticSettings;

pub(super) fn config_summary(settings: &AgenticSettings) -> Value {
    let AgenticSettings { new_tokens_per_turn, generation_length, inter_turn_delay, reset, cache, .. } = settings;
    let first = settings.first_tokens() as f64;
    let mut summary = json!({
        "initial_context_mean": first + cache.layer2.mean,
        "initial_context_median": first + cache.layer2.median,
        "layer1_tokens": cache.layer1_tokens,
        "layer1_5_tokens": cache.layer1_5_tokens,
        "layer2_mean": cache.layer2.mean,
        "layer2_median": cache.layer2.median,
        "num_groups": cache.layer1_5_groups.num_groups,
        "zipf_alpha": cache.layer1_5_groups.zipf_alpha,
        "new_tokens_per_turn_mean": new_tokens_per_turn.mean,
        "new_tokens_per_turn_median": new_tokens_per_turn.median,
        "generation_length_mean": generation_length.mean,
        "generation_length_median": generation_length.median,
        "max_prompt_tokens": settings.max_prompt_tokens,
        "block_size": settings.block_size,
        "inter_turn_delay_agentic_fraction": inter_turn_delay.agentic_fraction,
        "inter_turn_delay_agentic_mean_ms": inter_turn_delay.agentic_delay.mean,
        "inter_turn_delay_human_mean_ms": inter_turn_delay.human_delay.mean,
        "turn_mode_enabled": u8::from(settings.turns.is_some()),
    });
    if let Some(turns) = settings.turns {
        summary["turns_mean"] = json!(turns.mean);
        summary["turns_median"] = json!(turns.median);
    } else {
        summary["reset_base_probability"] = json!(reset.base_probability);
        summary["reset_context_scaling"] = json!(reset.context_scaling);
    }
    summary
}
