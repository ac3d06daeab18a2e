//! Where one request goes.

use std::fmt;

use crate::percent::percent_encoded;
use crate::{Origin, Scheme};

/// A server, and what the request line and the `Host` header say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestTarget {
    pub origin: Origin,
    /// For the request line: ASCII that begins with `/`.
    pub path_and_query: String,
    /// Value of the `Host` header.
    pub host_header: String,
}

impl RequestTarget {
    pub(crate) fn new(origin: Origin, path_and_query: &str) -> Self {
        let host_header = origin.host_header();
        Self { origin, path_and_query: percent_encoded(path_and_query), host_header }
    }

    /// Without the query.
    pub fn path(&self) -> &str {
        self.path_and_query.split('?').next().unwrap_or_default()
    }

    /// The whole URL without the query, which may contain a key.
    pub fn without_query(&self) -> String {
        self.url(self.path())
    }

    fn url(&self, path: &str) -> String {
        match self.origin.scheme {
            Scheme::Unix => format!("{}:{path}", self.origin),
            scheme => format!("{}://{}{path}", scheme.name(), self.host_header),
        }
    }
}

impl fmt::Display for RequestTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url(&self.path_and_query))
    }
}
