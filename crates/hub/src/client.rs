//! Single requests to the hub: redirects followed by hand, and the token kept for the hub itself.

use std::time::Duration;

use ureq::http::header::{AUTHORIZATION, CONTENT_RANGE, ETAG, LOCATION, RANGE};
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use crate::environment::HubEnvironment;
use crate::identity::is_safe_part;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// For one body. What is missing then is asked for again, so that a connection that went silent does not hold a download.
const BODY_LIMIT: Duration = Duration::from_secs(60);
const MOST_REDIRECTS: usize = 5;

#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    token: Option<String>,
    hub: String,
}

/// Why a request brought nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may go better the next time.
    Passing(String),
    Final(String),
}

/// A body that is about to be read.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response<Body>,
    pub(crate) identity: Option<FileIdentity>,
    /// The place in the file at which the body begins.
    pub(crate) from: u64,
}

/// What the hub says about a file: the commit that the revision stands for, and the name of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    pub(crate) commit: String,
    pub(crate) etag: String,
    pub(crate) size: Option<u64>,
}

impl Client {
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

    /// The whole answer of an API.
    pub(crate) fn get(&self, url: &str) -> Result<Answer, Failure> {
        self.get_from(url, |_| 0)
    }

    /// A file, without the bytes that are already here. `have` tells their number once it is known which file it is.
    pub(crate) fn get_from(&self, url: &str, have: impl Fn(&FileIdentity) -> u64) -> Result<Answer, Failure> {
        let mut url = url.to_owned();
        let mut identity: Option<FileIdentity> = None;
        let mut from = 0;
        // One more than redirects: an answer that came without asking for a part is asked for again.
        for _ in 0..=MOST_REDIRECTS + 1 {
            let asked = from;
            let response = self.send(&url, from)?;
            if identity.is_none() {
                // By hand: the commit stands in the hub's own answer, which may point to a file server that does not know it.
                identity = FileIdentity::of(response.headers());
                from = identity.as_ref().map_or(0, &have);
            }
            let status = response.status();
            if status.is_redirection() {
                let target = header(response.headers(), LOCATION.as_str())
                    .ok_or_else(|| Failure::Final("a redirect that leads nowhere".to_owned()))?;
                url = if target.starts_with('/') { format!("{}{target}", origin(&url)) } else { target.to_owned() };
            } else if status.as_u16() == 416 {
                // More is here than the server has: not the same file.
                from = 0;
            } else if !status.is_success() {
                return Err(refusal(&response));
            } else if from > asked {
                drop(response);
            } else {
                let from = if status.as_u16() == 206 { begin_of(response.headers(), from)? } else { 0 };
                return Ok(Answer { response, identity, from });
            }
        }
        Err(Failure::Final(format!("more than {MOST_REDIRECTS} redirects")))
    }

    fn send(&self, url: &str, from: u64) -> Result<Response<Body>, Failure> {
        let mut request = self.agent.get(url);
        // Redirects lead to file servers of others.
        if let Some(token) = self.token.as_ref().filter(|_| origin(url) == self.hub) {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        request.call().map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) | ureq::Error::InvalidProxyUrl => {
                Failure::Final(error.to_string())
            }
            _ => Failure::Passing(error.to_string()),
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

/// `bytes 100-199/200` begins at 100, which must be what was asked for.
fn begin_of(headers: &HeaderMap, asked: u64) -> Result<u64, Failure> {
    let range = header(headers, CONTENT_RANGE.as_str()).unwrap_or_default();
    let begin = range.trim_start_matches("bytes ").split('-').next().and_then(|number| number.parse().ok());
    match begin {
        Some(begin) if begin == asked => Ok(begin),
        _ => Err(Failure::Final(format!("the part from byte {asked} was asked for, and {range:?} came"))),
    }
}

fn refusal(response: &Response<Body>) -> Failure {
    let status = response.status().as_u16();
    let advice = match status {
        401 | 403 => {
            "the repository does not exist, or it is gated or private: accept its conditions on its page, and set HF_TOKEN \
             to a token that may read it"
        }
        404 => "the hub has no such repository, revision or file",
        429 => "too many requests; wait a while, or set HF_TOKEN",
        _ => "the hub did not hand it out",
    };
    let said = header(response.headers(), "x-error-message").map(|said| format!(" ({said})")).unwrap_or_default();
    let reason = format!("HTTP {status}: {advice}{said}");
    if status >= 500 || matches!(status, 408 | 429) { Failure::Passing(reason) } else { Failure::Final(reason) }
}

pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Scheme, host and port.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}
