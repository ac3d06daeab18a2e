//! Runs as Jobs. The Job with the name of the run stands for it: the Job of the nodes, or that of their coordinator.

use std::collections::BTreeMap;

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::metadata::{description, labels, queued};
use super::pod::{PodRole, template};
use super::value;
use crate::deployment::{Coordination, Deployment};

/// Pods of a coordinated run that may fail before Kubernetes gives up: its own default.
const FEWEST_RESTARTS: i32 = 6;

pub(super) fn objects(deployment: &Deployment) -> Vec<Value> {
    let nats = deployment.name.nats();
    let run = deployment.name.to_string();
    match deployment.coordination {
        Coordination::Independent => vec![job(deployment, run, PodRole::Independent, &nats)],
        Coordination::NatsPod { .. } | Coordination::NatsUrl(_) => vec![
            job(deployment, deployment.name.nodes(), PodRole::Node, &nats),
            job(deployment, run, PodRole::Coordinator, &nats),
        ],
    }
}

fn job(deployment: &Deployment, name: String, role: PodRole, nats: &str) -> Value {
    let is_the_run = name == deployment.name.as_str();
    let annotations = if is_the_run { description(deployment) } else { BTreeMap::new() };
    let mut job = value(&Job {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: deployment.namespace.clone(),
            labels: Some(queued(labels(deployment, role.component()), deployment)),
            annotations: (!annotations.is_empty()).then_some(annotations),
            ..ObjectMeta::default()
        },
        spec: Some(JobSpec { ttl_seconds_after_finished: deployment.ttl_seconds, ..spec(deployment, role) }),
        status: None,
    });
    job["spec"]["template"] = template(deployment, role, nats);
    job
}

/// Without its template.
pub(super) fn spec(deployment: &Deployment, role: PodRole) -> JobSpec {
    let pods = match role {
        PodRole::Independent | PodRole::Node => i32::try_from(deployment.nodes).unwrap_or(i32::MAX),
        PodRole::Coordinator | PodRole::Nats => 1,
    };
    let backoff_limit = match role {
        // One that starts again would send its share, or the whole run, a second time.
        PodRole::Independent | PodRole::Coordinator => 0,
        // A Job that gives up ends its other pods, too. The coordinator decides what a lost node means, and a node that is started again
        // only waits for work.
        PodRole::Node | PodRole::Nats => pods.max(FEWEST_RESTARTS),
    };
    JobSpec {
        active_deadline_seconds: deployment.deadline_seconds,
        backoff_limit: Some(backoff_limit),
        completion_mode: Some("Indexed".to_owned()),
        completions: Some(pods),
        parallelism: Some(pods),
        ..JobSpec::default()
    }
}
