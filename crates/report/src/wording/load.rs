//! What is said about a load that was not the one asked for, or not the one that the numbers tell of.

use super::{Wording, share};
use crate::console::number::{grouped, whole};

pub(super) fn rate_shortfall(asked: f64, achieved: f64, percent: f64) -> Wording {
    Wording::new(
        format!(
            "Requests were sent at {} of {} requests/s: {percent:.1}% below the rate asked for.",
            grouped(achieved),
            grouped(asked)
        ),
        "Quote the rate that was reached. To reach more: raise --concurrency or leave it out, or give the client more \
         processors; what requests waited is in schedule_lag.",
    )
}

pub(super) fn connections(waited: u64, of: u64) -> Wording {
    Wording::new(
        format!(
            "The connection limit was reached: {} waited for a connection, and latencies hold it.",
            share(waited, of)
        ),
        "Raise AIPERF_HTTP_CONNECTION_LIMIT, which is a worker's, or lower --concurrency. What each waited: \
         http_req_blocked in the records file.",
    )
}

pub(super) fn littles_law(in_flight: f64, per_second: f64, latency_seconds: f64, percent: f64) -> Wording {
    Wording::new(
        format!(
            "Throughput and latency do not explain the load: {} requests/s of {} ms each are {} requests in flight, and {} \
             were ({percent:.1}% more time than latencies tell of).",
            grouped(per_second),
            grouped(1e3 * latency_seconds),
            grouped(per_second * latency_seconds),
            grouped(in_flight)
        ),
        "Requests that failed late or were cut off at the end have no latency: look at the error summary, give the run more \
         time or a longer --benchmark-grace-period.",
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
