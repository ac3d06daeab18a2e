//! Posts to the collector over HTTP, on the sender's thread.

use std::time::Duration;

use aiperf_config::OtelConfig;
use aiperf_redact::shown_url;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prost::Message;
use thiserror::Error;
use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};

use crate::message::ExportResponse;

/// Most bytes of an answer that are read.
const ANSWER_LIMIT: u64 = 64 * 1024;
/// Most characters of an answer that a message shows.
const EXCERPT: usize = 200;

/// Why a post failed.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub(crate) enum PostError {
    /// The same post may succeed later.
    #[error("{0}")]
    Passing(String),
    #[error("{0}")]
    Final(String),
}

/// What a post carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtlpSignal {
    Metrics,
    Traces,
}

#[derive(Debug)]
pub(crate) struct Collector {
    agent: Agent,
    metrics_url: String,
    traces_url: String,
    headers: Vec<(String, String)>,
}

impl Collector {
    pub(crate) fn new(config: &OtelConfig, timeout: Duration) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(timeout))
            .user_agent(concat!("aiperf/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let target = config.metrics_url.request_target("");
        let metrics_url = target.to_string();
        let mut headers: Vec<(String, String)> =
            config.headers.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect();
        if let Some(credentials) = config.metrics_url.credentials() {
            let basic = format!("Basic {}", BASE64_STANDARD.encode(credentials.joined().0));
            headers.push((AUTHORIZATION.to_string(), basic));
        }
        Self { agent, traces_url: traces_url(&metrics_url), metrics_url, headers }
    }

    /// Points or spans that the collector rejected, of a post that it took.
    pub(crate) fn post(&self, signal: OtlpSignal, body: &[u8]) -> Result<u64, PostError> {
        let url = match signal {
            OtlpSignal::Metrics => &self.metrics_url,
            OtlpSignal::Traces => &self.traces_url,
        };
        let mut request = self.agent.post(url).header(CONTENT_TYPE, "application/x-protobuf");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut response = request.send(body).map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::InvalidProxyUrl => {
                PostError::Final(error.to_string())
            }
            _ => PostError::Passing(error.to_string()),
        })?;
        let status = response.status();
        let answer = response.body_mut().with_config().limit(ANSWER_LIMIT).read_to_vec().unwrap_or_default();
        if status.is_success() {
            let answer = ExportResponse::decode(&answer[..]).unwrap_or_default();
            return Ok(answer.partial_success.map_or(0, |partial| partial.rejected.max(0) as u64));
        }
        let said: String = String::from_utf8_lossy(&answer).chars().filter(|c| !c.is_control()).take(EXCERPT).collect();
        let said = if said.is_empty() { said } else { format!(" ({said})") };
        let reason = format!("{} answered HTTP {}{said}", shown_url(url), status.as_u16());
        // The statuses that the OTLP specification calls retryable.
        Err(if matches!(status.as_u16(), 429 | 502..=504) {
            PostError::Passing(reason)
        } else {
            PostError::Final(reason)
        })
    }
}

/// Traces are posted next to metrics.
fn traces_url(metrics_url: &str) -> String {
    let at = metrics_url.rfind("/v1/metrics").unwrap_or(metrics_url.len());
    let after = metrics_url.get(at + "/v1/metrics".len()..).unwrap_or_default();
    format!("{}/v1/traces{after}", &metrics_url[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_go_next_to_metrics() {
        assert_eq!(traces_url("http://h:4318/v1/metrics"), "http://h:4318/v1/traces");
        assert_eq!(traces_url("https://h/otlp/v1/metrics?key=1"), "https://h/otlp/v1/traces?key=1");
    }
}
