//! The NATS server of a run that is made of Jobs: a Deployment of one pod, and the Service that gives it a name.

use k8s_openapi::api::apps::v1::{Deployment as PodDeployment, DeploymentSpec, DeploymentStrategy};
use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::Value;

use super::metadata::{labels, metadata};
use super::pod::{NATS_PORT, PodRole, template};
use super::value;
use crate::deployment::Deployment;

pub(super) fn objects(deployment: &Deployment) -> [Value; 2] {
    let name = deployment.name.nats();
    let component = PodRole::Nats.component();
    let service = value(&Service {
        metadata: metadata(deployment, name.clone(), component),
        spec: Some(ServiceSpec {
            ports: Some(vec![ServicePort {
                name: Some("nats".to_owned()),
                port: NATS_PORT,
                // Applied on the server, a port is known by its number and its protocol.
                protocol: Some("TCP".to_owned()),
                ..ServicePort::default()
            }]),
            selector: Some(labels(deployment, component)),
            ..ServiceSpec::default()
        }),
        status: None,
    });
    let mut server = value(&PodDeployment {
        metadata: metadata(deployment, name.clone(), component),
        spec: Some(DeploymentSpec {
            replicas: Some(1),
            selector: LabelSelector { match_labels: Some(labels(deployment, component)), ..LabelSelector::default() },
            // Two servers must not share a stream.
            strategy: Some(DeploymentStrategy { type_: Some("Recreate".to_owned()), ..DeploymentStrategy::default() }),
            ..DeploymentSpec::default()
        }),
        status: None,
    });
    let mut template = template(deployment, PodRole::Nats, &name);
    // A Deployment starts its pods again in any case, and allows no other value.
    template["spec"]["restartPolicy"] = Value::from("Always");
    server["spec"]["template"] = template;
    [service, server]
}
