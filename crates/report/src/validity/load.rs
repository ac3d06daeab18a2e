//! The text of notes about a load that was not the requested one, or not the one that the numbers show.

use aiperf_metrics::{GapCause, Unreached};

use super::{Wording, share};
use aiperf_table::{grouped, whole};

pub(super) fn rate_shortfall(asked: f64, achieved: f64, dropped: u64, percent: f64) -> Wording {
    let (why, advice) = match dropped {
        0 => (
            "they were sent later and later after they were due".to_owned(),
            "Quote the rate that was reached. If concurrency_ceiling_reached is noted, raise --concurrency or remove it; \
             otherwise give the client more processors. The lag of each request is schedule_lag.",
        ),
        dropped => (
            format!(
                "the concurrency ceiling dropped {} arrival{}",
                whole(dropped),
                if dropped == 1 { "" } else { "s" }
            ),
            "Quote the rate that was reached. To reach a higher rate, raise --concurrency or remove it. Dropped arrivals are in \
             no metric; arrivals_dropped in phase_accounting counts them.",
        ),
    };
    Wording::new(
        format!(
            "Requests were sent at {} requests/s, {percent:.1}% below the {} requests/s asked for: {why}.",
            grouped(achieved),
            plain(asked)
        ),
        advice,
    )
}

/// A rate as people give it: without decimals that say nothing.
fn plain(rate: f64) -> String {
    if (rate - rate.round()).abs() < 1e-9 { whole(rate.round() as u64) } else { grouped(rate) }
}

pub(super) fn concurrency_not_reached(asked: u64, reached: u64, why: Unreached) -> Wording {
    let (why, advice) = match why {
        Unreached::FewRequests { sent } => (
            format!("only {} request{} sent", whole(sent), if sent == 1 { " was" } else { "s were" }),
            format!(
                "Send more requests, for example --request-count {}, or lower --concurrency.",
                asked.saturating_mul(10)
            ),
        ),
        Unreached::FewSessions { sessions } => (
            format!(
                "only {} session{} started, and a session sends one request at a time",
                whole(sessions),
                if sessions == 1 { " was" } else { "s were" }
            ),
            "Start more sessions (--num-conversations), or lower --concurrency.".to_owned(),
        ),
        Unreached::Ramp => (
            "the run ended before the ramp did".to_owned(),
            "Run longer (--benchmark-duration, --request-count), or shorten --concurrency-ramp-duration.".to_owned(),
        ),
        Unreached::QuickResponses => (
            "responses ended before the next requests were sent".to_owned(),
            "Quote the concurrency that was reached. For a higher one, request longer responses (--osl), or raise --workers-max if \
             processors are free."
                .to_owned(),
        ),
    };
    Wording::new(
        format!(
            "The requested concurrency was never reached: at most {} of {} requests were in flight at once, because {why}.",
            whole(reached),
            whole(asked)
        ),
        advice,
    )
}

pub(super) fn connections(waited: u64, of: u64) -> Wording {
    Wording::new(
        format!(
            "The connection limit was reached: {} waited for a connection; their latencies include the wait.",
            share(waited, of)
        ),
        "Raise AIPERF_HTTP_CONNECTION_LIMIT (connections per worker), or lower --concurrency. The wait of each request is \
         http_req_blocked in the records file.",
    )
}

pub(super) fn littles_law(
    in_flight: f64,
    per_second: f64,
    latency_seconds: f64,
    cause: GapCause,
    percent: f64,
) -> Wording {
    let advice = match cause {
        GapCause::Failures => {
            "Failed requests were in flight and have no latency: see the error summary for the causes."
        }
        GapCause::CutOff => {
            "Requests that the end of the run cut off were in flight and have no latency: run longer, or with a longer \
             --benchmark-grace-period."
        }
        GapCause::LateEnd => {
            "The server ended its responses later than their last content (for example, a late [DONE]). Latencies end with the \
             last content; the time after it is in no latency, and it keeps requests in flight. request_latency is right; \
             throughput is limited by the longer time."
        }
        GapCause::LateReading => {
            "The client noticed the end of responses late, and the next requests waited for it. The server is not the cause. \
             Find out what stopped the client or kept it from its processors, and repeat the run."
        }
    };
    Wording::new(
        format!(
            "Little's law: {} req/s × {} ms = {} in flight, observed {}; {percent:.1}% of the time in flight is in no latency.",
            grouped(per_second),
            grouped(1e3 * latency_seconds),
            grouped(per_second * latency_seconds),
            grouped(in_flight)
        ),
        advice,
    )
}

pub(super) fn hidden_wait(tag: &str, waited: f64, served: f64) -> Wording {
    let what = if tag.starts_with("time") { "time to first token" } else { "request latency" };
    Wording::new(
        format!(
            "The server stalled or the client waited: {what} as users see it is {} ms (p99, from when requests were \
             due), not {} ms (from when they were sent).",
            grouped(waited),
            grouped(served)
        ),
        format!(
            "Quote {tag}. How long requests waited before they were sent is schedule_lag; if the concurrency ceiling \
             delayed them, raise --concurrency to see the server's own queue instead."
        ),
    )
}

pub(super) fn replay_degraded(lag: f64, threshold: f64) -> Wording {
    Wording::new(
        format!(
            "The replay did not keep the timing of its trace: the p99 of its lag is {} ms, above {} ms.",
            grouped(lag),
            grouped(threshold)
        ),
        "Raise or remove --concurrency, stretch the trace, or give the client more processors. The lag of each request is \
         schedule_lag.",
    )
}

pub(super) fn ceiling(delayed: u64, dropped: u64, arrivals: u64) -> Wording {
    let kept = match (delayed, dropped) {
        (delayed, 0) => format!("delayed {}", whole(delayed)),
        (0, dropped) => format!("dropped {}", whole(dropped)),
        (delayed, dropped) => format!("delayed {} and dropped {}", whole(delayed), whole(dropped)),
    };
    let percent = 100.0 * (delayed + dropped) as f64 / arrivals.max(1) as f64;
    let where_to_look = match (delayed, dropped) {
        (_, 0) => "The wait of delayed arrivals is in schedule_lag and in the *_from_due metrics.",
        (0, _) => "Dropped arrivals are in no metric.",
        _ => {
            "The wait of delayed arrivals is in schedule_lag and in the *_from_due metrics; dropped arrivals are in no metric."
        }
    };
    Wording::new(
        format!(
            "The concurrency ceiling was reached: it {kept} of {} arrivals ({percent:.1}%), so the load was not the \
             requested one.",
            whole(arrivals)
        ),
        format!("Raise or remove --concurrency to keep the rate. {where_to_look}"),
    )
}
