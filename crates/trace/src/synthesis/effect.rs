//! Finds options that have no effect on a trace.

use aiperf_config::TraceSynthesis;

use crate::{Trace, TracePrompt, TraceRequest};

/// An option without effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effectless {
    pub option: &'static str,
    /// What the trace lacks.
    pub why: &'static str,
}

const NO_BLOCKS: &str = "no row has block ids, so no row shares a prefix with another";
const NO_OUTPUTS: &str = "no row has an output length";

/// The first option that has no effect on this trace.
#[allow(clippy::float_cmp, reason = "a factor that was not given is exactly one")]
pub fn effectless(asked: &TraceSynthesis, trace: &Trace) -> Option<Effectless> {
    let none = |has: fn(&TraceRequest) -> bool| !trace.requests.iter().any(has);
    let is_made = |request: &TraceRequest| matches!(request.prompt, TracePrompt::Length { .. });
    let has_blocks =
        |request: &TraceRequest| matches!(&request.prompt, TracePrompt::Length { blocks, .. } if !blocks.is_empty());
    let has_output =
        |request: &TraceRequest| request.output_tokens.is_some() && !matches!(request.prompt, TracePrompt::Payload(_));
    let checks = [
        (
            asked.speedup != 1.0 && none(|request| request.timestamp_ms.is_some() || request.delay_ms.is_some()),
            "--synthesis-speedup-ratio",
            "no row has a timestamp or a delay",
        ),
        (asked.prefix_len != 1.0 && none(has_blocks), "--synthesis-prefix-len-multiplier", NO_BLOCKS),
        (asked.prefix_roots > 1 && none(has_blocks), "--synthesis-prefix-root-multiplier", NO_BLOCKS),
        (
            asked.prompt_len != 1.0 && none(is_made),
            "--synthesis-prompt-len-multiplier",
            "every row contains its prompt; only prompts that are generated from a recorded length can be resized",
        ),
        (asked.output_len != 1.0 && none(has_output), "--synthesis-output-len-multiplier", NO_OUTPUTS),
        (
            asked.max_isl.is_some() && none(|request| request.input_tokens().is_some()),
            "--synthesis-max-isl",
            "no row records the length of its prompt",
        ),
        (asked.max_osl.is_some() && none(has_output), "--synthesis-max-osl", NO_OUTPUTS),
    ];
    checks.into_iter().find(|check| check.0).map(|(_, option, why)| Effectless { option, why })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_change_needs_what_it_changes() {
        let none = TraceSynthesis::default;
        let asked = [
            ("--synthesis-speedup-ratio", TraceSynthesis { speedup: 2.0, ..none() }),
            ("--synthesis-prefix-len-multiplier", TraceSynthesis { prefix_len: 2.0, ..none() }),
            ("--synthesis-prefix-root-multiplier", TraceSynthesis { prefix_roots: 2, ..none() }),
            ("--synthesis-prompt-len-multiplier", TraceSynthesis { prompt_len: 2.0, ..none() }),
            ("--synthesis-output-len-multiplier", TraceSynthesis { output_len: 2.0, ..none() }),
            ("--synthesis-max-isl", TraceSynthesis { max_isl: Some(9), ..none() }),
            ("--synthesis-max-osl", TraceSynthesis { max_osl: Some(9), ..none() }),
        ];
        let refused = |rows: &str| -> Vec<&str> {
            let trace = Trace::parse(Path::new("rows"), rows.as_bytes(), None).unwrap();
            assert_eq!(effectless(&none(), &trace), None);
            asked.iter().filter_map(|(_, asked)| effectless(asked, &trace)).map(|found| found.option).collect()
        };
        let all: Vec<&str> = asked.iter().map(|(option, _)| *option).collect();
        assert_eq!(refused(r#"{"payload":{"a":1},"output_length":3}"#), all);
        assert_eq!(refused(r#"{"text_input":"a","delay":1,"output_length":3}"#), [&all[1..4], &all[5..6]].concat());
        assert_eq!(refused(r#"{"input_length":9,"output_length":3,"timestamp":0}"#), all[1..3]);
        assert!(refused(r#"{"input_length":9,"output_length":3,"timestamp":0,"hash_ids":[1]}"#).is_empty());
    }
}
