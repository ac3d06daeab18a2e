//! The stages of an exchange as the HTTP metrics want them: each begins where the one before ended.

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::HttpTiming;
use aiperf_transport::{Exchange, StageSpan};

pub(crate) fn of(exchange: &Exchange) -> HttpTiming {
    let trace = &exchange.trace;
    let length = |span: Option<StageSpan>| span.map_or(Nanos::ZERO, StageSpan::length);
    let between = |from: Option<Mono>, to: Option<Mono>| match (from, to) {
        (Some(from), Some(to)) => to.since(from),
        _ => Nanos::ZERO,
    };
    let first_byte = exchange.first_body_byte();
    // A server on the same machine may have answered before the call that sent the last byte came back.
    let sent = trace.send_end.map(|end| first_byte.map_or(end, |first| end.min(first)));
    // A connection that was opened ahead is not part of the request that uses it first.
    let of_request = |span: Option<StageSpan>| span.filter(|_| !trace.preconnected);
    HttpTiming {
        blocked: length(trace.blocked),
        lost: trace.lost,
        dns_lookup: length(of_request(trace.dns)),
        connecting: length(of_request(trace.connect)) + length(of_request(trace.tls)),
        tls: of_request(trace.tls).map(StageSpan::length),
        sending: between(trace.send_start, sent),
        waiting: between(sent, first_byte),
        receiving: between(first_byte, exchange.last_body_byte()),
        reused: trace.reused,
        body_bytes_sent: trace.body_bytes_sent,
        writes: trace.writes,
        body_bytes_received: exchange.body_length() as u64,
        reads: exchange.reads() as u64,
    }
}

/// The time that a request spent in the client before its first byte left: from permission to send, without what the
/// network took of it. `None` if nothing was sent.
pub(crate) fn client_send_delay(issued: Mono, exchange: &Exchange) -> Option<Nanos> {
    let trace = &exchange.trace;
    let sent = trace.send_start?;
    let stages = [trace.dns, trace.connect, trace.tls].into_iter().flatten().filter(|_| !trace.preconnected);
    let network = stages.map(|stage| stage.length().0).sum::<u64>() + trace.lost.unwrap_or_default().0;
    Some(Nanos(sent.since(issued).0.saturating_sub(network)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiperf_clock::ReadMark;

    fn connected(preconnected: bool) -> Exchange {
        let at = Mono::from_nanos;
        let mut exchange = Exchange::default();
        exchange.trace.connect = Some(StageSpan { start: at(40), end: at(65) });
        exchange.trace.send_start = Some(at(70));
        exchange.trace.preconnected = preconnected;
        exchange
    }

    #[test]
    fn the_send_delay_is_the_time_in_the_client_and_not_in_the_network() {
        let issued = Mono::from_nanos(10);
        assert_eq!(client_send_delay(issued, &connected(false)), Some(Nanos(35)));
        let mut resent = connected(false);
        resent.trace.lost = Some(Nanos(20));
        assert_eq!(client_send_delay(issued, &resent), Some(Nanos(15)));
        assert_eq!(client_send_delay(issued, &Exchange::default()), None, "nothing was sent");
    }

    #[test]
    fn a_connection_that_was_opened_ahead_is_no_stage_of_a_request() {
        assert_eq!(of(&connected(false)).connecting, Nanos(25));
        assert_eq!(of(&connected(true)).connecting, Nanos::ZERO);
        assert_eq!(client_send_delay(Mono::from_nanos(66), &connected(true)), Some(Nanos(4)));
    }

    #[test]
    fn stages_do_not_overlap() {
        let at = Mono::from_nanos;
        let mut exchange = Exchange::default();
        exchange.trace.connect = Some(StageSpan { start: at(10), end: at(22) });
        exchange.trace.tls = Some(StageSpan { start: at(22), end: at(30) });
        exchange.trace.send_start = Some(at(30));
        exchange.trace.send_end = Some(at(35));
        exchange.body = b"abcd".to_vec();
        exchange.marks = vec![ReadMark::user(2, at(50)), ReadMark::user(4, at(80))];
        let timing = of(&exchange);
        let stages = [timing.connecting, timing.sending, timing.waiting, timing.receiving];
        assert_eq!(stages, [Nanos(20), Nanos(5), Nanos(15), Nanos(30)]);
        assert_eq!(timing.tls, Some(Nanos(8)));
        assert_eq!((timing.reads, timing.body_bytes_received), (2, 4));
    }

    #[test]
    fn an_answer_that_overtakes_the_sending_call_ends_the_sending() {
        let at = Mono::from_nanos;
        let mut exchange = Exchange::default();
        exchange.trace.send_start = Some(at(30));
        exchange.trace.send_end = Some(at(60));
        exchange.marks = vec![ReadMark::user(2, at(50))];
        let timing = of(&exchange);
        assert_eq!((timing.sending, timing.waiting, timing.receiving), (Nanos(20), Nanos::ZERO, Nanos::ZERO));
    }
}
