//! Finds the metrics page of a server that does not have it where most servers do.

use std::collections::VecDeque;

use aiperf_address::RequestTarget;

/// Where a page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAddress {
    pub target: RequestTarget,
    /// As files and messages name it, without secrets.
    pub url: String,
}

/// The address in use, and those that have not been tried.
#[derive(Debug)]
pub(super) struct PageSearch {
    url: String,
    left: VecDeque<PageAddress>,
    first: Option<FirstAddress>,
}

/// The address that was tried first and has no metrics.
#[derive(Debug)]
struct FirstAddress {
    url: String,
    /// Why it could not be read.
    reason: String,
    /// The paths that have been tried since.
    others: Vec<String>,
}

impl PageSearch {
    pub(super) fn new(url: String, fallbacks: Vec<PageAddress>) -> Self {
        Self { url, left: fallbacks.into(), first: None }
    }

    /// The address in use, as files and messages name it.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// There are no metrics at the address in use. Returns the next one. If there is no other, goes back to the first address and
    /// returns what to report about it.
    pub(super) fn next(&mut self, reason: String) -> Result<RequestTarget, String> {
        let url = &self.url;
        let first = self.first.get_or_insert_with(|| FirstAddress { url: url.clone(), reason, others: Vec::new() });
        if let Some(next) = self.left.pop_front() {
            first.others.push(next.target.path().to_owned());
            self.url = next.url;
            return Ok(next.target);
        }
        self.url.clone_from(&first.url);
        Err(match first.others.as_slice() {
            [] => first.reason.clone(),
            others => format!("{} (also tried: {})", first.reason, others.join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use aiperf_address::{Address, Scheme};

    use super::*;

    fn address(path: &str) -> PageAddress {
        let target = Address::parse("http://host", Scheme::Http).unwrap().request_target(path);
        PageAddress { url: target.to_string(), target }
    }

    #[test]
    fn each_address_is_tried_once_and_the_first_one_is_reported() {
        let others = vec![address("/prometheus/metrics"), address("/v1/metrics")];
        let mut search = PageSearch::new("http://host/metrics".to_owned(), others);
        assert_eq!(search.next("404".to_owned()).unwrap().path(), "/prometheus/metrics");
        assert!(search.url().ends_with("/prometheus/metrics"));
        assert_eq!(search.next("401".to_owned()).unwrap().path(), "/v1/metrics");
        let failure = search.next("500".to_owned()).unwrap_err();
        assert_eq!(failure, "404 (also tried: /prometheus/metrics, /v1/metrics)");
        assert_eq!(search.url(), "http://host/metrics");
    }

    #[test]
    fn an_address_without_others_is_reported_as_it_is() {
        let mut search = PageSearch::new("http://host/page".to_owned(), Vec::new());
        assert_eq!(search.next("404".to_owned()), Err("404".to_owned()));
        assert_eq!(search.url(), "http://host/page");
    }
}
