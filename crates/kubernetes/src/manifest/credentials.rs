//! The Secret of a run: the token of its HTTP interface, the secrets of its configuration.

use k8s_openapi::api::core::v1::Secret;
use serde_json::Value;

use super::metadata::metadata;
use super::value;
use crate::deployment::{Deployment, TOKEN_KEY};

pub(super) fn object(deployment: &Deployment) -> Value {
    let mut data = deployment.secrets.clone();
    data.insert(TOKEN_KEY.to_owned(), deployment.api_token.clone());
    value(&Secret {
        metadata: metadata(deployment, deployment.name.secret(), "credentials"),
        type_: Some("Opaque".to_owned()),
        string_data: Some(data),
        immutable: Some(true),
        ..Secret::default()
    })
}
