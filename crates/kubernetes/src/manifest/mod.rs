//! The manifests of a run, made of the typed objects of the Kubernetes API.

mod access;
mod config_map;
mod credentials;
mod job;
mod job_set;
mod merged;
mod metadata;
mod nats;
mod pod;

use k8s_openapi::serde::Serialize;
use serde_json::Value;

pub use access::user_role;
pub(crate) use config_map::CONFIG_KEY;
pub(crate) use job_set::JOB_SET_VERSION;
pub(crate) use metadata::{COMPONENT, INSTANCE, annotation, selector, selector_of};

use crate::deployment::{Coordination, Deployment, WorkloadKind};

/// All objects of a run in the order in which they are created: what a pod refers to comes before it.
pub fn manifests(deployment: &Deployment) -> Vec<Value> {
    let mut objects = vec![config_map::object(deployment), credentials::object(deployment)];
    let has_nats = matches!(deployment.coordination, Coordination::NatsPod { .. });
    match deployment.workload {
        WorkloadKind::JobSet => objects.push(job_set::object(deployment)),
        WorkloadKind::Job => {
            if has_nats {
                objects.extend(nats::objects(deployment));
            }
            objects.extend(job::objects(deployment));
        }
    }
    objects
}

/// The objects as one stream of YAML documents.
pub fn yaml(objects: &[Value]) -> String {
    objects.iter().map(aiperf_config_file::write).collect::<Vec<_>>().join("---\n")
}

/// An object as JSON. The types of the API have text keys only, so nothing can fail.
fn value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

#[cfg(test)]
mod tests;
