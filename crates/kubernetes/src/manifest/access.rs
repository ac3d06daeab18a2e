//! The rights of a person who uses `aiperf kube`. Pods of a run have none.

use k8s_openapi::api::rbac::v1::{PolicyRule, Role};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::metadata::PROGRAM;
use super::value;

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> PolicyRule {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(words(resources)),
        verbs: words(verbs),
        ..PolicyRule::default()
    }
}

/// What a person needs to run benchmarks in one namespace, and nothing else.
pub fn user_role(namespace: Option<&str>) -> Value {
    let made = &["create", "get", "list", "delete"];
    value(&Role {
        metadata: ObjectMeta {
            name: Some(PROGRAM.to_owned()),
            namespace: namespace.map(str::to_owned),
            ..ObjectMeta::default()
        },
        rules: Some(vec![
            rule("batch", &["jobs"], made),
            rule("jobset.x-k8s.io", &["jobsets"], made),
            rule("apps", &["deployments"], &["create", "list", "delete"]),
            rule("", &["configmaps", "secrets", "services"], made),
            rule("", &["pods"], &["get", "list"]),
            rule("", &["pods/log"], &["get"]),
            // Progress, results and cancellation go through the HTTP interface of the pods.
            rule("", &["pods/proxy"], &["get", "create"]),
            rule("", &["events", "resourcequotas"], &["list"]),
        ]),
    })
}
