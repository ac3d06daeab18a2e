//! Addresses of servers that listen on a Unix socket.

use thiserror::Error;

/// The text begins with `unix:` but does not name a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a Unix socket is written unix:/run/server.sock, or unix:/run/server.sock:/v1 with a path")]
pub struct NotUnixSocket;

/// Splits `unix:/run/server.sock` or `unix:///run/server.sock`, with or without `:/base/path` after it, into the socket and the
/// rest. Returns `None` for any other address: a host may be called `unix`.
pub fn unix_socket(url: &str) -> Result<Option<(&str, &str)>, NotUnixSocket> {
    let Some(after) = url.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("unix:")).map(|_| &url[5..]) else {
        return Ok(None);
    };
    if after.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    let after = after.strip_prefix("//").unwrap_or(after);
    let (socket, rest) = after.split_once(':').unwrap_or((after, ""));
    let is_path = socket.starts_with('/') && !socket.ends_with('/');
    if !is_path || !(rest.is_empty() || rest.starts_with('/')) {
        return Err(NotUnixSocket);
    }
    Ok(Some((socket, rest)))
}
