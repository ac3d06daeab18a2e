//! Single requests to the hub. Redirects are followed here, so that the token is sent only to the hub itself.

use std::time::Duration;

use ureq::http::header::{AUTHORIZATION, CONTENT_RANGE, ETAG, LOCATION, RANGE};
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use crate::environment::HubEnvironment;
use crate::identity::is_safe_part;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// The time limit of one body. The missing part is requested again, so that a stalled connection does not block a download.
const BODY_LIMIT: Duration = Duration::from_secs(60);
/// To find out whether the hub is there.
const REACH_LIMIT: Duration = Duration::from_secs(5);
const MOST_REDIRECTS: usize = 5;

#[derive(Debug)]
pub(crate) struct HubClient {
    agent: Agent,
    token: Option<String>,
    hub: String,
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum RequestFailure {
    /// A retry may succeed.
    Passing(String),
    Final(String),
}

/// A response whose body has not been read yet.
#[derive(Debug)]
pub(crate) struct HubResponse {
    pub(crate) response: Response<Body>,
    pub(crate) identity: Option<FileIdentity>,
    /// The offset in the file at which the body begins.
    pub(crate) from: u64,
}

/// The identity of a file on the hub: the commit of the revision, and the name of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    pub(crate) commit: String,
    pub(crate) etag: String,
    pub(crate) size: Option<u64>,
}

impl HubClient {
    pub(crate) fn new(environment: &HubEnvironment) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(environment.proxy.clone())
            .timeout_connect(Some(CONNECT_LIMIT))
            .timeout_recv_response(Some(ANSWER_LIMIT))
            .timeout_recv_body(Some(BODY_LIMIT))
            .user_agent(concat!("aiperf/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Self { agent, token: environment.token.clone(), hub: origin(&environment.endpoint).to_owned() }
    }

    /// Waits for the head of any response, within a limit that suits a person who waits.
    pub(crate) fn reach(&self, url: &str) -> Result<(), String> {
        let request = self.agent.head(url).config().timeout_global(Some(REACH_LIMIT)).build();
        request.call().map(drop).map_err(|error| error.to_string())
    }

    /// Requests a whole response.
    pub(crate) fn get(&self, url: &str) -> Result<HubResponse, RequestFailure> {
        self.get_from(url, |_| 0)
    }

    /// Requests a file, without the bytes that are already here. `have` returns their number once the file is identified.
    pub(crate) fn get_from(
        &self,
        url: &str,
        have: impl Fn(&FileIdentity) -> u64,
    ) -> Result<HubResponse, RequestFailure> {
        let mut url = url.to_owned();
        let mut identity: Option<FileIdentity> = None;
        let mut from = 0;
        // One more than redirects: after the first response the request is repeated for the missing part.
        for _ in 0..=MOST_REDIRECTS + 1 {
            let asked = from;
            let response = self.send(&url, from)?;
            if identity.is_none() {
                // The commit is only in the hub's own response, which may redirect to a file server.
                identity = FileIdentity::of(response.headers());
                from = identity.as_ref().map_or(0, &have);
            }
            let status = response.status();
            if status.is_redirection() {
                let target = header(response.headers(), LOCATION.as_str())
                    .ok_or_else(|| RequestFailure::Final("a redirect without a Location header".to_owned()))?;
                url = if target.starts_with('/') { format!("{}{target}", origin(&url)) } else { target.to_owned() };
            } else if status.as_u16() == 416 {
                // There are more bytes here than on the server, so it is not the same file.
                from = 0;
            } else if !status.is_success() {
                return Err(refusal(&response));
            } else if from > asked {
                drop(response);
            } else {
                let from = if status.as_u16() == 206 { begin_of(response.headers(), from)? } else { 0 };
                return Ok(HubResponse { response, identity, from });
            }
        }
        Err(RequestFailure::Final(format!("more than {MOST_REDIRECTS} redirects")))
    }

    fn send(&self, url: &str, from: u64) -> Result<Response<Body>, RequestFailure> {
        let mut request = self.agent.get(url);
        // Redirects may lead to other servers.
        if let Some(token) = self.token.as_ref().filter(|_| origin(url) == self.hub) {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        request.call().map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::InvalidProxyUrl => {
                RequestFailure::Final(error.to_string())
            }
            _ => RequestFailure::Passing(error.to_string()),
        })
    }
}

impl FileIdentity {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let commit = header(headers, "x-repo-commit")?;
        let etag = header(headers, "x-linked-etag").or_else(|| header(headers, ETAG.as_str()))?;
        let etag = etag.trim_start_matches("W/").trim_matches('"');
        let size = header(headers, "x-linked-size").and_then(|size| size.parse().ok());
        let safe = is_safe_part(commit) && is_safe_part(etag);
        safe.then(|| Self { commit: commit.to_owned(), etag: etag.to_owned(), size })
    }

    /// Large files are named by the hash of their bytes.
    pub(crate) fn sha256(&self) -> Option<&str> {
        let is_hash = self.etag.len() == 64 && self.etag.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then_some(self.etag.as_str())
    }
}

/// The start of a range: 100 for `bytes 100-199/200`. It must be the requested one.
fn begin_of(headers: &HeaderMap, asked: u64) -> Result<u64, RequestFailure> {
    let range = header(headers, CONTENT_RANGE.as_str()).unwrap_or_default();
    let begin = range.trim_start_matches("bytes ").split('-').next().and_then(|number| number.parse().ok());
    match begin {
        Some(begin) if begin == asked => Ok(begin),
        _ => Err(RequestFailure::Final(format!(
            "bytes from {asked} on were requested, but the response has the range {range:?}"
        ))),
    }
}

fn refusal(response: &Response<Body>) -> RequestFailure {
    let status = response.status().as_u16();
    let advice = match status {
        401 | 403 => {
            "the repository does not exist, or it is gated or private: accept its conditions on its page, and set HF_TOKEN \
             to a token that may read it"
        }
        404 => "the hub has no such repository, revision or file",
        429 => "too many requests; wait a while, or set HF_TOKEN",
        _ => "the hub did not deliver the file",
    };
    let said = header(response.headers(), "x-error-message").map(|said| format!(" ({said})")).unwrap_or_default();
    let reason = format!("HTTP {status}: {advice}{said}");
    if status >= 500 || matches!(status, 408 | 429) {
        RequestFailure::Passing(reason)
    } else {
        RequestFailure::Final(reason)
    }
}

pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Scheme, host and port.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}
