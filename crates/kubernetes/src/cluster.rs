//! The connection to an API server. Every call is one plain request, so that a proxy in between or a role with few rights is enough.

use std::io::{self, Write};
use std::path::PathBuf;

use http::Request;
use http_body_util::BodyExt as _;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::Value;
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};

/// Characters of an answer without a sentence that an error shows.
const LONGEST_REASON: usize = 300;

/// Which cluster, and where in it.
#[derive(Debug, Clone, Default)]
pub struct ClusterOptions {
    pub kubeconfig: Option<PathBuf>,
    pub context: Option<String>,
    pub namespace: Option<String>,
}

/// Why a request to a cluster did not give what was asked for.
#[derive(Debug, Error)]
pub enum ClusterError {
    #[error("no cluster is configured: {0}. Name a file with --kubeconfig, or set KUBECONFIG")]
    NoConfiguration(String),
    #[error(
        "cannot connect to the API server {server}: {reason}. Is the cluster running? Check --kubeconfig and --kube-context"
    )]
    Unreachable { server: String, reason: String },
    #[error("the API server refused {action}: {message} ({code})")]
    Refused { action: String, message: String, code: u16 },
    #[error("{action}: unexpected answer of the API server: {reason}")]
    Answer { action: String, reason: String },
    #[error("cannot write {path}: {cause}")]
    Write { path: String, cause: io::Error },
    #[error("{0}")]
    Other(String),
}

impl ClusterError {
    /// Whether the server says that there is no such object.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { code: 404, .. })
    }
}

/// A connection to one cluster.
pub struct Cluster {
    runtime: Runtime,
    client: Client,
    namespace: String,
    server: String,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("server", &self.server)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl Cluster {
    /// Reads the configuration; the first request connects.
    pub fn open(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| ClusterError::Other(format!("cannot start a runtime: {error}")))?;
        let config = runtime.block_on(configuration(options))?;
        let server = config.cluster_url.to_string();
        let namespace = options.namespace.clone().unwrap_or_else(|| config.default_namespace.clone());
        let client = runtime.block_on(async { Client::try_from(config) });
        let client = client.map_err(|error| ClusterError::NoConfiguration(chain(&error)))?;
        Ok(Self { runtime, client, namespace, server })
    }

    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The address of the API server.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn get(&self, action: &str, path: &str) -> Result<Value, ClusterError> {
        self.json(action, Request::get(path), Vec::new())
    }

    pub(crate) fn post(&self, action: &str, path: &str, body: &Value) -> Result<Value, ClusterError> {
        let request = Request::post(path).header("content-type", "application/json");
        self.json(action, request, body.to_string().into_bytes())
    }

    pub(crate) fn delete(&self, action: &str, path: &str) -> Result<Value, ClusterError> {
        let body = serde_json::json!({"propagationPolicy": "Background"});
        let request = Request::delete(path).header("content-type", "application/json");
        self.json(action, request, body.to_string().into_bytes())
    }

    fn json(&self, action: &str, request: http::request::Builder, body: Vec<u8>) -> Result<Value, ClusterError> {
        let text = self.text_of(action, request, body)?;
        serde_json::from_str(&text)
            .map_err(|error| ClusterError::Answer { action: action.to_owned(), reason: error.to_string() })
    }

    /// The body of an answer as text.
    pub(crate) fn text(&self, action: &str, path: &str, headers: &[(&str, String)]) -> Result<String, ClusterError> {
        let request = headers.iter().fold(Request::get(path), |request, (name, value)| request.header(*name, value));
        self.text_of(action, request, Vec::new())
    }

    pub(crate) fn text_of(
        &self,
        action: &str,
        request: http::request::Builder,
        body: Vec<u8>,
    ) -> Result<String, ClusterError> {
        let request = built(action, request, body)?;
        self.runtime.block_on(async {
            let body = self.accepted(action, request).await?;
            let body = body.collect().await.map_err(|error| broken(action, chain(&error)))?;
            String::from_utf8(body.to_bytes().into()).map_err(|error| broken(action, error.to_string()))
        })
    }

    /// The body of an answer; an answer that is not a success is an error.
    async fn accepted(&self, action: &str, request: Request<Vec<u8>>) -> Result<Body, ClusterError> {
        let answer = self.client.send(request.map(Body::from)).await.map_err(|error| self.explain(action, error))?;
        let (head, body) = answer.into_parts();
        if head.status.is_success() {
            return Ok(body);
        }
        // What cannot be read is not more important than the status.
        let text = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        Err(ClusterError::Refused { action: action.to_owned(), message: reason(&text), code: head.status.as_u16() })
    }

    /// Copies the body of an answer piece by piece. Returns its length.
    pub(crate) fn copy(
        &self,
        action: &str,
        path: &str,
        headers: &[(&str, String)],
        out: &mut dyn Write,
    ) -> Result<u64, ClusterError> {
        let request = headers.iter().fold(Request::get(path), |request, (name, value)| request.header(*name, value));
        let request = built(action, request, Vec::new())?;
        self.runtime.block_on(async {
            let body = self.accepted(action, request).await?;
            copy_body(action, body, out).await
        })
    }

    /// Copies a whole answer to a client of HTTP/1.1, whatever its status: head, and the body as it comes.
    pub(crate) fn forward(
        &self,
        action: &str,
        request: http::request::Builder,
        out: &mut dyn Write,
    ) -> Result<(), ClusterError> {
        let request = built(action, request, Vec::new())?.map(Body::from);
        self.runtime.block_on(async {
            let answer = self.client.send(request).await.map_err(|error| self.explain(action, error))?;
            let (head, body) = answer.into_parts();
            let mut text = format!("HTTP/1.1 {}\r\nconnection: close\r\n", head.status);
            for (name, value) in &head.headers {
                // The end of the connection ends the body.
                if let (false, Ok(value)) =
                    (["connection", "transfer-encoding"].contains(&name.as_str()), value.to_str())
                {
                    text.push_str(&format!("{name}: {value}\r\n"));
                }
            }
            text.push_str("\r\n");
            out.write_all(text.as_bytes()).map_err(|error| broken(action, error.to_string()))?;
            copy_body(action, body, out).await.map(drop)
        })
    }

    fn explain(&self, action: &str, error: kube::Error) -> ClusterError {
        let action = action.to_owned();
        match error {
            kube::Error::Api(status) => ClusterError::Refused { action, message: status.message, code: status.code },
            kube::Error::HyperError(_) | kube::Error::Service(_) => {
                ClusterError::Unreachable { server: self.server.clone(), reason: chain(&error) }
            }
            error => ClusterError::Answer { action, reason: chain(&error) },
        }
    }
}

/// Copies a body piece by piece. Returns its length.
async fn copy_body(action: &str, mut body: Body, out: &mut dyn Write) -> Result<u64, ClusterError> {
    let mut copied = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(action, chain(&error)))?;
        if let Ok(data) = frame.into_data() {
            out.write_all(&data).and_then(|()| out.flush()).map_err(|error| broken(action, error.to_string()))?;
            copied += data.len() as u64;
        }
    }
    Ok(copied)
}

fn broken(action: &str, reason: String) -> ClusterError {
    ClusterError::Answer { action: action.to_owned(), reason }
}

/// The sentence of an answer that is not a success: of the API server, or of a pod behind it.
fn reason(body: &[u8]) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let sentence = value["message"].as_str().or(value["detail"].as_str()).map(str::to_owned);
    sentence.unwrap_or_else(|| String::from_utf8_lossy(body).trim().chars().take(LONGEST_REASON).collect())
}

fn built(action: &str, request: http::request::Builder, body: Vec<u8>) -> Result<Request<Vec<u8>>, ClusterError> {
    request.body(body).map_err(|error| ClusterError::Answer { action: action.to_owned(), reason: error.to_string() })
}

async fn configuration(options: &ClusterOptions) -> Result<Config, ClusterError> {
    let wanted = KubeConfigOptions { context: options.context.clone(), ..KubeConfigOptions::default() };
    let none = |error: &(dyn std::error::Error + 'static)| ClusterError::NoConfiguration(chain(error));
    match &options.kubeconfig {
        Some(path) => {
            let file = Kubeconfig::read_from(path).map_err(|error| none(&error))?;
            Config::from_custom_kubeconfig(file, &wanted).await.map_err(|error| none(&error))
        }
        None if wanted.context.is_some() => Config::from_kubeconfig(&wanted).await.map_err(|error| none(&error)),
        None => Config::infer().await.map_err(|error| none(&error)),
    }
}

/// An error with its causes, each once.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        cause = error.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_the_api_server_and_of_pods_have_their_sentence() {
        assert_eq!(reason(br#"{"kind": "Status", "message": "jobs is forbidden", "code": 403}"#), "jobs is forbidden");
        assert_eq!(reason(br#"{"detail": "the run is over"}"#), "the run is over");
        assert_eq!(reason(b" bad gateway\n"), "bad gateway");
        assert_eq!(reason(b""), "");
    }
}
