//! Fetches one file from the hub into the cache.

use std::path::PathBuf;
use std::time::Duration;

use ureq::http::header::{AUTHORIZATION, ETAG, LOCATION};
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use super::cache::Repository;
use super::environment::HubEnvironment;
use super::identity::{RepositoryId, Revision, is_safe_part};
use crate::TokenizerError;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
const BODY_LIMIT: Duration = Duration::from_secs(300);
const MOST_REDIRECTS: usize = 5;
/// Far above any real vocabulary; keeps a wrong endpoint from filling the disk.
const MOST_BYTES: u64 = 512 << 20;

pub(crate) fn file(
    id: &RepositoryId,
    name: &str,
    revision: &Revision,
    repository: &Repository,
    environment: &HubEnvironment,
) -> Result<PathBuf, TokenizerError> {
    let url = format!("{}/{id}/resolve/{}/{name}", environment.endpoint, revision.url_segment());
    fetch(&url, name, revision, repository, environment).map_err(|reason| TokenizerError::Download {
        id: id.to_string(),
        revision: revision.to_string(),
        cache: environment.cache.clone(),
        url,
        reason,
    })
}

fn fetch(
    url: &str,
    name: &str,
    revision: &Revision,
    repository: &Repository,
    environment: &HubEnvironment,
) -> Result<PathBuf, String> {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(environment.proxy.clone())
        .timeout_connect(Some(CONNECT_LIMIT))
        .timeout_recv_response(Some(ANSWER_LIMIT))
        .timeout_recv_body(Some(BODY_LIMIT))
        .user_agent(concat!("aiperf/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let mut url = url.to_owned();
    let first_origin = origin(&url).to_owned();
    let mut identity: Option<FileIdentity> = None;
    // By hand: the commit stands in the hub's own answer, which may point to a file server that does not know it, and
    // the token must not travel there.
    for _ in 0..=MOST_REDIRECTS {
        let mut request = agent.get(&url);
        if let Some(token) = environment.token.as_ref().filter(|_| origin(&url) == first_origin) {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = request.call().map_err(|error| error.to_string())?;
        if identity.is_none() {
            identity = FileIdentity::of(response.headers());
        }
        let status = response.status();
        if status.is_redirection() {
            let target = header(response.headers(), LOCATION.as_str()).ok_or("a redirect that leads nowhere")?;
            url = if target.starts_with('/') { format!("{}{target}", origin(&url)) } else { target.to_owned() };
        } else if status.is_success() {
            let identity = identity.ok_or("the answer names no commit: is HF_ENDPOINT a Hugging Face hub?")?;
            let mut body = response.into_body().into_with_config().limit(MOST_BYTES).reader();
            return repository
                .store(revision, name, &identity.commit, &identity.etag, |file| std::io::copy(&mut body, file))
                .map_err(|error| error.to_string());
        } else {
            return Err(refusal(&response));
        }
    }
    Err(format!("more than {MOST_REDIRECTS} redirects"))
}

/// What the hub says about a file: the commit that the revision stands for, and the name of the bytes.
struct FileIdentity {
    commit: String,
    etag: String,
}

impl FileIdentity {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let commit = header(headers, "x-repo-commit")?;
        let etag = header(headers, "x-linked-etag").or_else(|| header(headers, ETAG.as_str()))?;
        let etag = etag.trim_start_matches("W/").trim_matches('"');
        (is_safe_part(commit) && is_safe_part(etag)).then(|| Self { commit: commit.to_owned(), etag: etag.to_owned() })
    }
}

fn refusal(response: &Response<Body>) -> String {
    let advice = match response.status().as_u16() {
        401 | 403 => "the repository does not exist, or HF_TOKEN must hold a token that may read it",
        404 => "the hub has no such repository, revision or file",
        _ => "the hub did not hand it out",
    };
    let said = header(response.headers(), "x-error-message").map(|said| format!(" ({said})")).unwrap_or_default();
    format!("HTTP {}: {advice}{said}", response.status().as_u16())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Scheme, host and port.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |end| &url[..host + end])
}
