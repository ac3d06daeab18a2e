//! Why a chat cannot start, or a turn has no answer.

use std::io;
use std::time::Duration;

use aiperf_endpoint::BuildError;
use aiperf_protocol::ReplyError;
use aiperf_tokenizer::TokenizerError;
use aiperf_transport::{Exchange, TransportError};
use thiserror::Error;

use crate::error::RunError;

/// The most characters of an error response that are shown.
const QUOTED_CHARS: usize = 500;

#[derive(Debug, Error)]
pub enum ChatError {
    #[error("--model: `aiperf chat` takes exactly one model")]
    SeveralModels,
    #[error("--url: `aiperf chat` takes exactly one server")]
    SeveralServers,
    #[error(transparent)]
    Setting(#[from] RunError),
    #[error("cannot start an asynchronous runtime: {0}")]
    Runtime(io::Error),
    #[error(transparent)]
    Body(#[from] BuildError),
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("the server answered {status} {reason}: {said}")]
    Status { status: u16, reason: String, said: String },
    #[error(transparent)]
    Reply(#[from] ReplyError),
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    #[error(
        "the request could not be sent within {:.0} s; check --url, or raise AIPERF_CHAT_CONNECT_TIMEOUT",
        limit.as_secs_f64()
    )]
    NotSent { limit: Duration },
    #[error("no data from the server for {:.0} s; raise AIPERF_CHAT_READ_TIMEOUT to wait longer", limit.as_secs_f64())]
    Stalled { limit: Duration },
    #[error("interrupted")]
    Interrupted,
}

impl ChatError {
    pub(super) fn of_status(exchange: &Exchange) -> Self {
        let body = String::from_utf8_lossy(&exchange.body);
        let body = body.trim();
        let said = match body.char_indices().nth(QUOTED_CHARS) {
            Some((end, _)) => format!("{}...", &body[..end]),
            None if body.is_empty() => "(empty response)".to_owned(),
            None => body.to_owned(),
        };
        Self::Status { status: exchange.status.unwrap_or_default(), reason: exchange.reason.clone(), said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_page_is_cut_and_an_empty_one_is_named() {
        let of = |body: &str| {
            let (status, reason) = (Some(502), "Bad Gateway".to_owned());
            ChatError::of_status(&Exchange { status, reason, body: body.into(), ..Exchange::default() }).to_string()
        };
        assert_eq!(of(" no model \n"), "the server answered 502 Bad Gateway: no model");
        assert!(of("").ends_with("(empty response)"));
        assert_eq!(of(&"é".repeat(600)).chars().filter(|c| *c == 'é').count(), 500);
    }
}
