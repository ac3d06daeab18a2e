//! Names, labels and annotations that all objects of a run have.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::deployment::{Coordination, Deployment};
use crate::name::RunName;

/// Value of the label that marks objects which this program made.
pub(crate) const PROGRAM: &str = "aiperf";
pub(crate) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
/// The label with the name of the run.
pub(crate) const INSTANCE: &str = "app.kubernetes.io/instance";
/// The label with the part that an object plays in its run.
pub(crate) const COMPONENT: &str = "app.kubernetes.io/component";

/// Annotations of the object that stands for a run.
pub(crate) mod annotation {
    pub(crate) const MODEL: &str = "aiperf/model";
    pub(crate) const ENDPOINT: &str = "aiperf/endpoint";
    pub(crate) const NODES: &str = "aiperf/nodes";
    pub(crate) const COORDINATION: &str = "aiperf/coordination";
    pub(crate) const RESULTS_CLAIM: &str = "aiperf/results-claim";
}

/// Selects everything that this program made.
pub(crate) fn selector() -> String {
    format!("{MANAGED_BY}={PROGRAM}")
}

/// Selects the objects of one run.
pub(crate) fn selector_of(run: &RunName) -> String {
    format!("{MANAGED_BY}={PROGRAM},{INSTANCE}={run}")
}

pub(super) fn labels(deployment: &Deployment, component: &str) -> BTreeMap<String, String> {
    let own = [
        ("app.kubernetes.io/name", PROGRAM),
        (MANAGED_BY, PROGRAM),
        (INSTANCE, deployment.name.as_str()),
        (COMPONENT, component),
    ];
    own.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Labels of an object that Kueue may hold back until there is room.
pub(super) fn queued(mut labels: BTreeMap<String, String>, deployment: &Deployment) -> BTreeMap<String, String> {
    let settings = [
        ("kueue.x-k8s.io/queue-name", &deployment.pod.queue),
        ("kueue.x-k8s.io/priority-class", &deployment.pod.priority_class),
    ];
    if deployment.pod.queue.is_some() {
        labels.extend(settings.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))));
    }
    labels
}

/// What lists of runs show about one.
pub(super) fn description(deployment: &Deployment) -> BTreeMap<String, String> {
    let coordination = match deployment.coordination {
        Coordination::Independent => "none",
        Coordination::NatsPod { .. } | Coordination::NatsUrl(_) => "nats",
    };
    let values = [
        (annotation::MODEL, deployment.description.model.clone()),
        (annotation::ENDPOINT, deployment.description.endpoint.clone()),
        (annotation::NODES, deployment.nodes.to_string()),
        (annotation::COORDINATION, coordination.to_owned()),
    ];
    let claim = deployment.results_claim.iter().map(|claim| (annotation::RESULTS_CLAIM, claim.clone()));
    values.into_iter().chain(claim).map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn metadata(deployment: &Deployment, name: String, component: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name),
        namespace: deployment.namespace.clone(),
        labels: Some(labels(deployment, component)),
        ..ObjectMeta::default()
    }
}
