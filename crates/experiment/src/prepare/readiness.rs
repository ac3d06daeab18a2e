//! Waits until every server answers for every model, before anything is measured.

use std::time::Duration;

use aiperf_address::{Address, ConnectionUse, RequestTarget};
use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Config, Readiness, ReadinessMode};
use aiperf_engine::ControlSource;
use aiperf_protocol::EndpointKind;
use aiperf_redact as redact;
use aiperf_transport::{Client, ClientSettings, Exchange, NoObserver, Request, TransportError};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::error::RunError;
use crate::prepare::secrets::secrets_of;
use crate::prepare::settings;
use crate::prepare::target::Targets;

/// One answer to a probe takes no longer than this, nor than what is left of the time to wait, or the server counts as not ready.
const PROBE_LIMIT: Duration = Duration::from_secs(30);

/// What is left of the time to wait for the last probe.
const LAST_PROBE: Duration = Duration::from_millis(200);

/// How long a server is asked for its models when the run is over.
const LISTING_LIMIT: Duration = Duration::from_secs(2);

/// How often a user who no longer wants to wait is noticed.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Returns how long that took; zero if each server was ready at the first probe. Returns early, without an error, when `control`
/// says stop: the run then ends before it sends anything.
pub(crate) fn wait(
    readiness: Readiness,
    config: &Config,
    targets: &Targets,
    client: &ClientSettings,
    control: &ControlSource,
) -> Result<Nanos, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Runtime)?;
    // HTTP/2 connections run as tasks of their own on this thread.
    tokio::task::LocalSet::new().block_on(&runtime, async {
        tokio::select! {
            ready = all_ready(readiness, config, targets, client) => ready,
            () = stopped(control) => Ok(Nanos::ZERO),
        }
    })
}

/// Resolves when the user has interrupted the run.
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
    let secrets = secrets_of(config);
    for (base, target) in targets.bases.iter().zip(&targets.requests) {
        for model in &config.dataset.models {
            let start = Mono::now();
            let until = start + readiness.timeout.into();
            let shown = redact::shown_url(base.as_str());
            let probe =
                Probe { config, base, shown: &shown, target, model, until, client: Client::new(client.clone()) };
            log::info!("Waiting for {shown} to serve {model}");
            while let Err(reason) = probe.ask(readiness.mode).await {
                missed.get_or_insert(start);
                let reason = secrets.hide(reason.into()).into_owned();
                let waited = Mono::now().since(start).as_duration();
                let Some(pause) = pause_before_next_probe(readiness, until) else {
                    let (url, model) = (shown, model.to_string());
                    return Err(RunError::NotReady { url, model, waited: waited.as_secs_f64(), reason });
                };
                log::info!("{shown} is not ready: {reason}");
                tokio::time::sleep(pause).await;
            }
        }
    }
    Ok(missed.map_or(Nanos::ZERO, |since| Mono::now().since(since)))
}

/// How long to wait before the next probe; `None` if there is no time for one. The last pause is shorter if the time is up
/// before the interval is over, so that a limit is used to its end.
pub(crate) fn pause_before_next_probe(readiness: Readiness, until: Mono) -> Option<Duration> {
    let left = until.since(Mono::now()).as_duration();
    left.checked_sub(LAST_PROBE).filter(|left| !left.is_zero()).map(|left| left.min(readiness.interval))
}

/// The models that the first server lists; none if it does not answer at once.
pub(crate) fn served_models(config: &Config, targets: &Targets, client: &ClientSettings) -> Vec<String> {
    list_models(config, targets, client).unwrap_or_default()
}

/// The models that the first server of a configuration lists; or why there is no list.
pub fn listed_models(config: &Config) -> Result<Vec<String>, String> {
    let list = || -> Result<Result<Vec<String>, String>, RunError> {
        let targets = Targets::open(&config.endpoint, "")?;
        let client = settings::client_settings(config, &targets)?;
        Ok(list_models(config, &targets, &client))
    };
    list().map_err(|error| error.to_string())?
}

fn list_models(config: &Config, targets: &Targets, client: &ClientSettings) -> Result<Vec<String>, String> {
    let (Some(base), Some(target)) = (targets.bases.first(), targets.requests.first()) else { return Ok(Vec::new()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let until = Mono::now() + LISTING_LIMIT.into();
    let shown = redact::shown_url(base.as_str());
    let probe = Probe { config, base, shown: &shown, target, model: "", until, client: Client::new(client.clone()) };
    let listing = tokio::task::LocalSet::new().block_on(&runtime, probe.get("/v1/models"));
    let secrets = secrets_of(config);
    let hide = |text: String| secrets.hide(text.into()).into_owned();
    let listing = listing.map_err(hide)?;
    if !listing.is_success() {
        return Err(status(&listing));
    }
    Ok(models_in(&listing.body).into_iter().map(hide).collect())
}

/// The names in an answer of `/v1/models`.
fn models_in(body: &[u8]) -> Vec<String> {
    let listed = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let names = listed["data"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str());
    names.map(str::to_owned).collect()
}

struct Probe<'a> {
    config: &'a Config,
    base: &'a Address,
    /// The URL without secrets.
    shown: &'a str,
    target: &'a RequestTarget,
    model: &'a str,
    /// When there is no more time to wait.
    until: Mono,
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
            if !root.is_success() {
                return Err(status(&root));
            }
            log::info!("{} has no /v1/models (404) and answers at its base URL: accepting as ready", self.shown);
            return Ok(());
        }
        if !listing.is_success() {
            return Err(status(&listing));
        }
        if !models_in(&listing.body).iter().any(|name| name == self.model) {
            return Err(format!("model '{}' is not yet in /v1/models", self.model));
        }
        log::info!("Model '{}' ready: {} lists it in /v1/models", self.model, self.shown);
        Ok(())
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
        let code = answer.status.unwrap_or_default();
        if code >= 500 || code == 0 {
            return Err(status(&answer));
        }
        log::info!("Inference probe ready: {} answers {code} to a request for model '{}'", self.shown, self.model);
        Ok(())
    }

    async fn get(&self, path: &str) -> Result<Exchange, String> {
        let target = self.base.request_target(path);
        let headers = self.headers(&target.host_header);
        // There is no body whose type there were to tell.
        let lines = headers.iter().filter(|(name, _)| name != "Content-Type");
        let lines = lines.map(|(name, value)| (name.as_str(), value.as_str()));
        self.send(&Request::get(&target.origin, &target.path_and_query, lines)).await
    }

    async fn send(&self, request: &Request<'_>) -> Result<Exchange, String> {
        let mut exchange = Exchange::default();
        let sent = self.client.send(request, ConnectionUse::Pooled, &mut exchange, &NoObserver);
        let limit = PROBE_LIMIT.min(self.until.since(Mono::now()).as_duration());
        match tokio::time::timeout(limit, sent).await {
            Ok(Ok(())) => Ok(exchange),
            Ok(Err(error)) => Err(TransportError::to_string(&error)),
            Err(_) => Err(format!("no answer within {:.1} s", limit.as_secs_f64())),
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
    format!("it returned {} {}", exchange.status.unwrap_or_default(), exchange.reason).trim_end().to_owned()
}
