//! The HTTP interface of a pod, reached through the API server: progress, results, cancellation. No port has to be forwarded, and
//! `pods/proxy` is the only right that is needed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use serde_json::Value;

use crate::cluster::{Cluster, ClusterError};
use crate::deployment::{API_PORT, TOKEN_KEY};
use crate::objects::{POD, SECRET};
use crate::run::{ClusterRun, RunPod};

/// The interface of one pod.
#[derive(Debug)]
pub struct PodApi<'a> {
    cluster: &'a Cluster,
    base: String,
    /// The API server keeps `Authorization` for itself, and passes cookies on.
    cookie: String,
    pub pod: RunPod,
}

/// Counters of a phase, of one node or of several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeCounts {
    pub name: String,
    pub completed: u64,
    pub errors: u64,
    /// `None`: the phase has another stop condition.
    pub expected: Option<u64>,
    pub per_second: f64,
}

/// How the run of a pod stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultState {
    Running,
    Complete,
    Failed,
    Cancelled,
}

impl Cluster {
    /// The interfaces of the nodes, or the one of their coordinator.
    pub fn apis(&self, run: &ClusterRun) -> Result<Vec<PodApi<'_>>, ClusterError> {
        let mut pods = self.pods(run)?;
        pods.retain(|pod| pod.component == run.serving_component());
        if pods.is_empty() {
            return Ok(Vec::new());
        }
        let token = self.token(run)?;
        let api = |pod: RunPod| PodApi {
            cluster: self,
            base: format!("{}/{}:{API_PORT}/proxy", POD.path(Some(&run.namespace)), pod.name),
            cookie: format!("aiperf_token_{API_PORT}={token}"),
            pod,
        };
        Ok(pods.into_iter().map(api).collect())
    }

    fn token(&self, run: &ClusterRun) -> Result<String, ClusterError> {
        let name = run.name.secret();
        let action = format!("to read Secret {name}");
        let secret = self.get(&action, &format!("{}/{name}", SECRET.path(Some(&run.namespace))))?;
        let token = secret["data"][TOKEN_KEY].as_str().and_then(|text| STANDARD.decode(text).ok());
        token
            .and_then(|token| String::from_utf8(token).ok())
            .ok_or_else(|| ClusterError::Answer { action, reason: format!("it has no key {TOKEN_KEY}") })
    }
}

impl PodApi<'_> {
    fn headers(&self) -> [(&'static str, String); 1] {
        [("cookie", self.cookie.clone())]
    }

    fn json(&self, path: &str) -> Result<Value, ClusterError> {
        let action = format!("to ask pod {}", self.pod.name);
        let text = self.cluster.text(&action, &format!("{}{path}", self.base), &self.headers())?;
        serde_json::from_str(&text).map_err(|error| ClusterError::Answer { action, reason: error.to_string() })
    }

    fn post(&self, path: &str) -> Result<(), ClusterError> {
        let action = format!("to ask pod {}", self.pod.name);
        let request = Request::post(format!("{}{path}", self.base)).header("cookie", &self.cookie);
        self.cluster.text_of(&action, request, Vec::new()).map(drop)
    }

    /// The phases that have begun, in their order.
    pub fn progress(&self) -> Result<Vec<NodeCounts>, ClusterError> {
        Ok(phases(&self.json("/api/progress")?))
    }

    pub fn result_state(&self) -> Result<ResultState, ClusterError> {
        Ok(match self.json("/api/results")?["status"].as_str() {
            Some("complete") => ResultState::Complete,
            Some("failed") => ResultState::Failed,
            Some("cancelled") => ResultState::Cancelled,
            _ => ResultState::Running,
        })
    }

    /// Ends the run as Ctrl-C does; `false` if it has already ended.
    pub fn cancel(&self) -> Result<bool, ClusterError> {
        accepted(self.post("/api/cancel"))
    }

    /// Ends the pod, which only serves its results; `false` if its run goes on.
    pub fn shut_down(&self) -> Result<bool, ClusterError> {
        accepted(self.post("/api/shutdown"))
    }

    /// Passes a request of a browser on, and the answer back.
    pub fn forward(&self, method: &str, target: &str, out: &mut dyn Write) -> Result<(), ClusterError> {
        let request =
            Request::builder().method(method).uri(format!("{}{target}", self.base)).header("cookie", &self.cookie);
        self.cluster.forward(&format!("to ask pod {}", self.pod.name), request, out)
    }

    /// Downloads the files that `is_wanted` chooses into a folder. Returns their number.
    pub fn download(&self, folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<usize, ClusterError> {
        let list = self.json("/api/results/list")?;
        let names = list["files"].as_array().into_iter().flatten().filter_map(|file| file["name"].as_str());
        let mut count = 0;
        for name in names.filter(|name| is_wanted(name)) {
            // The pod is the user's own, but what it says is still checked before a file is written.
            if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(ClusterError::Other(format!(
                    "pod {} offers a file outside of its folder: {name}",
                    self.pod.name
                )));
            }
            self.download_one(name, &folder.join(name))?;
            count += 1;
        }
        Ok(count)
    }

    fn download_one(&self, name: &str, path: &Path) -> Result<(), ClusterError> {
        let cannot = |cause: io::Error| ClusterError::Write { path: path.display().to_string(), cause };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(cannot)?;
        }
        // A download that breaks off leaves no file that looks whole.
        let part = path.with_file_name(format!("{}.part", path.file_name().unwrap_or_default().to_string_lossy()));
        let file = File::create(&part).map_err(cannot)?;
        let escaped: Vec<String> = name.split('/').map(crate::objects::escaped).collect();
        let url = format!("{}/api/results/files/{}", self.base, escaped.join("/"));
        let action = format!("to download {name} of pod {}", self.pod.name);
        self.cluster.copy(&action, &url, &self.headers(), &mut BufWriter::new(file))?;
        fs::rename(&part, path).map_err(cannot)
    }
}

/// A conflict is an answer: the run is not in the state for it.
fn accepted(answer: Result<(), ClusterError>) -> Result<bool, ClusterError> {
    match answer {
        Ok(()) => Ok(true),
        Err(ClusterError::Refused { code: 409, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn phases(progress: &Value) -> Vec<NodeCounts> {
    let mut phases: Vec<(u64, NodeCounts)> = progress["phases"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, phase)| {
            let number = |key: &str| phase[key].as_u64();
            let counts = NodeCounts {
                name: name.clone(),
                completed: number("requests_completed").unwrap_or(0),
                errors: number("request_errors").unwrap_or(0),
                expected: number("total_expected_requests"),
                per_second: phase["requests_per_second"].as_f64().unwrap_or(0.0),
            };
            (number("phase_index").unwrap_or(0), counts)
        })
        .collect();
    phases.sort_by_key(|(index, _)| *index);
    phases.into_iter().map(|(_, counts)| counts).collect()
}

/// The last phase that all these nodes together are in.
pub fn sum(nodes: &[Vec<NodeCounts>]) -> Option<NodeCounts> {
    let mut last: Vec<&NodeCounts> = nodes.iter().filter_map(|phases| phases.last()).collect();
    let name = last.first()?.name.clone();
    last.retain(|phase| phase.name == name);
    let add = |value: fn(&NodeCounts) -> u64| last.iter().map(|phase| value(phase)).sum();
    Some(NodeCounts {
        completed: add(|phase| phase.completed),
        errors: add(|phase| phase.errors),
        expected: last.iter().map(|phase| phase.expected).sum(),
        per_second: last.iter().map(|phase| phase.per_second).sum(),
        name,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_of_nodes_add_up() {
        let progress = |completed: u64| {
            phases(&json!({"phases": {
                "profiling": {"phase_index": 1, "requests_completed": completed, "request_errors": 1,
                    "total_expected_requests": 10, "requests_per_second": 2.5},
                "warmup": {"phase_index": 0, "requests_completed": 2},
            }}))
        };
        assert_eq!(progress(4)[0].name, "warmup");
        let all = sum(&[progress(4), progress(5)]).unwrap();
        let expected =
            NodeCounts { name: "profiling".to_owned(), completed: 9, errors: 2, expected: Some(20), per_second: 5.0 };
        assert_eq!(all, expected);
        assert_eq!(sum(&[Vec::new()]), None);
    }
}
