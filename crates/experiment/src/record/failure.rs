//! Why a request failed, in the words that the records file uses. The names of transport failures are those that scripts
//! written for AIPerf look for.

use std::io;

use aiperf_engine::{CutReason, Outcome};
use aiperf_grpc::{Code, Status};
use aiperf_metrics::{Cancellation, Cause, Failure, Shortage};
use aiperf_protocol::{ReplyError, Wire};
use aiperf_transport::{Exchange, RedirectError, TransportError};
use rustix::io::Errno;

/// The failure of an exchange whose bytes need no reading; `None` when a 2xx response was read to its end.
pub(crate) fn of_exchange(outcome: &Outcome, exchange: &Exchange, wire: Wire) -> Option<Failure> {
    match outcome {
        Outcome::Complete if exchange.is_success() => None,
        Outcome::Complete if exchange.is_grpc() => {
            Some(of_call(&Status::read(exchange.grpc_status(), exchange.grpc_message())))
        }
        // Whether the server or this side noticed first, it is the same failure.
        Outcome::TimedOut if wire.is_grpc() => {
            Some(of_call(&Status { code: Code::DeadlineExceeded, message: timeout_message(exchange) }))
        }
        Outcome::Failed(error @ TransportError::MessageTooLong { .. }) => {
            Some(of_call(&Status { code: Code::ResourceExhausted, message: error.to_string() }))
        }
        Outcome::Complete => Some(Failure {
            code: exchange.status,
            kind: reason(exchange),
            message: String::from_utf8_lossy(&exchange.body).into_owned(),
            cause: None,
            cancelled: None,
            is_context_overflow: false,
            shortage: None,
        }),
        Outcome::Failed(error) => {
            let failure = plain(transport_kind(error), error.to_string());
            Some(Failure { cause: transport_cause(error), shortage: shortage(error), ..failure })
        }
        Outcome::NotSent(error) => Some(plain("RequestBuildError", error.to_string())),
        Outcome::TimedOut => Some(plain("TimeoutError", timeout_message(exchange))),
        Outcome::SendTimedOut { limit } => {
            let message = format!(
                "not sent within {} s, and so not cancelled after it (AIPERF_HTTP_REQUEST_CANCELLATION_SEND_TIMEOUT)",
                limit.as_secs_f64()
            );
            Some(Failure { code: Some(0), ..plain("RequestSendTimeout", message) })
        }
        Outcome::CancelledOnPurpose { after } => {
            let message = format!("cancelled on purpose {:.3} s after it was sent", after.as_secs_f64());
            Some(Failure::cancelled(Cancellation::OnPurpose, message))
        }
        Outcome::Cut(reason) => {
            let message = match reason {
                CutReason::Deadline => "still in flight when the duration and its grace period were over",
                CutReason::Interrupt => "still in flight when the run was interrupted",
                CutReason::FailedRequests => "still in flight when too many requests had failed",
                CutReason::FailedWarmup => "still in flight when the warmup had failed",
                CutReason::Unreachable => "still in flight when the server could no longer be reached",
                CutReason::Defect => "still in flight when a thread of the client failed",
            };
            Some(Failure::cancelled(Cancellation::RunEnded, message))
        }
    }
}

/// The failure of a call, in the words of gRPC.
fn of_call(status: &Status) -> Failure {
    Failure {
        code: Some(status.code.number()),
        kind: status.code.name().to_owned(),
        message: status.message.clone(),
        cause: None,
        cancelled: None,
        is_context_overflow: false,
        shortage: None,
    }
}

/// The failure of a success without a body, where there should be an answer.
pub(crate) fn without_body(exchange: &Exchange) -> Option<Failure> {
    let status = exchange.status.filter(|status| matches!(status, 204 | 205))?;
    let message = format!("{status} {}: the server answered without a body", reason(exchange));
    Some(plain("InvalidInferenceResultError", message))
}

/// The failure of a 2xx response that is no answer.
pub(crate) fn of_reply(error: &ReplyError) -> Failure {
    Failure {
        code: error.code(),
        kind: error.kind().to_owned(),
        message: error.to_string(),
        cause: None,
        cancelled: None,
        is_context_overflow: false,
        shortage: None,
    }
}

fn plain(kind: &str, message: String) -> Failure {
    Failure {
        code: None,
        kind: kind.to_owned(),
        message,
        cause: None,
        cancelled: None,
        is_context_overflow: false,
        shortage: None,
    }
}

fn reason(exchange: &Exchange) -> String {
    if exchange.reason.is_empty() {
        format!("HTTP {}", exchange.status.unwrap_or_default())
    } else {
        exchange.reason.clone()
    }
}

fn transport_kind(error: &TransportError) -> &'static str {
    match error {
        TransportError::Resolve { .. } => "ClientConnectorDNSError",
        TransportError::Connect { .. } => "ClientConnectorError",
        TransportError::Proxy { status: Some(_), .. } => "ClientHttpProxyError",
        TransportError::Proxy { status: None, .. } => "ClientProxyConnectionError",
        TransportError::Redirect(RedirectError::TooMany(_)) => "TooManyRedirects",
        TransportError::Redirect(RedirectError::NotHttp(_)) => "NonHttpUrlRedirectClientError",
        TransportError::Redirect(RedirectError::NotUrl(_)) => "InvalidUrlRedirectClientError",
        TransportError::Tls { certificate: true, .. } => "ClientConnectorCertificateError",
        TransportError::Tls { certificate: false, .. } => "ClientConnectorSSLError",
        TransportError::Send(_) => "ClientOSError",
        TransportError::Disconnected
        | TransportError::Severed(_)
        | TransportError::Reset(_)
        | TransportError::NotTaken(_) => "ServerDisconnectedError",
        TransportError::Truncated(_) => "ClientPayloadError",
        TransportError::Protocol(_)
        | TransportError::NotHttp(_)
        | TransportError::NotHttp2(_)
        | TransportError::SwitchedProtocol(_)
        | TransportError::MessageTooLong { .. }
        | TransportError::BodyTooLong { .. } => "ClientResponseError",
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
    match Errno::from_io_error(cause)? {
        Errno::MFILE | Errno::NFILE => Some(Shortage::Descriptors),
        Errno::ADDRNOTAVAIL => Some(Shortage::Ports),
        _ => None,
    }
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
    format!("over the request timeout {stage} (--request-timeout-seconds)")
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
        let failure = of_exchange(&Outcome::Complete, &exchange, Wire::Http).unwrap();
        assert_eq!((failure.code, failure.kind.as_str()), (Some(429), "Too Many Requests"));
        assert_eq!(failure.message, "slow down");
    }

    #[test]
    fn a_failure_to_send_names_what_lay_beneath() {
        let error = TransportError::Send(io::Error::from(io::ErrorKind::BrokenPipe));
        let failure = of_exchange(&Outcome::Failed(error), &Exchange::default(), Wire::Http).unwrap();
        assert_eq!(failure.kind, "ClientOSError");
        assert_eq!(failure.cause.unwrap().kind, "BrokenPipeError");

        let gone =
            of_exchange(&Outcome::Failed(TransportError::Disconnected), &Exchange::default(), Wire::Http).unwrap();
        assert_eq!(gone.cause, None);
    }

    #[test]
    fn a_connection_for_which_this_machine_had_nothing_left_is_told_from_one_that_was_refused() {
        let of = |errno: Errno| {
            let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: 8000 };
            let error = TransportError::Connect { origin, cause: errno.into() };
            of_exchange(&Outcome::Failed(error), &Exchange::default(), Wire::Http).unwrap().shortage
        };
        assert_eq!(of(Errno::MFILE), Some(Shortage::Descriptors));
        assert_eq!(of(Errno::ADDRNOTAVAIL), Some(Shortage::Ports));
        assert_eq!(of(Errno::CONNREFUSED), None);
    }

    #[test]
    fn a_request_cut_off_by_the_client_says_so() {
        let failure = of_exchange(&Outcome::Cut(CutReason::Deadline), &Exchange::default(), Wire::Http).unwrap();
        assert_eq!(failure.code, Some(499));
        assert_eq!(failure.cancelled, Some(Cancellation::RunEnded));
        assert!(failure.message.contains("grace period"));
    }

    #[test]
    fn an_error_inside_a_stream_keeps_its_own_name() {
        let own = ReplyError::InBand { code: None, kind: "overloaded".into(), message: "busy".into() };
        let failure = of_reply(&own);
        assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("overloaded", "busy"));
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
        let failure = of_exchange(&Outcome::Complete, &call, wire).unwrap();
        assert_eq!((failure.code, failure.kind.as_str()), (Some(4), "DEADLINE_EXCEEDED"));
        assert_eq!(failure.message, "too slow");
        let ours = of_exchange(&Outcome::TimedOut, &Exchange::default(), wire).unwrap();
        assert_eq!((ours.code, ours.kind.as_str()), (Some(4), "DEADLINE_EXCEEDED"));
        let long = TransportError::MessageTooLong { length: 9, limit: 8 };
        let long = of_exchange(&Outcome::Failed(long), &Exchange::default(), wire).unwrap();
        assert_eq!((long.code, long.kind.as_str()), (Some(8), "RESOURCE_EXHAUSTED"));
    }
}
