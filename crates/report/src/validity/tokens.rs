//! The text of notes about lengths and counts of tokens.

use aiperf_table::whole;

use super::Wording;

pub(super) fn several_in_a_chunk(tokens: u64, chunks: u64, average: f64) -> Wording {
    Wording::new(
        format!(
            "Streamed events carry {average:.1} tokens each ({} tokens in {} events): inter_chunk_latency is not the time between \
             tokens, and inter_token_latency spreads it evenly.",
            whole(tokens),
            whole(chunks)
        ),
        "Make the server send each token in its own event (vLLM: --stream-interval 1), or quote inter_token_latency as a mean only.",
    )
}

pub(super) fn input_length(off: &str, average: f64, allowed: f64) -> Wording {
    Wording::new(
        format!(
            "Prompts do not have the requested length: {off} differ by more than {allowed}%; the average difference is \
             {average:+.1}%."
        ),
        "The client's tokenizer may differ from the server's: name the right one with --tokenizer, and add \
         --apply-chat-template if the server formats prompts with a template.",
    )
}

pub(super) fn output_length(off: &str, average: f64, percent: f64, tokens: f64) -> Wording {
    Wording::new(
        format!(
            "Responses do not have the requested length: {off} differ by more than {percent}% or {tokens} tokens, whichever is \
             less; the average difference is {average:+.1}%."
        ),
        "Servers stop at their end-of-sequence token. To make them continue: --extra-inputs ignore_eos:true (vLLM, \
         TensorRT-LLM) or --extra-inputs min_tokens:<N> (vLLM, TensorRT-LLM, SGLang). If the tokenizers differ instead: \
         --use-server-token-count. Per request: osl_mismatch_diff_pct in the records file.",
    )
}

pub(super) fn token_counts(off: &str, percent: f64) -> Wording {
    Wording::new(
        format!("The token counts of client and server differ by more than {percent}%: {off}."),
        "The client's tokenizer may differ from the server's: name the right one with --tokenizer, or use the server's counts \
         with --use-server-token-count. Per request: the usage_*_diff_pct metrics in the records file.",
    )
}

pub(super) fn server_counts(of: &str) -> Wording {
    Wording::new(
        format!(
            "--use-server-token-count: the server reported no usable token counts for {of}. Token metrics leave these requests \
             out."
        ),
        "Make the server report usage (streams: stream_options.include_usage), or remove --use-server-token-count to count with \
         --tokenizer.",
    )
}
