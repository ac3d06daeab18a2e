//! Why a page was refused.

use thiserror::Error;

/// A page is taken whole or not at all: a page that broke off would look like metrics that disappeared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PageError {
    #[error("the page is not UTF-8")]
    NotText,
    #[error("line {line} of the page is not Prometheus text: {reason}")]
    Line { line: usize, reason: &'static str },
    #[error("line {line} of the page is longer than {limit} bytes")]
    LineTooLong { line: usize, limit: usize },
    #[error("the page has more than {limit} samples")]
    TooManySamples { limit: usize },
    #[error("the page does not end in '# EOF', as OpenMetrics requires: it broke off")]
    BrokenOff,
    #[error("the page has no metrics")]
    Empty,
    /// A JSON document, an HTML page or the like.
    #[error("the page is not Prometheus text")]
    NotMetrics,
}
