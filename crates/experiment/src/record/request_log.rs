//! One line of the log for each finished request: at DEBUG what came of it, at TRACE also when each of its stages was over. Written by
//! record threads, so that no request waits for the log.

use std::fmt::Write as _;

use aiperf_clock::{Mono, Nanos};
use aiperf_engine::Finished;
use aiperf_metrics::Failure;
use aiperf_transport::{Exchange, StageSpan};
use log::Level;

/// Bytes of a failure's message that are shown.
const MESSAGE: usize = 200;

pub(crate) fn write(finished: &Finished, failure: Option<&Failure>) {
    if !log::log_enabled!(Level::Debug) {
        return;
    }
    log::debug!("{}", outcome(finished, failure));
    if log::log_enabled!(Level::Trace) {
        log::trace!("{}", stages(finished));
    }
}

fn outcome(finished: &Finished, failure: Option<&Failure>) -> String {
    let exchange = &finished.exchange;
    let to = exchange.trace.remote.map_or_else(|| "no connection".to_owned(), |address| address.to_string());
    let mut line = format!("Request {} to {to}: ", finished.request_id);
    // Writing to a string cannot fail.
    let _ = match exchange.status {
        Some(status) => write!(line, "{}", format!("{status} {}", exchange.reason).trim_end()),
        None => write!(line, "no response"),
    };
    let (bytes, took) = (exchange.body_length(), finished.end.since(finished.start));
    let _ = write!(line, ", {bytes} bytes in {:.3} ms", took.as_millis_f64());
    if exchange.resent > 0 {
        let _ = write!(line, ", resent {}", exchange.resent);
    }
    if let Some(failure) = failure {
        let message: String = failure.message.chars().take(MESSAGE).filter(|letter| !letter.is_control()).collect();
        let _ = write!(line, ", failed: {}: {message}", failure.kind);
    }
    line
}

/// When each stage was over, from the start of the request.
fn stages(finished: &Finished) -> String {
    let Exchange { trace, .. } = &finished.exchange;
    let after = |at: Mono| format!("{:.3} ms", at.since(finished.start).as_millis_f64());
    let end_of = |span: Option<StageSpan>| span.map(|span| after(span.end));
    let reached = [
        ("blocked", end_of(trace.blocked)),
        ("lost", trace.lost.map(|lost: Nanos| format!("{:.3} ms", lost.as_millis_f64()))),
        ("dns", end_of(trace.dns)),
        ("connect", end_of(trace.connect)),
        ("tls", end_of(trace.tls)),
        ("reused", trace.reused.then(|| "yes".to_owned())),
        ("sent", trace.send_end.map(after)),
        ("headers", trace.headers_received.map(after)),
        ("first byte", finished.exchange.first_body_byte().map(after)),
        ("last byte", finished.exchange.last_body_byte().map(after)),
        ("end", Some(after(finished.end))),
    ];
    let reached = reached.into_iter().filter_map(|(stage, when)| Some(format!("{stage} {}", when?)));
    format!("Request {}: {}", finished.request_id, reached.collect::<Vec<_>>().join(", "))
}
