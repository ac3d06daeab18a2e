//! The configuration file and the data files of a run. Secrets are never here.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;

use super::metadata::metadata;
use super::value;
use crate::deployment::{Coordination, Deployment};

/// Key of the configuration file.
pub(crate) const CONFIG_KEY: &str = "aiperf.yaml";

/// Key of the configuration of the run's own NATS server.
pub(super) const NATS_CONFIG_KEY: &str = "nats.conf";

/// The server takes the token from its environment: arguments of a process can be read by others on its machine.
const NATS_CONFIG: &str = "authorization { token: $AIPERF_NATS_TOKEN }\n";

/// Key of a data file. Names of files may have characters that keys must not have.
pub(super) fn file_key(index: usize) -> String {
    format!("file-{index}")
}

pub(super) fn object(deployment: &Deployment) -> Value {
    let mut data = BTreeMap::from([(CONFIG_KEY.to_owned(), deployment.config.clone())]);
    let mut binary = BTreeMap::new();
    if matches!(deployment.coordination, Coordination::NatsPod { .. }) {
        data.insert(NATS_CONFIG_KEY.to_owned(), NATS_CONFIG.to_owned());
    }
    for (index, contents) in deployment.files.values().enumerate() {
        match String::from_utf8(contents.clone()) {
            Ok(text) => drop(data.insert(file_key(index), text)),
            Err(error) => drop(binary.insert(file_key(index), ByteString(error.into_bytes()))),
        }
    }
    value(&ConfigMap {
        metadata: metadata(deployment, deployment.name.config_map(), "config"),
        data: Some(data),
        binary_data: (!binary.is_empty()).then_some(binary),
        immutable: Some(true),
    })
}
