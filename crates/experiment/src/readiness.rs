//! Waits until every server answers for every model, before anything is measured.

use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Config, Readiness, ReadinessMode, redact};
use aiperf_endpoint::{EndpointKind, request_url};
use aiperf_engine::{ControlSource, RequestTarget};
use aiperf_transport::{Client, ClientSettings, Exchange, NoWatch, Request, Reuse, TransportError};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::error::RunError;
use crate::secrets::Secrets;
use crate::settings;
use crate::target::{Targets, request_target};

/// One answer to a probe takes no longer than this, or the server counts as not ready.
const PROBE_LIMIT: Duration = Duration::from_secs(30);

/// How often a user who no longer wants to wait is noticed.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Says how long that took; zero where each was ready at the first probe. Returns early, without an error, when `control`
/// says stop: the run then ends before it sends anything.
pub(crate) fn wait(
    readiness: Readiness,
    config: &Config,
    targets: &Targets,
    client: &ClientSettings,
    control: &ControlSource,
) -> Result<Nanos, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::RecordThread)?;
    // HTTP/2 connections run as tasks of their own on this thread.
    tokio::task::LocalSet::new().block_on(&runtime, async {
        tokio::select! {
            ready = all_ready(readiness, config, targets, client) => ready,
            () = stopped(control) => Ok(Nanos::ZERO),
        }
    })
}

/// Resolves when the run is no longer wanted.
pub(crate) async fn stopped(control: &ControlSource) {
    while !control.stop_is_asked_for() {
        tokio::time::sleep(LOOK_UP).await;
    }
}

async fn all_ready(
    readiness: Readiness,
    config: &Config,
    targets: &Targets,
    client: &ClientSettings,
) -> Result<Nanos, RunError> {
    let mut missed: Option<Mono> = None;
    let secrets = Secrets::of(config);
    for (base, target) in targets.bases.iter().zip(&targets.requests) {
        for model in &config.dataset.models {
            let probe = Probe { config, base, target, model, client: Client::new(client.clone()) };
            let start = Mono::now();
            let shown = redact::url(base);
            log::info!("Waiting for {shown} to serve {model}");
            while let Err(reason) = probe.ask(readiness.mode).await {
                missed.get_or_insert(start);
                let reason = secrets.hide(reason.into()).into_owned();
                let waited = Mono::now().since(start).as_duration();
                if waited + readiness.interval > readiness.timeout {
                    let (url, model) = (shown, model.to_string());
                    return Err(RunError::NotReady { url, model, waited: waited.as_secs_f64(), reason });
                }
                log::info!("{shown} is not ready: {reason}");
                tokio::time::sleep(readiness.interval).await;
            }
        }
    }
    Ok(missed.map_or(Nanos::ZERO, |since| Mono::now().since(since)))
}

struct Probe<'a> {
    config: &'a Config,
    base: &'a str,
    target: &'a RequestTarget,
    model: &'a str,
    client: Client,
}

impl Probe<'_> {
    async fn ask(&self, mode: ReadinessMode) -> Result<(), String> {
        match mode {
            ReadinessMode::Models => self.is_listed().await,
            ReadinessMode::Inference => self.answers().await,
            ReadinessMode::Both => {
                self.is_listed().await?;
                self.answers().await
            }
        }
    }

    async fn is_listed(&self) -> Result<(), String> {
        let listing = self.get("/v1/models").await?;
        if listing.status == Some(404) {
            let root = self.get("").await?;
            return if root.is_success() { Ok(()) } else { Err(status(&root)) };
        }
        if !listing.is_success() {
            return Err(status(&listing));
        }
        let listed = serde_json::from_slice::<Value>(&listing.body).unwrap_or_default();
        let known = listed["data"].as_array().is_some_and(|all| all.iter().any(|m| m["id"] == *self.model));
        if known { Ok(()) } else { Err(format!("/v1/models does not list {}", self.model)) }
    }

    async fn answers(&self) -> Result<(), String> {
        let body = match self.config.endpoint.kind {
            EndpointKind::Completions => json!({"prompt": "Lo", "max_tokens": 1, "model": self.model}),
            EndpointKind::Embeddings => json!({"input": "Lo", "model": self.model}),
            _ => json!({"messages": [{"role": "user", "content": "Lo"}], "max_tokens": 1, "model": self.model}),
        };
        let headers = self.headers(&self.target.host_header);
        let lines = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let request =
            Request::post(&self.target.origin, &self.target.path_and_query, lines, Bytes::from(body.to_string()));
        let answer = self.send(&request).await?;
        if answer.status.is_some_and(|status| status < 500) { Ok(()) } else { Err(status(&answer)) }
    }

    async fn get(&self, path: &str) -> Result<Exchange, String> {
        let url = request_url(self.base, Some(path), self.config.endpoint.kind, false).map_err(|e| e.to_string())?;
        let target = request_target(url);
        let headers = self.headers(&target.host_header);
        // There is no body whose type there were to tell.
        let lines = headers.iter().filter(|(name, _)| name != "Content-Type");
        let lines = lines.map(|(name, value)| (name.as_str(), value.as_str()));
        self.send(&Request::get(&target.origin, &target.path_and_query, lines)).await
    }

    async fn send(&self, request: &Request<'_>) -> Result<Exchange, String> {
        let mut exchange = Exchange::default();
        let sent = self.client.send(request, Reuse::Pooled, &mut exchange, &NoWatch);
        match tokio::time::timeout(PROBE_LIMIT, sent).await {
            Ok(Ok(())) => Ok(exchange),
            Ok(Err(error)) => Err(TransportError::to_string(&error)),
            Err(_) => Err(format!("no answer within {} s", PROBE_LIMIT.as_secs())),
        }
    }

    fn headers(&self, host: &str) -> Vec<(String, String)> {
        let mut headers = vec![("Host".to_owned(), host.to_owned())];
        headers.push(("Content-Type".into(), "application/json".into()));
        headers.extend(settings::own_headers(&self.config.endpoint));
        headers.push(("Accept".into(), "*/*".into()));
        headers
    }
}

fn status(exchange: &Exchange) -> String {
    format!("it answers {} {}", exchange.status.unwrap_or_default(), exchange.reason)
}
