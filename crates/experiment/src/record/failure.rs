//! Why a request failed, as the records file says it.

use std::io;

use aiperf_engine::ExchangeError;
use aiperf_grpc::{GrpcCode, GrpcStatus};
use aiperf_metrics::{Cause, Failure, Shortage};
use aiperf_protocol::{FailureKind, ReplyError, RequestOutcome, RunOutcome, StopReason, Wire};
use aiperf_socket::lacks_descriptors;
use aiperf_transport::{Exchange, RedirectError, TransportError};

/// The failure of an exchange whose response need not be parsed; `None` when a 2xx response was read to its end.
pub(crate) fn of_exchange(result: &Result<(), ExchangeError>, exchange: &Exchange, wire: Wire) -> Option<Failure> {
    match result {
        Ok(()) if exchange.is_success() => None,
        Ok(()) if exchange.is_grpc() => {
            Some(of_call(&GrpcStatus::read(exchange.grpc_status(), exchange.grpc_message())))
        }
        Ok(()) => Some(Failure::new(exchange.status, reason(exchange).into(), excerpt(&exchange.body))),
        Err(error) => Some(of_error(error, exchange, wire)),
    }
}

/// Bytes of an error response that its failure quotes. Different messages are kept until the end of the run.
const EXCERPT: usize = 64 * 1024;

/// How an error response begins; all of it unless it is very long.
fn excerpt(body: &[u8]) -> String {
    if body.len() <= EXCERPT {
        return String::from_utf8_lossy(body).into_owned();
    }
    let text = String::from_utf8_lossy(&body[..EXCERPT]);
    // A character that was cut in two is not shown.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    format!("{text}... (the first {EXCERPT} of {} bytes)", body.len())
}

fn of_error(error: &ExchangeError, exchange: &Exchange, wire: Wire) -> Failure {
    match error {
        // Whether the server or this side noticed first, it is the same failure.
        ExchangeError::TimedOut if wire.is_grpc() => {
            of_call(&GrpcStatus { code: GrpcCode::DeadlineExceeded, message: timeout_message(exchange) })
        }
        ExchangeError::Transport(error @ TransportError::MessageTooLong { .. }) => {
            of_call(&GrpcStatus { code: GrpcCode::ResourceExhausted, message: error.to_string() })
        }
        ExchangeError::Transport(error) => Failure::new(None, transport_kind(error), error.to_string())
            .with_cause(transport_cause(error))
            .with_shortage(shortage(error)),
        ExchangeError::NotSent(error) => Failure::new(None, FailureKind::Build, error.to_string()),
        ExchangeError::TimedOut => Failure::new(None, FailureKind::Timeout, timeout_message(exchange)),
        ExchangeError::SendTimedOut { limit } => {
            let message = format!(
                "not sent within {} s, so it could not be cancelled after sending (AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT)",
                limit.as_secs_f64()
            );
            Failure::new(Some(0), FailureKind::SendTimeout, message)
        }
        ExchangeError::CancelledOnPurpose { after } => {
            let message = format!("cancelled on purpose {:.3} s after it was sent", after.as_secs_f64());
            Failure::cancelled(RequestOutcome::CancelledOnPurpose, message)
        }
        ExchangeError::SpillLost(cause) => {
            let message = format!("the response was spilled to disk and could not be read back: {cause}");
            Failure::new(None, FailureKind::Other("SpillReadError".into()), message)
        }
        ExchangeError::CutOff(ended_by) => Failure::cancelled(RequestOutcome::CutOff, cut_off_message(*ended_by)),
    }
}

/// Readers of record files recognize a request that the run's end cut off by the first words.
fn cut_off_message(ended_by: RunOutcome) -> &'static str {
    match ended_by {
        RunOutcome::Stopped(StopReason::Interrupt) => "still in flight when the run was interrupted",
        RunOutcome::Stopped(StopReason::FailedRequests) => "still in flight when too many requests had failed",
        RunOutcome::Stopped(StopReason::FailedWarmup) => "still in flight when the warmup had failed",
        RunOutcome::Stopped(StopReason::Unreachable) => "still in flight when the server could no longer be reached",
        RunOutcome::Stopped(StopReason::Defect) => "still in flight when a thread of the client failed",
        RunOutcome::Stopped(StopReason::Recorded) => "still in flight when the run was stopped",
        RunOutcome::Stopped(StopReason::Coordinator) => "still in flight when the coordinator stopped the nodes",
        RunOutcome::Stopped(StopReason::SpillFailed) => {
            "still in flight when finished requests could no longer be spilled to disk"
        }
        RunOutcome::Completed
        | RunOutcome::DurationOver
        | RunOutcome::EarlyStop
        | RunOutcome::TargetMissed
        | RunOutcome::NothingSucceeded => "still in flight when the duration and its grace period were over",
    }
}

/// The failure of a gRPC call.
fn of_call(status: &GrpcStatus) -> Failure {
    Failure::new(Some(status.code.number()), status.code.name().into(), status.message.clone())
}

/// The failure of a success without a body, which cannot be an answer.
pub(crate) fn without_body(exchange: &Exchange) -> Option<Failure> {
    let status = exchange.status.filter(|status| matches!(status, 204 | 205))?;
    let message = format!("{status} {}: the server answered without a body", reason(exchange));
    Some(Failure::new(None, FailureKind::InvalidAnswer, message))
}

/// The failure of a 2xx response that is not a valid answer.
pub(crate) fn of_reply(error: &ReplyError) -> Failure {
    Failure::new(error.code(), error.kind(), error.to_string())
}

fn reason(exchange: &Exchange) -> String {
    if exchange.reason.is_empty() {
        format!("HTTP {}", exchange.status.unwrap_or_default())
    } else {
        exchange.reason.clone()
    }
}

fn transport_kind(error: &TransportError) -> FailureKind {
    match error {
        TransportError::Resolve { .. } => FailureKind::Resolve,
        TransportError::Connect { .. } => FailureKind::Connect,
        TransportError::Proxy { status: Some(_), .. } => FailureKind::ProxyRefused,
        TransportError::Proxy { status: None, .. } => FailureKind::ProxyUnreachable,
        TransportError::Redirect(RedirectError::TooMany(_)) => FailureKind::TooManyRedirects,
        TransportError::Redirect(RedirectError::NotHttp(_)) => FailureKind::RedirectNotHttp,
        TransportError::Redirect(RedirectError::NotUrl(_)) => FailureKind::RedirectInvalid,
        TransportError::Tls { certificate: true, .. } => FailureKind::Certificate,
        TransportError::Tls { certificate: false, .. } => FailureKind::Tls,
        TransportError::Send(_) => FailureKind::Send,
        TransportError::Disconnected
        | TransportError::Severed(_)
        | TransportError::Reset(_)
        | TransportError::NotTaken(_) => FailureKind::Disconnected,
        TransportError::Truncated(_) => FailureKind::ResponseCutShort,
        TransportError::Protocol(_)
        | TransportError::NotHttp(_)
        | TransportError::NotHttp2(_)
        | TransportError::SwitchedProtocol(_)
        | TransportError::MessageTooLong { .. }
        | TransportError::BodyTooLong { .. } => FailureKind::InvalidResponse,
    }
}

/// What lies beneath a transport failure, named as scripts written for AIPerf know it.
fn transport_cause(error: &TransportError) -> Option<Cause> {
    let (kind, message) = match error {
        TransportError::Resolve { cause, .. } => ("gaierror", cause.to_string()),
        TransportError::Tls { cause, .. } => ("SSLError", cause.to_string()),
        TransportError::Connect { cause, .. } | TransportError::Send(cause) | TransportError::Severed(cause) => {
            (io_kind(cause), cause.to_string())
        }
        TransportError::Truncated(text) => ("TransferEncodingError", text.clone()),
        TransportError::Protocol(text) | TransportError::NotHttp(text) => ("BadHttpMessage", text.clone()),
        TransportError::NotHttp2(text) => ("BadHttpMessage", (*text).to_owned()),
        TransportError::Disconnected
        | TransportError::Reset(_)
        | TransportError::NotTaken(_)
        | TransportError::SwitchedProtocol(_)
        | TransportError::MessageTooLong { .. }
        | TransportError::BodyTooLong { .. }
        | TransportError::Proxy { .. }
        | TransportError::Redirect(_) => return None,
    };
    Some(Cause { kind: kind.to_owned(), message })
}

/// What this machine had none left of. Every connection takes one of each.
fn shortage(error: &TransportError) -> Option<Shortage> {
    let TransportError::Connect { cause, .. } = error else { return None };
    if lacks_descriptors(cause) {
        return Some(Shortage::Descriptors);
    }
    (cause.kind() == io::ErrorKind::AddrNotAvailable).then_some(Shortage::Ports)
}

fn io_kind(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "ConnectionRefusedError",
        io::ErrorKind::ConnectionReset => "ConnectionResetError",
        io::ErrorKind::ConnectionAborted => "ConnectionAbortedError",
        io::ErrorKind::BrokenPipe => "BrokenPipeError",
        io::ErrorKind::TimedOut => "TimeoutError",
        _ => "OSError",
    }
}

fn timeout_message(exchange: &Exchange) -> String {
    let stage = if exchange.trace.send_end.is_none() {
        "while connecting or sending"
    } else if exchange.status.is_none() {
        "while waiting for the response"
    } else {
        "while reading the response"
    };
    format!("request timed out {stage} (--request-timeout-seconds)")
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Origin, Scheme};

    use super::*;

    #[test]
    fn a_status_that_is_not_2xx_is_named_by_its_reason() {
        let exchange = Exchange {
            status: Some(429),
            reason: "Too Many Requests".into(),
            body: b"slow down".to_vec(),
            ..Exchange::default()
        };
        let failure = of_exchange(&Ok(()), &exchange, Wire::Http).unwrap();
        assert_eq!((failure.code, failure.kind.name()), (Some(429), "Too Many Requests"));
        assert_eq!(failure.message, "slow down");
    }

    #[test]
    fn a_very_long_error_response_is_quoted_in_part() {
        let body = "no €".repeat(100_000).into_bytes();
        let length = body.len();
        let exchange = Exchange { status: Some(500), body, ..Exchange::default() };
        let message = of_exchange(&Ok(()), &exchange, Wire::Http).unwrap().message;
        assert!(message.starts_with("no €no €") && message.len() < EXCERPT + 100);
        assert!(message.ends_with(&format!("... (the first {EXCERPT} of {length} bytes)")));
        assert!(!message.contains(char::REPLACEMENT_CHARACTER));
    }

    #[test]
    fn a_failure_to_send_names_what_lay_beneath() {
        let error = TransportError::Send(io::Error::from(io::ErrorKind::BrokenPipe));
        let failure = of_exchange(&Err(ExchangeError::Transport(error)), &Exchange::default(), Wire::Http).unwrap();
        assert_eq!(failure.kind.name(), "ClientOSError");
        assert_eq!(failure.cause.unwrap().kind, "BrokenPipeError");

        let gone =
            of_exchange(&Err(ExchangeError::Transport(TransportError::Disconnected)), &Exchange::default(), Wire::Http)
                .unwrap();
        assert_eq!(gone.cause, None);
    }

    #[test]
    #[cfg(unix)]
    fn a_connection_for_which_this_machine_had_nothing_left_is_told_from_one_that_was_refused() {
        use rustix::io::Errno;
        let of = |errno: Errno| {
            let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: 8000 };
            let error = TransportError::Connect { origin, cause: errno.into() };
            of_exchange(&Err(ExchangeError::Transport(error)), &Exchange::default(), Wire::Http).unwrap().shortage
        };
        assert_eq!(of(Errno::MFILE), Some(Shortage::Descriptors));
        assert_eq!(of(Errno::ADDRNOTAVAIL), Some(Shortage::Ports));
        assert_eq!(of(Errno::CONNREFUSED), None);
    }

    #[test]
    fn a_request_cut_off_by_the_client_says_so() {
        let failure =
            of_exchange(&Err(ExchangeError::CutOff(RunOutcome::DurationOver)), &Exchange::default(), Wire::Http)
                .unwrap();
        assert_eq!(failure.code, Some(499));
        assert_eq!(failure.outcome, RequestOutcome::CutOff);
        assert!(failure.message.contains("grace period"));
    }

    #[test]
    fn an_error_inside_a_stream_keeps_its_own_name() {
        let own = ReplyError::InBand { code: None, kind: "overloaded".into(), message: "busy".into() };
        let failure = of_reply(&own);
        assert_eq!((failure.kind.name(), failure.message.as_str()), ("overloaded", "busy"));
    }

    #[test]
    fn a_call_fails_by_its_status_and_a_deadline_is_one_whoever_noticed_it() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let call = Exchange {
            status: Some(200),
            headers: vec![pair("content-type", "application/grpc")],
            trailers: vec![pair("grpc-status", "4"), pair("grpc-message", "too%20slow")],
            ..Exchange::default()
        };
        let wire = Wire::Grpc { deadline: None, message_limit: 1 };
        let failure = of_exchange(&Ok(()), &call, wire).unwrap();
        assert_eq!((failure.code, failure.kind.name()), (Some(4), "DEADLINE_EXCEEDED"));
        assert_eq!(failure.message, "too slow");
        let ours = of_exchange(&Err(ExchangeError::TimedOut), &Exchange::default(), wire).unwrap();
        assert_eq!((ours.code, ours.kind.name()), (Some(4), "DEADLINE_EXCEEDED"));
        let long = TransportError::MessageTooLong { length: 9, limit: 8 };
        let long = of_exchange(&Err(ExchangeError::Transport(long)), &Exchange::default(), wire).unwrap();
        assert_eq!((long.code, long.kind.name()), (Some(8), "RESOURCE_EXHAUSTED"));
    }
}
