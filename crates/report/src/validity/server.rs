//! The text of notes about a server that refused, failed, was late or had only just started.

use aiperf_clock::Nanos;
use aiperf_metrics::MaxTokensField;
use aiperf_table::{grouped, whole};

use super::{Wording, share};

pub(super) fn not_ready(requests: u64) -> Wording {
    let first =
        if requests == 1 { "the first request".to_owned() } else { format!("the first {} requests", whole(requests)) };
    Wording::new(
        format!("The server was not ready at the start: {first} could not connect or got status 502, 503 or 504."),
        "Wait for the server with --wait-for-model-timeout 300. A server that has just started may be slow at first: warm it up \
         with --warmup-request-count.",
    )
}

pub(super) fn waited_for(waited: Nanos) -> Wording {
    Wording::new(
        format!("The server was not ready at the start: the run waited {} s for it.", grouped(waited.as_secs_f64())),
        "A server that has just started may be slow at first: warm it up with --warmup-request-count.",
    )
}

pub(super) fn errors(failed: u64, of: u64) -> Wording {
    let (consequence, advice) = if failed == of {
        ("no latencies are available.", "See the error summary for the causes.")
    } else {
        (
            "latencies cover only the successful requests.",
            "See the error summary for the causes. Lower the load or repair the server. The adj_* metrics count failed requests as \
             never answered.",
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
        "Look for crashes and restarts in the server's log. Give the server a longer keep-alive timeout, or open a connection for \
         each request (--connection-reuse-strategy never). --no-resend counts these requests as failed; the lost time is \
         http_req_lost.",
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
        "Warm the server up with --warmup-request-count (at least the concurrency) or --warmup-duration.",
    )
}

pub(super) fn clock_stepped(step: Nanos) -> Wording {
    Wording::new(
        format!(
            "The wall clock was changed by {} ms during the run. Response times just before the change, and times of day after \
             it, may be wrong by up to that much.",
            grouped(step.as_millis_f64())
        ),
        "Find out what changes the clock (a time service that steps, a virtual machine that was paused), and repeat the run.",
    )
}

pub(super) fn field_refused(field: MaxTokensField, requests: u64) -> Wording {
    let advice = match field {
        MaxTokensField::MaxCompletionTokens => "Send max_tokens instead: add --use-legacy-max-tokens.",
        MaxTokensField::MaxTokens => "Send max_completion_tokens instead: remove --use-legacy-max-tokens.",
    };
    let count = whole(requests);
    Wording::new(
        format!("The server does not support the field {}: it rejected {count} requests.", field.name()),
        advice,
    )
}

pub(super) fn undecodable_events(events: u64, of: &str) -> Wording {
    let (what, were) =
        if events == 1 { ("1 event".to_owned(), "was") } else { (format!("{} events", whole(events)), "were") };
    Wording::new(
        format!("{what} of responses could not be parsed and {were} skipped: {of}."),
        "Their content is in no count. Export them as received with --export-level raw, and check that the server sends JSON.",
    )
}

pub(super) fn counted_tokens(server: u64, client: u64, percent: f64) -> Wording {
    Wording::new(
        format!(
            "The server's metrics page counts {} generated tokens in the profiling phase, the client {}: they differ by {percent:.1}%.",
            whole(server),
            whole(client)
        ),
        "If the server counts more, other clients use it too. If it counts less, requests also go to servers whose pages were not \
         scraped: name them with --server-metrics. Or the tokenizers differ: see --use-server-token-count.",
    )
}

pub(super) fn first_token(server: f64, client: f64) -> Wording {
    Wording::new(
        format!(
            "The server's metrics page reports a mean time to first token of {server:.1} ms, the client measured {client:.1} ms."
        ),
        "The server's figure leaves out the network, proxies, the HTTP front end and the client. Look there if the client's is \
         higher; if it is lower, the server counts other requests too.",
    )
}

pub(super) fn cache_counts(requests: u64) -> Wording {
    let count = whole(requests);
    Wording::new(
        format!(
            "The server's usage ({count} requests) does not count cached prompt tokens: cache hits are not visible."
        ),
        "Start the server with --enable-prompt-tokens-details (vLLM) or --enable-cache-report (SGLang).",
    )
}

pub(super) fn not_streamed(of: &str) -> Wording {
    Wording::new(
        format!(
            "Streaming was requested, but the response came as one document: {of}. These requests have no time to first token \
             and no inter-token latency."
        ),
        "Check that the server, and every proxy in front of it, streams this endpoint; or remove --streaming.",
    )
}
