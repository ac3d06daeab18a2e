//! A request, independent of the version of HTTP that carries it.

use std::borrow::Cow;

use aiperf_address::Origin;
use bytes::Bytes;

use crate::headers::RequestHeaders;

/// What is asked of a server. HTTP/1.1 and HTTP/2 each write it in their own form; redirects and proxies change its parts.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub origin: &'a Origin,
    pub method: Method,
    /// What the request line names: path and query, or a whole URL for a proxy.
    pub target: Cow<'a, str>,
    pub headers: RequestHeaders,
    pub body: Bytes,
    /// The longest message that a gRPC call accepts.
    pub message_limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    /// Asks a proxy for a tunnel.
    Connect,
}

impl Method {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Connect => "CONNECT",
        }
    }
}

const CONNECTION: &str = "Connection";

impl<'a> Request<'a> {
    /// A POST of `body`. `headers` are sent as given; `Content-Length` comes after them, and `Connection` last.
    pub fn post<'h>(
        origin: &'a Origin,
        path_and_query: &'a str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: Bytes,
    ) -> Self {
        let mut connection = None;
        let mut all = RequestHeaders::default();
        for (name, value) in headers {
            if name == CONNECTION {
                connection = Some(value);
            } else {
                all.push(name, value);
            }
        }
        all.push("Content-Length", Digits::of(body.len()).as_str());
        if let Some(value) = connection {
            all.push(CONNECTION, value);
        }
        Self { body, ..Self::new(origin, Method::Post, path_and_query, all) }
    }

    /// A GET, which has no body.
    pub fn get<'h>(
        origin: &'a Origin,
        path_and_query: &'a str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Self {
        Self::new(origin, Method::Get, path_and_query, headers.into_iter().collect())
    }

    /// A gRPC call. Its framed messages are the body, whose length only HTTP/2 tells.
    pub fn grpc<'h>(
        origin: &'a Origin,
        path: &'a str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: Bytes,
        message_limit: usize,
    ) -> Self {
        let headers = headers.into_iter().collect();
        Self { body, message_limit: Some(message_limit), ..Self::new(origin, Method::Post, path, headers) }
    }

    pub(crate) fn new(
        origin: &'a Origin,
        method: Method,
        target: impl Into<Cow<'a, str>>,
        headers: RequestHeaders,
    ) -> Self {
        Self { origin, method, target: target.into(), headers, body: Bytes::new(), message_limit: None }
    }

    /// Adds the type of a body whose type changes with it, as the last header.
    #[must_use]
    pub fn with_content_type(mut self, content_type: &str) -> Self {
        self.headers.push("Content-Type", content_type);
        self
    }
}

/// A number in decimal, without an allocation.
struct Digits {
    text: [u8; 20],
    start: usize,
}

impl Digits {
    fn of(mut number: usize) -> Self {
        let mut digits = Self { text: [b'0'; 20], start: 20 };
        loop {
            digits.start -= 1;
            digits.text[digits.start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return digits;
            }
        }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[self.start..]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 1_234_567, usize::MAX] {
            assert_eq!(Digits::of(number).as_str(), number.to_string());
        }
    }
}
