//! Writes HTTP/1.1 replies.

use std::io::Write as _;

/// How the body of a streamed reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamFraming {
    Chunked,
    /// For clients older than HTTP/1.1: with the connection.
    UntilClose,
}

pub(crate) const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Error",
    }
}

/// The `type` that vLLM gives an error of this status.
pub(crate) const fn error_kind(status: u16) -> &'static str {
    match status {
        400 => "BadRequestError",
        404 => "NotFoundError",
        405 => "MethodNotAllowedError",
        429 => "RateLimitError",
        503 => "ServiceUnavailableError",
        401..=499 => "InvalidRequestError",
        _ => "InternalServerError",
    }
}

/// A whole reply: head and body.
pub(crate) fn write_whole(status: u16, content_type: &str, body: &[u8], keep_alive: bool, out: &mut Vec<u8>) {
    // Writes to a vector cannot fail.
    let _ = write!(
        out,
        "HTTP/1.1 {status} {}\r\nserver: aiperf-sim\r\ncontent-length: {}\r\ncontent-type: {content_type}\r\n{}\r\n",
        reason(status),
        body.len(),
        if keep_alive { "" } else { "connection: close\r\n" },
    );
    out.extend_from_slice(body);
}

/// The head of a reply that is streamed as server-sent events.
pub(crate) fn write_stream_head(framing: StreamFraming, keep_alive: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"HTTP/1.1 200 OK\r\nserver: aiperf-sim\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n",
    );
    if framing == StreamFraming::Chunked {
        out.extend_from_slice(b"transfer-encoding: chunked\r\n");
    }
    if !keep_alive || framing == StreamFraming::UntilClose {
        out.extend_from_slice(b"connection: close\r\n");
    }
    out.extend_from_slice(b"\r\n");
}

/// One piece of a streamed body.
pub(crate) fn write_chunk(framing: StreamFraming, data: &[u8], out: &mut Vec<u8>) {
    match framing {
        StreamFraming::UntilClose => out.extend_from_slice(data),
        StreamFraming::Chunked => {
            let _ = write!(out, "{:x}\r\n", data.len());
            out.extend_from_slice(data);
            out.extend_from_slice(b"\r\n");
        }
    }
}

/// The end of a streamed body.
pub(crate) fn write_end(framing: StreamFraming, out: &mut Vec<u8>) {
    if framing == StreamFraming::Chunked {
        out.extend_from_slice(b"0\r\n\r\n");
    }
}
