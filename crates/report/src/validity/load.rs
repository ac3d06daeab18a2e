//! What is said about a load that was not the one asked for, or not the one that the numbers tell of.

use aiperf_metrics::{GapCause, Unreached};

use super::{Wording, share};
use aiperf_table::{grouped, whole};

pub(super) fn rate_shortfall(asked: f64, achieved: f64, dropped: u64, percent: f64) -> Wording {
    let (why, advice) = match dropped {
        0 => (
            "they were sent later and later after they were due".to_owned(),
            "Quote the rate that was reached. If concurrency_ceiling_reached is noted, raise --concurrency or leave it out; \
             otherwise give the client more processors. The lag of each request is in schedule_lag.",
        ),
        dropped => (
            format!(
                "the concurrency ceiling dropped {} arrival{}",
                whole(dropped),
                if dropped == 1 { "" } else { "s" }
            ),
            "Quote the rate that was reached. To reach more, raise --concurrency or leave it out. Dropped arrivals are in no \
             metric; arrivals_dropped in phase_accounting counts them.",
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
            "Quote the concurrency that was reached. For more, ask for longer responses (--osl), or raise --workers-max if \
             processors are free."
                .to_owned(),
        ),
    };
    Wording::new(
        format!(
            "The concurrency asked for was never reached: at most {} of {} requests were in flight at once, because {why}.",
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
        "Raise AIPERF_HTTP_CONNECTION_LIMIT, which is a worker's, or lower --concurrency. What each waited: \
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
            "Requests that failed were in flight and have no latency: look at the error summary for why they failed."
        }
        GapCause::CutOff => {
            "Requests that the end of the run cut off were in flight and have no latency: give the run more time or a longer \
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
            "The server stalled or the client waited: {what} as users would see it is {} ms (p99, from when requests \
             were due), not {} ms (from when they were sent).",
            grouped(waited),
            grouped(served)
        ),
        format!(
            "Quote {tag}. How long requests waited before they were sent is schedule_lag; if the concurrency ceiling \
             held them back, raise --concurrency to see the server's own queue instead."
        ),
    )
}

pub(super) fn replay_degraded(lag: f64, threshold: f64) -> Wording {
    Wording::new(
        format!(
            "The replay did not keep the shape of its trace: its lag has a p99 of {} ms, above {} ms.",
            grouped(lag),
            grouped(threshold)
        ),
        "Raise or leave out --concurrency, stretch the trace, or give the client more processors; schedule_lag has the \
         lag of each request.",
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
        (_, 0) => "What the delayed ones waited is in schedule_lag and in the *_from_due metrics.",
        (0, _) => "Dropped arrivals are in no metric.",
        _ => "What the delayed ones waited is in schedule_lag and in the *_from_due metrics; dropped ones are in none.",
    };
    Wording::new(
        format!(
            "The concurrency ceiling was reached: it {kept} of {} arrivals ({percent:.1}%), so that the load was not \
             the one asked for.",
            whole(arrivals)
        ),
        format!("Raise --concurrency or leave it out to keep the rate. {where_to_look}"),
    )
}
