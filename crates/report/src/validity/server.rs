//! What is said about a server that refused, failed, was late or had only just started.

use aiperf_clock::Nanos;
use aiperf_metrics::MaxTokensField;

use super::{Wording, share};
use aiperf_table::{grouped, whole};

pub(super) fn not_ready(requests: u64) -> Wording {
    let met =
        if requests == 1 { "the first request".to_owned() } else { format!("the first {} requests", whole(requests)) };
    Wording::new(
        format!("The server was not ready at the start: {met} could not connect or got status 502, 503 or 504."),
        "Wait for it: --wait-for-model-timeout 300. A server that has just started may be slow at first: \
         --warmup-request-count.",
    )
}

pub(super) fn waited_for(waited: Nanos) -> Wording {
    Wording::new(
        format!("The server was not ready at the start: the run waited {} s for it.", grouped(waited.as_secs_f64())),
        "A server that has just started may be slow at first: --warmup-request-count.",
    )
}

pub(super) fn errors(failed: u64, of: u64) -> Wording {
    let (consequence, advice) = if failed == of {
        ("no latencies are available.", "The error summary says why.")
    } else {
        (
            "latencies cover only the successful requests.",
            "The error summary says why. The adj_* metrics count failed requests as never answered.",
        )
    };
    Wording::new(format!("{} failed: {consequence}", share(failed, of)), advice)
}

pub(super) fn resent(resent: u64, of: u64) -> Wording {
    let sent = if resent == 1 { "1 request was".to_owned() } else { format!("{} requests were", whole(resent)) };
    let percent = 100.0 * resent as f64 / of.max(1) as f64;
    Wording::new(
        format!(
            "{sent} sent again ({percent:.1}% of {}): the server closed the connection or refused the request without an answer. \
             Latencies include the lost attempt.",
            whole(of)
        ),
        "Look for crashes in the server's log, and compare its keep-alive timeout. --no-resend counts them as failed; the lost \
         time is http_req_lost.",
    )
}

pub(super) fn warmup_missing(requests: u64, first: f64, later: f64) -> Wording {
    let subject = if requests == 1 {
        "The first request was".to_owned()
    } else {
        format!("The first {} requests were", whole(requests))
    };
    Wording::new(
        format!(
            "{subject} {:.1} times as slow as later ones (median {} ms, later {} ms), and there was no warmup: the numbers \
             include the server's start.",
            first / later,
            grouped(first),
            grouped(later)
        ),
        "Warm it up: --warmup-request-count, with at least as many requests as run at once.",
    )
}

pub(super) fn clock_stepped(step: Nanos) -> Wording {
    Wording::new(
        format!(
            "The wall clock was set by {} ms during the run: times of responses just before that, and times of day after it, \
             may be off by as much.",
            grouped(step.as_millis_f64())
        ),
        "Find out what sets the clock (a time service that steps, a virtual machine that was paused), and repeat the run.",
    )
}

pub(super) fn field_refused(field: MaxTokensField, requests: u64) -> Wording {
    let advice = match field {
        MaxTokensField::MaxCompletionTokens => "Send max_tokens instead: --use-legacy-max-tokens.",
        MaxTokensField::MaxTokens => "It takes max_completion_tokens: leave --use-legacy-max-tokens out.",
    };
    let count = whole(requests);
    Wording::new(format!("The server does not take the field {}: it refused {count} requests.", field.name()), advice)
}

pub(super) fn undecodable_events(events: u64, of: &str) -> Wording {
    let what = if events == 1 { "1 event".to_owned() } else { format!("{} events", whole(events)) };
    Wording::new(
        format!(
            "{what} of responses could not be read and {}: {of}.",
            if events == 1 { "was skipped" } else { "were skipped" }
        ),
        "Their content is in no count. Export them as they came with --export-level raw, and check that the server sends JSON.",
    )
}

pub(super) fn cache_counts(requests: u64) -> Wording {
    let count = whole(requests);
    Wording::new(
        format!("The server's usage ({count} requests) has no count of cached prompt tokens: cache hits do not show."),
        "Ask for it when the server is started: --enable-prompt-tokens-details (vLLM) or --enable-cache-report (SGLang).",
    )
}

pub(super) fn not_streamed(of: &str) -> Wording {
    Wording::new(
        format!(
            "Streaming was asked for, but the response came as one document: {of}. These requests have no time to first token \
             and no inter-token latency."
        ),
        "Check that the server, and every proxy in front of it, streams this endpoint; or leave --streaming out.",
    )
}
