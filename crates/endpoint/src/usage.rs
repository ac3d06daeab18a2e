//! The token counts that a server reports of itself.

mod reading;

pub(crate) use reading::UsageField;

/// One usage object, read through all its known spellings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    pub prompt_tokens: Option<u64>,
    pub completion_tokens: Option<u64>,
    pub total_tokens: Option<u64>,
    pub reasoning_tokens: Option<u64>,
    pub cache_read_tokens: Option<u64>,
    pub cache_write_tokens: Option<u64>,
    pub cache_miss_tokens: Option<u64>,
    pub prompt_audio_tokens: Option<u64>,
    pub completion_audio_tokens: Option<u64>,
    pub accepted_prediction_tokens: Option<u64>,
    pub rejected_prediction_tokens: Option<u64>,
    pub tool_use_prompt_tokens: Option<u64>,
    pub prompt_audio_seconds: Option<f64>,
}
