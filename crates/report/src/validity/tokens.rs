//! What is said about lengths and counts of tokens.

use super::Wording;
use aiperf_table::whole;

pub(super) fn several_in_a_chunk(tokens: u64, chunks: u64, average: f64) -> Wording {
    Wording::new(
        format!(
            "Streamed events carry {average:.1} tokens each ({} tokens in {}): inter_chunk_latency is not the time between \
             tokens, and inter_token_latency spreads it evenly.",
            whole(tokens),
            whole(chunks)
        ),
        "Have the server send each token by itself (vLLM: --stream-interval 1), or quote inter_token_latency as a mean only.",
    )
}

pub(super) fn input_length(off: &str, average: f64, allowed: f64) -> Wording {
    Wording::new(
        format!(
            "Prompts do not have the length asked for: {off} by more than {allowed}%, all by {average:+.1}% on average."
        ),
        "The tokenizer here may not be the server's: give the right one with --tokenizer, and --apply-chat-template where the \
         server lays prompts out with a template.",
    )
}

pub(super) fn output_length(off: &str, average: f64, percent: f64, tokens: f64) -> Wording {
    Wording::new(
        format!(
            "Output lengths are not as asked: {off}, by {average:+.1}% on average over all. A difference above {percent}% \
             of the length asked for or {tokens} tokens, whichever is less, counts."
        ),
        "Servers stop at their end-of-sequence token. To make them go on: --extra-inputs ignore_eos:true (vLLM, \
         TensorRT-LLM) or --extra-inputs min_tokens:<N> (vLLM, TensorRT-LLM, SGLang). If the tokenizers differ instead: \
         --use-server-token-count. Per request: osl_mismatch_diff_pct in the records file.",
    )
}

pub(super) fn token_counts(off: &str, percent: f64) -> Wording {
    Wording::new(
        format!("Token counts of client and server differ by more than {percent}%: {off}."),
        "The tokenizer here may not be the server's: give the right one with --tokenizer, or take the server's counts \
         with --use-server-token-count. Per request: the usage_*_diff_pct metrics in the records file.",
    )
}

pub(super) fn server_counts(of: &str) -> Wording {
    Wording::new(
        format!(
            "--use-server-token-count: the server reported no usable token counts for {of}. Token metrics leave these requests \
             out."
        ),
        "Have the server report usage, or leave --use-server-token-count out to count with --tokenizer.",
    )
}
