//! The token counts that a server reports.

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

/// The output of a reply in its two parts, by the server's counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutputSplit {
    /// Without reasoning.
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
    /// The server reports more reasoning than output although reasoning is part of the output; it is cut to the output.
    pub cut: bool,
}

impl Usage {
    /// Completion tokens are the whole output, reasoning included, and stay the limit of both. The exception is a server whose
    /// total shows that reasoning is counted on top (prompt + completion + reasoning).
    pub fn split_output(&self) -> OutputSplit {
        let (Some(completion), Some(reasoning)) = (self.completion_tokens, self.reasoning_tokens) else {
            return OutputSplit { output: self.completion_tokens, reasoning: self.reasoning_tokens, cut: false };
        };
        let on_top = || self.prompt_tokens?.checked_add(completion)?.checked_add(reasoning);
        if reasoning > 0 && self.total_tokens.is_some() && self.total_tokens == on_top() {
            return OutputSplit { output: Some(completion), reasoning: Some(reasoning), cut: false };
        }
        let kept = reasoning.min(completion);
        OutputSplit { output: Some(completion - kept), reasoning: Some(kept), cut: kept < reasoning }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(prompt: u64, completion: u64, reasoning: u64, total: Option<u64>) -> (u64, u64, bool) {
        let usage = Usage {
            prompt_tokens: Some(prompt),
            completion_tokens: Some(completion),
            reasoning_tokens: Some(reasoning),
            total_tokens: total,
            ..Usage::default()
        };
        let split = usage.split_output();
        (split.output.unwrap_or(0), split.reasoning.unwrap_or(0), split.cut)
    }

    #[test]
    fn reasoning_never_makes_the_output_longer_than_the_completion() {
        assert_eq!(split(5, 30, 10, Some(35)), (20, 10, false));
        assert_eq!(split(5, 30, 30, None), (0, 30, false));
        assert_eq!(split(5, 3, 99, Some(8)), (0, 3, true));
        assert_eq!(split(5, 3, 99, None), (0, 3, true));
    }

    #[test]
    fn a_total_with_the_reasoning_on_top_says_that_the_completion_leaves_it_out() {
        assert_eq!(split(5, 3, 99, Some(107)), (3, 99, false));
        assert_eq!(split(5, 30, 10, Some(45)), (30, 10, false));
    }

    #[test]
    fn counts_that_are_missing_stay_missing() {
        let usage = Usage { completion_tokens: Some(3), ..Usage::default() };
        assert_eq!(usage.split_output(), OutputSplit { output: Some(3), ..OutputSplit::default() });
        assert_eq!(Usage::default().split_output(), OutputSplit::default());
    }
}
