//! Calls to a server outside the measured run.

use std::cell::Cell;
use std::time::Duration;

use aiperf_address::{ConnectionUse, RequestTarget};
use aiperf_clock::Mono;
use aiperf_config::{Config, Readiness};
use aiperf_endpoint::{HeaderPlan, RequestIds};
use aiperf_grpc::{GrpcCode, GrpcStatus, frame, frames};
use aiperf_protocol::Wire;
use aiperf_redact as redact;
use aiperf_redact::Secrets;
use aiperf_seed::Stream;
use aiperf_transport::{Client, ClientSettings, Exchange, NoObserver, Request};
use bytes::Bytes;

use crate::prepare::readiness::pause_before_next_probe;
use crate::prepare::secrets::secrets_of;
use crate::prepare::target::Targets;

/// The longest wait for an answer; `--request-timeout-seconds` can shorten it.
const LIMIT: Duration = Duration::from_secs(30);

pub(super) struct Caller<'a> {
    client: Client,
    target: &'a RequestTarget,
    /// The server's URL, as it is shown.
    pub(super) base: String,
    headers: &'a HeaderPlan,
    wire: Wire,
    readiness: Option<Readiness>,
    /// For one answer.
    limit: Duration,
    /// When the user no longer waits for the server.
    until: Cell<Option<Mono>>,
    secrets: Secrets,
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub(super) enum NoAnswer {
    /// The server said so.
    Status(GrpcStatus),
    /// The server was not reached, or not understood.
    Failed(String),
}

impl NoAnswer {
    pub(super) fn is(&self, code: GrpcCode) -> bool {
        matches!(self, Self::Status(status) if status.code == code)
    }

    pub(super) fn reason(&self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::Failed(reason) => reason.clone(),
        }
    }
}

impl<'a> Caller<'a> {
    pub(super) fn new(config: &Config, targets: &'a Targets, client: &ClientSettings, headers: &'a HeaderPlan) -> Self {
        Self {
            client: Client::new(client.clone()),
            target: &targets.requests[0],
            base: redact::shown_url(targets.bases[0].as_str()),
            headers,
            wire: config.endpoint.wire,
            readiness: config.endpoint.readiness,
            limit: config.endpoint.request_timeout.map_or(LIMIT, |limit| LIMIT.min(limit)),
            until: Cell::new(None),
            secrets: secrets_of(config),
        }
    }

    /// Calls a method with these messages, and gives those that it answers with.
    pub(super) async fn call(&self, path: &str, messages: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, NoAnswer> {
        let Wire::Grpc { message_limit, .. } = self.wire else {
            return Err(NoAnswer::Failed("the URL is not a gRPC URL".to_owned()));
        };
        let mut body = Vec::new();
        for message in messages {
            frame(message, &mut body);
        }
        let id = Stream::from_entropy().uuid().to_string();
        let lines = self.headers.lines(self.ids(&id));
        let request = Request::grpc(&self.target.origin, path, lines, Bytes::from(body), message_limit);
        let answer = self.send(&request).await?;
        if !answer.is_success() {
            return Err(if answer.is_grpc() || answer.grpc_status().is_some() {
                let mut status = GrpcStatus::read(answer.grpc_status(), answer.grpc_message());
                status.message = self.secrets.hide(status.message.into()).into_owned();
                NoAnswer::Status(status)
            } else {
                NoAnswer::Failed(format!("it answered with HTTP status {}", answer.status.unwrap_or_default()))
            });
        }
        let found = frames(&answer.body).map_err(|error| NoAnswer::Failed(error.to_string()))?;
        Ok(found.into_iter().map(|frame| frame.of(&answer.body).to_vec()).collect())
    }

    /// The body at a path, of an answer of status 200.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>, NoAnswer> {
        let id = Stream::from_entropy().uuid().to_string();
        let lines = self.headers.lines(self.ids(&id)).filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        let answer = self.send(&Request::get(&self.target.origin, path, lines)).await?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        let text = String::from_utf8_lossy(&answer.body).chars().take(200).collect::<String>();
        let said = format!("it answered {} {} {text}", answer.status.unwrap_or_default(), answer.reason);
        Err(NoAnswer::Failed(self.secrets.hide(said.into()).into_owned()))
    }

    fn ids<'i>(&'i self, id: &'i str) -> RequestIds<'i> {
        RequestIds {
            host: &self.target.host_header,
            request_id: id,
            correlation_id: id,
            parent_correlation_id: None,
            trace_parent: None,
        }
    }

    async fn send(&self, request: &Request<'_>) -> Result<Exchange, NoAnswer> {
        let mut exchange = Exchange::default();
        let sent = self.client.send(request, ConnectionUse::Pooled, &mut exchange, &NoObserver);
        let left = self.until.get().map_or(Duration::MAX, |until| until.since(Mono::now()).as_duration());
        let limit = self.limit.min(left);
        match tokio::time::timeout(limit, sent).await {
            Ok(Ok(())) => Ok(exchange),
            Ok(Err(error)) => Err(NoAnswer::Failed(self.secrets.hide(error.to_string().into()).into_owned())),
            Err(_) => Err(NoAnswer::Failed(format!("no answer within {:.1} s", limit.as_secs_f64()))),
        }
    }

    /// Asks until there is an answer, as long as the user is willing to wait for the server.
    pub(super) async fn patiently<T>(&self, mut ask: impl AsyncFnMut() -> Result<T, NoAnswer>) -> Result<T, NoAnswer> {
        let start = Mono::now();
        self.until.set(self.readiness.map(|readiness| start + readiness.timeout.into()));
        loop {
            let answer = ask().await;
            let (Err(reason), Some(readiness)) = (&answer, self.readiness) else {
                self.until.set(None);
                return answer;
            };
            let Some(pause) = pause_before_next_probe(readiness, start + readiness.timeout.into()) else {
                self.until.set(None);
                return answer;
            };
            log::info!("{} is not ready: {}", self.base, reason.reason());
            tokio::time::sleep(pause).await;
        }
    }
}
