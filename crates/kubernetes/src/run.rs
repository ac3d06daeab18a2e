//! Runs that are in the cluster: which there are, what state they are in, and their pods.

use serde_json::Value;

use crate::cluster::{Cluster, ClusterError};
use crate::manifest::{COMPONENT, CONFIG_KEY, INSTANCE, annotation, selector, selector_of};
use crate::name::RunName;
use crate::objects::{CONFIG_MAP, JOB, JOB_SET, POD};

/// A run as its Job or `JobSet` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterRun {
    pub name: RunName,
    pub namespace: String,
    /// `Job` or `JobSet`.
    pub kind: &'static str,
    pub state: ClusterRunState,
    /// Why it failed, in the words of Kubernetes.
    pub reason: Option<String>,
    /// When it was created, as Kubernetes writes it.
    pub created: String,
    pub nodes: u32,
    pub is_coordinated: bool,
    /// The volume with the results.
    pub results_claim: Option<String>,
    pub model: String,
    pub endpoint: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterRunState {
    /// Held back by a queue.
    Queued,
    /// No pod has started.
    Pending,
    Running,
    Completed,
    Failed,
}

impl ClusterRunState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "Queued",
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
        }
    }

    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

impl ClusterRun {
    /// The part of the pods that have an HTTP interface and results: the coordinator leads nodes that have neither.
    pub(crate) fn serving_component(&self) -> &'static str {
        if self.is_coordinated { "coordinator" } else { "node" }
    }

    /// How many pods have results.
    pub fn serving_pods(&self) -> usize {
        if self.is_coordinated { 1 } else { self.nodes as usize }
    }

    /// Whether each node has results of its own, which have to be merged.
    pub fn needs_merge(&self) -> bool {
        !self.is_coordinated && self.nodes > 1
    }
}

/// A pod of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPod {
    pub name: String,
    /// `node`, `coordinator` or `nats`.
    pub component: String,
    /// The number of the node.
    pub index: Option<u32>,
    /// `Pending`, `Running`, `Succeeded` or `Failed`.
    pub phase: String,
    /// Why a container does not run, in the words of Kubernetes.
    pub reason: Option<String>,
    /// The machine that it runs on.
    pub host: Option<String>,
}

impl RunPod {
    pub fn is_running(&self) -> bool {
        self.phase == "Running"
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.phase.as_str(), "Succeeded" | "Failed")
    }
}

impl Cluster {
    /// All runs of a namespace, or of the whole cluster, the newest first.
    pub fn runs(&self, namespace: Option<&str>) -> Result<Vec<ClusterRun>, ClusterError> {
        let mut runs = Vec::new();
        for kind in [JOB, JOB_SET] {
            match self.list(kind, namespace, &selector()) {
                Ok(objects) => runs.extend(objects.iter().filter_map(|object| run(kind.kind, object))),
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error),
            }
        }
        runs.sort_by(|a, b| b.created.cmp(&a.created).then(a.name.cmp(&b.name)));
        Ok(runs)
    }

    /// The run of this name, or the newest one.
    pub fn run(&self, name: Option<&str>) -> Result<Option<ClusterRun>, ClusterError> {
        let runs = self.runs(Some(self.namespace()))?;
        Ok(match name {
            Some(name) => runs.into_iter().find(|run| run.name.as_str() == name),
            None => runs.into_iter().next(),
        })
    }

    /// The configuration file of a run, without secrets.
    pub fn configuration(&self, run: &ClusterRun) -> Result<String, ClusterError> {
        let name = run.name.config_map();
        let map = self
            .get(&format!("to read ConfigMap {name}"), &format!("{}/{name}", CONFIG_MAP.path(Some(&run.namespace))))?;
        Ok(text(&map["data"][CONFIG_KEY]))
    }

    /// The pods of a run, nodes in their order.
    pub fn pods(&self, run: &ClusterRun) -> Result<Vec<RunPod>, ClusterError> {
        let objects = self.list(POD, Some(&run.namespace), &selector_of(&run.name))?;
        let mut pods: Vec<RunPod> = objects.iter().map(pod).collect();
        pods.sort_by(|a, b| (&a.component, a.index, &a.name).cmp(&(&b.component, b.index, &b.name)));
        Ok(pods)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The run that a Job or `JobSet` stands for. Jobs that only belong to a run have other names.
fn run(kind: &'static str, object: &Value) -> Option<ClusterRun> {
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str()?;
    if metadata["labels"][INSTANCE] != name {
        return None;
    }
    let note = |name: &str| text(&metadata["annotations"][name]);
    let conditions = object["status"]["conditions"].as_array();
    let is = |wanted: &str| {
        conditions.into_iter().flatten().find(|condition| condition["type"] == wanted && condition["status"] == "True")
    };
    let count = |name: &str| object["status"][name].as_u64().unwrap_or(0);
    let has_pods = count("active") + count("succeeded") + count("ready") > 0
        || object["status"]["replicatedJobsStatus"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|job| job["active"].as_u64().unwrap_or(0) + job["ready"].as_u64().unwrap_or(0) > 0);
    let failed = is("Failed");
    let state = if failed.is_some() {
        ClusterRunState::Failed
    } else if is("Complete").or(is("Completed")).is_some() {
        ClusterRunState::Completed
    } else if object["spec"]["suspend"] == true || is("Suspended").is_some() {
        ClusterRunState::Queued
    } else if has_pods {
        ClusterRunState::Running
    } else {
        ClusterRunState::Pending
    };
    Some(ClusterRun {
        name: RunName::parse(name).ok()?,
        namespace: text(&metadata["namespace"]),
        kind,
        state,
        reason: failed.map(|condition| text(&condition["message"])).filter(|reason| !reason.is_empty()),
        created: text(&metadata["creationTimestamp"]),
        nodes: note(annotation::NODES).parse().unwrap_or(1),
        is_coordinated: note(annotation::COORDINATION) == "nats",
        results_claim: Some(note(annotation::RESULTS_CLAIM)).filter(|claim| !claim.is_empty()),
        model: note(annotation::MODEL),
        endpoint: note(annotation::ENDPOINT),
    })
}

fn pod(object: &Value) -> RunPod {
    let metadata = &object["metadata"];
    let index = metadata["annotations"]["batch.kubernetes.io/job-completion-index"].as_str();
    RunPod {
        name: text(&metadata["name"]),
        component: text(&metadata["labels"][COMPONENT]),
        index: index.and_then(|index| index.parse().ok()),
        phase: text(&object["status"]["phase"]),
        reason: reason(&object["status"]),
        host: object["spec"]["nodeName"].as_str().map(str::to_owned),
    }
}

/// What keeps a pod from running, or what ended it.
fn reason(status: &Value) -> Option<String> {
    let said = |state: &Value| {
        let (reason, message) = (text(&state["reason"]), text(&state["message"]));
        let code = state["exitCode"].as_i64().filter(|code| *code != 0).map(|code| format!("exit code {code}"));
        let parts = [reason, code.unwrap_or_default(), message].into_iter().filter(|part| !part.is_empty());
        let sentence = parts.collect::<Vec<_>>().join(": ");
        (!sentence.is_empty() && sentence != "Completed").then_some(sentence)
    };
    let containers = status["containerStatuses"].as_array().into_iter().flatten();
    let of_containers = containers.filter_map(|container| {
        let state = &container["state"];
        said(&state["waiting"]).or_else(|| said(&state["terminated"]))
    });
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let not_scheduled = conditions
        .filter(|condition| condition["type"] == "PodScheduled" && condition["status"] == "False")
        .filter_map(said);
    of_containers.chain(not_scheduled).next().or_else(|| said(status))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
    fn job(status: Value) -> Value {
        json!({
            "metadata": {
                "name": "r", "namespace": "bench", "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {INSTANCE: "r"},
                "annotations": {"aiperf/nodes": "3", "aiperf/coordination": "nats", "aiperf/model": "m"},
            },
            "spec": {},
            "status": status,
        })
    }

    #[test]
    fn the_state_of_a_run_is_that_of_its_job() {
        let state = |status: Value| run("Job", &job(status)).unwrap().state;
        assert_eq!(state(json!({})), ClusterRunState::Pending);
        assert_eq!(state(json!({"active": 1})), ClusterRunState::Running);
        assert_eq!(state(json!({"conditions": [{"type": "Complete", "status": "True"}]})), ClusterRunState::Completed);
        assert_eq!(state(json!({"conditions": [{"type": "Completed", "status": "True"}]})), ClusterRunState::Completed);
        assert_eq!(state(json!({"conditions": [{"type": "Complete", "status": "False"}]})), ClusterRunState::Pending);
        assert_eq!(state(json!({"replicatedJobsStatus": [{"active": 1}]})), ClusterRunState::Running);
        let failed = json!({"conditions": [{"type": "Failed", "status": "True", "message": "too slow"}]});
        let failed = run("Job", &job(failed)).unwrap();
        assert_eq!((failed.state, failed.reason.as_deref()), (ClusterRunState::Failed, Some("too slow")));
        assert_eq!((failed.nodes, failed.is_coordinated), (3, true));
        assert_eq!(
            (failed.serving_pods(), failed.needs_merge(), failed.serving_component()),
            (1, false, "coordinator")
        );
        let alone = ClusterRun { is_coordinated: false, ..failed };
        assert_eq!((alone.serving_pods(), alone.needs_merge(), alone.serving_component()), (3, true, "node"));
        let mut queued = job(json!({}));
        queued["spec"]["suspend"] = json!(true);
        assert_eq!(run("Job", &queued).unwrap().state, ClusterRunState::Queued);
    }

    #[test]
    fn a_job_that_belongs_to_a_run_is_not_a_run() {
        let mut nodes = job(json!({}));
        nodes["metadata"]["name"] = json!("r-nodes");
        assert_eq!(run("Job", &nodes), None);
    }

    #[test]
    fn a_pod_says_why_it_does_not_run() {
        let of = |status: Value| pod(&json!({"metadata": {"name": "p"}, "status": status})).reason;
        let waiting = json!({"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no image"}}}]});
        assert_eq!(of(waiting).unwrap(), "ImagePullBackOff: no image");
        let ended = json!({"containerStatuses": [{"state": {"terminated": {"reason": "Error", "exitCode": 2}}}]});
        assert_eq!(of(ended).unwrap(), "Error: exit code 2");
        let done = json!({"containerStatuses": [{"state": {"terminated": {"reason": "Completed", "exitCode": 0}}}]});
        assert_eq!(of(done), None);
        let homeless = json!({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}]});
        assert_eq!(of(homeless).unwrap(), "Unschedulable: no room");
    }
}
