//! Requests that need several exchanges: the server starts a job, which is polled until it is done.

use std::fmt::Debug;

use aiperf_clock::Nanos;

/// The exchanges after the first answer of a request. One per request.
pub trait Job: Debug + Send {
    /// The exchange that follows a 2xx answer; `None` when that answer was the last.
    fn next(&mut self, answer: &[u8]) -> Option<JobStep>;
}

/// One further exchange: a GET with the headers of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStep {
    pub place: JobPlace,
    /// To wait before it is sent.
    pub after: Nanos,
    pub answer: JobAnswer,
}

/// Where a step goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobPlace {
    /// Below the path that the request went to.
    Below(String),
    /// A whole URL or path that the server gave. The request's headers may hold a key, so that one on another server is
    /// not followed: then it is `otherwise`, below the path of the request.
    Named { place: String, otherwise: String },
}

/// What becomes of a step's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobAnswer {
    /// It is the state of the job, and replaces the state before.
    State,
    /// It is the result, whose arrival ends the request; its bytes are not used.
    Result,
}

impl JobPlace {
    /// Path and query of the step, for a request that went to `path_and_query` of `host`.
    pub fn resolve(&self, path_and_query: &str, host: &str) -> String {
        match self {
            Self::Below(segment) => below(path_and_query, segment),
            Self::Named { place, otherwise } => {
                here(place, host).map_or_else(|| below(path_and_query, otherwise), str::to_owned)
            }
        }
    }
}

fn below(path_and_query: &str, segment: &str) -> String {
    let (path, query) = path_and_query.split_at(path_and_query.find('?').unwrap_or(path_and_query.len()));
    format!("{}/{segment}{query}", path.trim_end_matches('/'))
}

/// The path of a place on this server.
fn here<'a>(place: &'a str, host: &str) -> Option<&'a str> {
    let sendable = !place.chars().any(|c| c.is_whitespace() || c.is_control());
    let path = match place.split_once("://") {
        None => place,
        Some((_, rest)) => rest.strip_prefix(host)?,
    };
    Some(path).filter(|path| sendable && path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_goes_below_the_request_or_where_the_server_says() {
        let below = JobPlace::Below("v1".to_owned());
        assert_eq!(below.resolve("/v1/videos?k=1", "h:1"), "/v1/videos/v1?k=1");
        let named = |place: &str| {
            let (place, otherwise) = (place.to_owned(), "v1/content".to_owned());
            JobPlace::Named { place, otherwise }.resolve("/v1/videos/", "h:1")
        };
        assert_eq!(named("/files/a"), "/files/a");
        assert_eq!(named("http://h:1/files/a?b"), "/files/a?b");
        for odd in ["http://elsewhere/files/a", "http://h:10/files/a", "nonsense", "/a\r\nb", "", "https://h:1"] {
            assert_eq!(named(odd), "/v1/videos/v1/content", "{odd}");
        }
    }
}
