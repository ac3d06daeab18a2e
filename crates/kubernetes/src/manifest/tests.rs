use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::testing::small;

fn nats() -> Coordination {
    Coordination::NatsPod { image: "nats:2.10-alpine".to_owned() }
}

#[test]
fn one_node_is_one_job() {
    insta::assert_snapshot!("one_node", yaml(&manifests(&small())));
}

#[test]
fn independent_nodes_know_their_index() {
    let deployment = Deployment { nodes: 4, results_claim: Some("results".to_owned()), ..small() };
    insta::assert_snapshot!("independent_nodes", yaml(&manifests(&deployment)[2..]));
}

#[test]
fn coordinated_nodes_have_a_nats_server() {
    let deployment = Deployment { nodes: 4, coordination: nats(), ..small() };
    insta::assert_snapshot!("coordinated_nodes", yaml(&manifests(&deployment)[2..]));
}

#[test]
fn a_job_set_is_one_object() {
    let deployment = Deployment { nodes: 4, coordination: nats(), workload: WorkloadKind::JobSet, ..small() };
    insta::assert_snapshot!("job_set", yaml(&manifests(&deployment)[2..]));
}

#[test]
fn rights_are_few() {
    insta::assert_snapshot!("user_role", yaml(&[user_role(Some("bench"))]));
}

/// All texts of a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(pairs) => pairs.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn secrets_are_only_in_the_secret() {
    for (workload, coordination) in [
        (WorkloadKind::Job, Coordination::Independent),
        (WorkloadKind::Job, nats()),
        (WorkloadKind::JobSet, nats()),
        (WorkloadKind::Job, Coordination::NatsUrl("nats://site:4222".to_owned())),
        (WorkloadKind::JobSet, Coordination::NatsUrl("nats://site:4222".to_owned())),
    ] {
        let secrets = BTreeMap::from([("CONFIG_SECRET_1".to_owned(), "sk-123".to_owned())]);
        let deployment = Deployment { nodes: 2, workload, coordination, secrets, ..small() };
        for object in manifests(&deployment).iter().filter(|object| object["kind"] != "Secret") {
            for text in texts(object) {
                for secret in ["sk-123", "token-for-tests"] {
                    assert!(!text.contains(secret), "{} has {text}", object["kind"]);
                }
            }
        }
    }
}

#[test]
fn every_pod_runs_without_rights() {
    for workload in [WorkloadKind::Job, WorkloadKind::JobSet] {
        let deployment = Deployment { nodes: 2, workload, coordination: nats(), ..small() };
        let mut pods = Vec::new();
        for object in manifests(&deployment) {
            match object["kind"].as_str() {
                Some("Job" | "Deployment") => pods.push(object["spec"]["template"]["spec"].clone()),
                Some("JobSet") => {
                    let jobs = object["spec"]["replicatedJobs"].as_array().unwrap();
                    pods.extend(jobs.iter().map(|job| job["template"]["spec"]["template"]["spec"].clone()));
                }
                _ => {}
            }
        }
        assert_eq!(pods.len(), 3, "{workload:?}");
        for pod in pods {
            assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
            assert_eq!(pod["automountServiceAccountToken"], false);
            let container = &pod["containers"][0]["securityContext"];
            assert_eq!(container["readOnlyRootFilesystem"], true);
            assert_eq!(container["allowPrivilegeEscalation"], false);
            assert_eq!(container["capabilities"], json!({"drop": ["ALL"]}));
        }
    }
}

#[test]
fn data_files_are_mounted_under_their_names() {
    let files = BTreeMap::from([("a trace.jsonl".to_owned(), b"{}\n".to_vec()), ("image.png".to_owned(), vec![0xff])]);
    let objects = manifests(&Deployment { files, ..small() });
    assert_eq!(objects[0]["data"]["file-0"], "{}\n");
    assert_eq!(objects[0]["binaryData"]["file-1"], "/w==");
    let items = &objects[2]["spec"]["template"]["spec"]["volumes"][2]["configMap"]["items"];
    assert_eq!(items[1], json!({"key": "file-0", "path": "files/a trace.jsonl"}));
}
