//! Runs as one `JobSet`, whose controller makes the Jobs and the host names of their pods.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::job;
use super::metadata::{description, labels, queued};
use super::pod::{PodRole, template};
use super::value;
use crate::deployment::{Coordination, Deployment};

/// The version of `JobSet` that all its releases since 0.2 serve.
pub(crate) const JOB_SET_VERSION: &str = "jobset.x-k8s.io/v1alpha2";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobSetSpec {
    replicated_jobs: Vec<ReplicatedJob>,
    network: Network,
    success_policy: SuccessPolicy,
    failure_policy: FailurePolicy,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds_after_finished: Option<i32>,
}

#[derive(Serialize)]
struct ReplicatedJob {
    name: &'static str,
    replicas: i32,
    /// A template of a Job.
    template: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Network {
    #[serde(rename = "enableDNSHostnames")]
    enable_dns_hostnames: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuccessPolicy {
    operator: &'static str,
    target_replicated_jobs: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailurePolicy {
    max_restarts: i32,
}

pub(super) fn object(deployment: &Deployment) -> Value {
    let roles: &[PodRole] = match deployment.coordination {
        Coordination::Independent => &[PodRole::Independent],
        Coordination::NatsUrl(_) => &[PodRole::Node, PodRole::Coordinator],
        Coordination::NatsPod { .. } => &[PodRole::Nats, PodRole::Node, PodRole::Coordinator],
    };
    // The run is over when the Job that writes the results is over; NATS never ends by itself.
    let last = roles.last().map_or("node", |role| role.component());
    // The first pod of the first replica, under the headless Service that the controller makes.
    let nats = format!("{0}-nats-0-0.{0}", deployment.name);
    let spec = JobSetSpec {
        replicated_jobs: roles.iter().map(|role| replicated(deployment, *role, &nats)).collect(),
        network: Network { enable_dns_hostnames: true },
        success_policy: SuccessPolicy { operator: "All", target_replicated_jobs: vec![last] },
        failure_policy: FailurePolicy { max_restarts: 0 },
        ttl_seconds_after_finished: deployment.ttl_seconds,
    };
    let mut metadata = BTreeMap::from([
        ("name", json!(deployment.name.as_str())),
        ("labels", json!(queued(labels(deployment, "run"), deployment))),
        ("annotations", json!(description(deployment))),
    ]);
    metadata.extend(deployment.namespace.as_ref().map(|namespace| ("namespace", json!(namespace))));
    json!({"apiVersion": JOB_SET_VERSION, "kind": "JobSet", "metadata": metadata, "spec": value(&spec)})
}

fn replicated(deployment: &Deployment, role: PodRole, nats: &str) -> ReplicatedJob {
    let mut spec = value(&job::spec(deployment, role));
    spec["template"] = template(deployment, role, nats);
    let labels = labels(deployment, role.component());
    ReplicatedJob {
        name: role.component(),
        replicas: 1,
        template: json!({"metadata": {"labels": labels}, "spec": spec}),
    }
}
