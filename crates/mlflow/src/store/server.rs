//! MLflow's REST API. Files go through the server's artifact proxy.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use aiperf_address::Address;
use aiperf_clock::Mono;
use aiperf_config::MlflowLogin;
use aiperf_redact::shown_url;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use ureq::http::Response;
use ureq::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use ureq::{Agent, Body};

use super::{MetricValue, NewRun, RunStatus, StoredRun, TextPair, copy_file};
use crate::error::MlflowError;

/// Time limit of one call.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes of an answer that are read.
const ANSWER_LIMIT: u64 = 4 * 1024 * 1024;
/// Most characters of an error that a message shows.
const EXCERPT: usize = 300;
/// What the server takes in one call.
const METRICS_PER_CALL: usize = 1_000;
const PAIRS_PER_CALL: usize = 100;
/// Longer values are refused by some versions of the server.
const LONGEST_VALUE: usize = 5_000;

/// What stands in a path as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

#[derive(Debug)]
pub(crate) struct ServerStore {
    agent: Agent,
    /// Without a slash at its end.
    base: String,
    authorization: Option<String>,
    pub(super) deadline: Option<Mono>,
}

impl ServerStore {
    pub(super) fn new(address: &Address, login: Option<&MlflowLogin>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("aiperf/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let authorization = login.map(|login| match login {
            MlflowLogin::Token(token) => format!("Bearer {}", token.0),
            MlflowLogin::Basic(joined) => format!("Basic {}", BASE64_STANDARD.encode(&joined.0)),
        });
        let base = address.request_target("").without_query().trim_end_matches('/').to_owned();
        Self { agent, base, authorization, deadline: None }
    }

    pub(super) fn create_run(&self, run: &NewRun) -> Result<StoredRun, MlflowError> {
        let experiment_id = self.experiment(&run.experiment)?;
        let answer = self.post(
            "runs/create",
            &json!({
                "experiment_id": experiment_id,
                "run_name": run.name,
                "user_id": run.user,
                "start_time": run.start_ms,
                "tags": pairs(&run.tags),
            }),
        )?;
        self.stored(&answer)
    }

    pub(super) fn run(&self, id: &str) -> Result<StoredRun, MlflowError> {
        let answer = self.get("runs/get", &[("run_id", id)])?;
        self.stored(&answer)
    }

    pub(super) fn log(
        &self,
        run_id: &str,
        metrics: &[MetricValue],
        params: &[TextPair],
        tags: &[TextPair],
    ) -> Result<(), MlflowError> {
        for part in metrics.chunks(METRICS_PER_CALL) {
            let part: Vec<Value> = part.iter().map(metric).collect();
            self.post("runs/log-batch", &json!({"run_id": run_id, "metrics": part}))?;
        }
        for part in params.chunks(PAIRS_PER_CALL) {
            self.post("runs/log-batch", &json!({"run_id": run_id, "params": pairs(part)}))?;
        }
        for part in tags.chunks(PAIRS_PER_CALL) {
            self.post("runs/log-batch", &json!({"run_id": run_id, "tags": pairs(part)}))?;
        }
        Ok(())
    }

    pub(super) fn end_run(&self, run_id: &str, status: RunStatus, end_ms: i64) -> Result<(), MlflowError> {
        let status = match status {
            RunStatus::Finished => "FINISHED",
            RunStatus::Failed => "FAILED",
            RunStatus::Killed => "KILLED",
        };
        self.post("runs/update", &json!({"run_id": run_id, "status": status, "end_time": end_ms})).map(drop)
    }

    pub(super) fn upload(&self, run: &StoredRun, place: &str, file: &Path) -> Result<(), MlflowError> {
        let uri = &run.artifact_uri;
        let Some(proxied) = proxied_path(uri) else {
            // A server without the proxy keeps files in a folder, which may be on this machine.
            let is_path = uri.starts_with("file:") || uri.starts_with('/');
            return if is_path {
                copy_file(uri, place, file)
            } else {
                Err(MlflowError::ArtifactsElsewhere { uri: shown_url(uri) })
            };
        };
        let path = utf8_percent_encode(&format!("{proxied}/{place}"), PATH).to_string();
        let url = format!("{}/api/2.0/mlflow-artifacts/artifacts/{path}", self.base);
        let opened = File::open(file).map_err(MlflowError::file(file))?;
        let length = opened.metadata().map_err(MlflowError::file(file))?.len();
        let request = self.agent.put(&url).config().timeout_global(Some(self.limit(None)?)).build();
        let mut request = request.header(CONTENT_TYPE, "application/octet-stream").header(CONTENT_LENGTH, length);
        if let Some(login) = &self.authorization {
            request = request.header(AUTHORIZATION, login);
        }
        self.read(&url, request.send(opened)).map(drop)
    }

    /// The id of an experiment, which is created if there is none of this name.
    fn experiment(&self, name: &str) -> Result<String, MlflowError> {
        match self.get("experiments/get-by-name", &[("experiment_name", name)]) {
            Err(MlflowError::Refused { status: 404, .. }) => {}
            found => return self.experiment_id(&found?, name),
        }
        match self.post("experiments/create", &json!({"name": name})) {
            // Somebody else created it in between.
            Err(MlflowError::Refused { status: 400, said, .. }) if said.contains("ALREADY_EXISTS") => {
                self.experiment_id(&self.get("experiments/get-by-name", &[("experiment_name", name)])?, name)
            }
            created => {
                let created = created?;
                self.text(&created, "/experiment_id")
            }
        }
    }

    fn experiment_id(&self, answer: &Value, name: &str) -> Result<String, MlflowError> {
        if answer.pointer("/experiment/lifecycle_stage").and_then(Value::as_str) == Some("deleted") {
            return Err(MlflowError::ExperimentDeleted { name: name.to_owned() });
        }
        self.text(answer, "/experiment/experiment_id")
    }

    fn stored(&self, answer: &Value) -> Result<StoredRun, MlflowError> {
        Ok(StoredRun {
            id: self.text(answer, "/run/info/run_id")?,
            name: self.text(answer, "/run/info/run_name").unwrap_or_default(),
            artifact_uri: self.text(answer, "/run/info/artifact_uri").unwrap_or_default(),
        })
    }

    fn text(&self, answer: &Value, place: &str) -> Result<String, MlflowError> {
        let found = answer.pointer(place).and_then(Value::as_str).map(ToOwned::to_owned);
        found.ok_or_else(|| MlflowError::Answer {
            url: shown_url(&self.base),
            reason: format!("there is no {}", place.trim_start_matches('/').replace('/', ".")),
        })
    }

    fn get(&self, call: &str, query: &[(&str, &str)]) -> Result<Value, MlflowError> {
        let url = self.url(call);
        let mut request = self.agent.get(&url).config().timeout_global(Some(self.limit(Some(CALL_LIMIT))?)).build();
        for (name, value) in query {
            request = request.query(name, value);
        }
        if let Some(login) = &self.authorization {
            request = request.header(AUTHORIZATION, login);
        }
        self.read(&url, request.call())
    }

    fn post(&self, call: &str, body: &Value) -> Result<Value, MlflowError> {
        let url = self.url(call);
        let request = self.agent.post(&url).config().timeout_global(Some(self.limit(Some(CALL_LIMIT))?)).build();
        let mut request = request.header(CONTENT_TYPE, "application/json");
        if let Some(login) = &self.authorization {
            request = request.header(AUTHORIZATION, login);
        }
        self.read(&url, request.send(body.to_string()))
    }

    fn url(&self, call: &str) -> String {
        format!("{}/api/2.0/mlflow/{call}", self.base)
    }

    /// How long a call may take.
    fn limit(&self, usual: Option<Duration>) -> Result<Duration, MlflowError> {
        let left = self.deadline.map(|deadline| deadline.since(Mono::now()).as_duration());
        if left.is_some_and(|left| left.is_zero()) {
            return Err(MlflowError::Unreachable {
                url: shown_url(&self.base),
                reason: "the time limit is over".to_owned(),
            });
        }
        Ok(left.unwrap_or(Duration::MAX).min(usual.unwrap_or(Duration::MAX)).min(Duration::from_secs(600)))
    }

    fn read(&self, url: &str, sent: Result<Response<Body>, ureq::Error>) -> Result<Value, MlflowError> {
        let unreachable =
            |error: ureq::Error| MlflowError::Unreachable { url: shown_url(&self.base), reason: error.to_string() };
        let mut response = sent.map_err(unreachable)?;
        let status = response.status();
        let answer = response.body_mut().with_config().limit(ANSWER_LIMIT).read_to_vec().map_err(unreachable)?;
        if status.is_success() {
            // The proxy answers some uploads with nothing.
            return Ok(serde_json::from_slice(&answer).unwrap_or(Value::Null));
        }
        let said = String::from_utf8_lossy(&answer);
        let said: String = said.chars().filter(|c| !c.is_control()).take(EXCERPT).collect();
        let said = if said.is_empty() { said } else { format!(" ({said})") };
        Err(MlflowError::Refused { url: shown_url(url), status: status.as_u16(), said })
    }
}

/// The path within the artifact proxy of `mlflow-artifacts:/1/ID/artifacts` and `mlflow-artifacts://host/1/ID/artifacts`.
fn proxied_path(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix("mlflow-artifacts:")?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.split_once('/').map_or("", |(_, path)| path),
        None => rest,
    };
    Some(path.trim_matches('/'))
}

fn metric(metric: &MetricValue) -> Value {
    json!({"key": metric.key, "value": metric.value, "timestamp": metric.at_ms, "step": metric.step})
}

fn pairs(pairs: &[TextPair]) -> Vec<Value> {
    let short = |value: &str| value.chars().take(LONGEST_VALUE).collect::<String>();
    pairs.iter().map(|(key, value)| json!({"key": key, "value": short(value)})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_proxying_server_have_a_path() {
        assert_eq!(proxied_path("mlflow-artifacts:/1/ab/artifacts"), Some("1/ab/artifacts"));
        assert_eq!(proxied_path("mlflow-artifacts://host:5000/1/ab/artifacts/"), Some("1/ab/artifacts"));
        assert_eq!(proxied_path("s3://bucket/1"), None);
    }
}
