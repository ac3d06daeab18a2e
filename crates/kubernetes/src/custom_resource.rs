//! Settings of the deployment in `AIPerfJob` and `AIPerfSweep` files, laid over the defaults. Command-line options go over them.

use aiperf_config_file::CustomResource;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::deployment::{Deployment, PodSettings, ResourceMode};
use crate::name::RunName;
use crate::settings;

/// A setting of a file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("spec.{path}: {problem}")]
pub struct ResourceError {
    pub path: String,
    pub problem: String,
}

fn wrong(path: impl Into<String>, problem: impl Into<String>) -> ResourceError {
    ResourceError { path: path.into(), problem: problem.into() }
}

/// Settings that only an operator can follow, with the reason why they have no effect here.
const OF_AN_OPERATOR: [(&str, &str); 4] = [
    ("connectionsPerWorker", "a node opens as many connections as its load needs"),
    ("resultsTtlDays", "results are on your machine after `aiperf kube results`"),
    ("keepFailedPods", "failed pods stay until ttlSecondsAfterFinished"),
    ("childMetadata", "a sweep is one run, which has no children"),
];

/// Puts the settings of a file into `deployment`. Returns what has no effect, in sentences.
pub fn put_into(deployment: &mut Deployment, resource: &CustomResource) -> Result<Vec<String>, ResourceError> {
    if let Some(name) = &resource.name {
        deployment.name = RunName::parse(name).map_err(|problem| wrong("metadata.name", problem))?;
    }
    if let Some(namespace) = &resource.namespace {
        deployment.namespace = Some(namespace.clone());
    }
    let mut notes = Vec::new();
    for (key, value) in &resource.deployment {
        if let Some((_, reason)) = OF_AN_OPERATOR.iter().find(|(name, _)| name == key) {
            notes.push(format!("spec.{key} has no effect: {reason}"));
            continue;
        }
        let text = || value.as_str().ok_or_else(|| wrong(key, "must be text"));
        match key.as_str() {
            "image" => text()?.clone_into(&mut deployment.image),
            "imagePullPolicy" => {
                let policy = settings::pull_policy(text()?).map_err(|error| wrong(key, error.advice))?;
                deployment.pull_policy = Some(policy);
            }
            "resourceMode" => {
                deployment.resource_mode = match text()? {
                    "burstable" => ResourceMode::Burstable,
                    "guaranteed" => ResourceMode::Guaranteed,
                    "none" => ResourceMode::None,
                    other => return Err(wrong(key, format!("{other:?}: choose burstable, guaranteed or none"))),
                };
            }
            "timeoutSeconds" => deployment.deadline_seconds = Some(seconds(key, value)?).filter(|seconds| *seconds > 0),
            "ttlSecondsAfterFinished" => {
                deployment.ttl_seconds = match value {
                    Value::Null => None,
                    _ => Some(i32::try_from(seconds(key, value)?).unwrap_or(i32::MAX)),
                };
            }
            "skipEndpointCheck" => {}
            "cancel" if value == &Value::Bool(false) => {}
            "cancel" => return Err(wrong(key, "to cancel a run, use `aiperf kube cancel NAME`")),
            "failurePolicy" => notes.push(format!("spec.{key} has no effect: a run whose pod fails is failed")),
            "podTemplate" => pod_template(&mut deployment.pod, value)?,
            "scheduling" => {
                for (name, value) in fields(key, value)? {
                    let value = value.as_str().map(str::to_owned);
                    match name.as_str() {
                        "queueName" => deployment.pod.queue = value,
                        "priorityClass" => deployment.pod.priority_class = value,
                        _ => return Err(unknown(key, name, "queueName, priorityClass")),
                    }
                }
            }
            _ => return Err(unknown("", key, "image, podTemplate, scheduling")),
        }
    }
    Ok(notes)
}

/// What has no effect in a file, in sentences; an error if one of its settings is wrong.
pub fn check(resource: &CustomResource) -> Result<Vec<String>, ResourceError> {
    let name = RunName::of_model("", "check");
    put_into(&mut Deployment::new(name, String::new(), String::new()), resource)
}

fn unknown(section: &str, key: &str, known: &str) -> ResourceError {
    let path = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
    wrong(path, format!("unknown key; known here: {known}"))
}

fn seconds(key: &str, value: &Value) -> Result<i64, ResourceError> {
    value
        .as_i64()
        .filter(|seconds| *seconds >= 0)
        .ok_or_else(|| wrong(key, format!("{value} is not a number of seconds")))
}

fn fields<'a>(path: &str, value: &'a Value) -> Result<&'a Map<String, Value>, ResourceError> {
    value.as_object().ok_or_else(|| wrong(path, "must be a map of keys"))
}

const POD_TEMPLATE: &str = "env, volumes, volumeMounts, nodeSelector, tolerations, affinity, annotations, labels, imagePullSecrets, \
     serviceAccountName, securityContext, containerSecurityContext, topologySpreadConstraints, initContainers, extraPodSpec";

fn pod_template(pod: &mut PodSettings, template: &Value) -> Result<(), ResourceError> {
    let section = "podTemplate";
    for (key, value) in fields(section, template)? {
        let path = format!("{section}.{key}");
        let list = || value.as_array().cloned().ok_or_else(|| wrong(&path, "must be a list"));
        let map = || -> Result<_, ResourceError> {
            let pairs = fields(&path, value)?.iter();
            Ok(pairs
                .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))))
        };
        match key.as_str() {
            "env" | "volumeMounts" => drop(pod.container.insert(key.clone(), Value::Array(list()?))),
            "volumes" | "topologySpreadConstraints" | "initContainers" => {
                pod.spec.insert(key.clone(), Value::Array(list()?));
            }
            "affinity" | "securityContext" => drop(pod.spec.insert(key.clone(), value.clone())),
            "containerSecurityContext" => drop(pod.container.insert("securityContext".to_owned(), value.clone())),
            "extraPodSpec" => pod.spec.extend(fields(&path, value)?.clone()),
            "nodeSelector" => pod.node_selector.extend(map()?),
            "annotations" => pod.annotations.extend(map()?),
            "labels" => pod.labels.extend(map()?),
            "tolerations" => pod.tolerations.extend(list()?),
            "imagePullSecrets" => {
                let name = |item: &Value| item.get("name").unwrap_or(item).as_str().map(str::to_owned);
                pod.image_pull_secrets.extend(list()?.iter().filter_map(name));
            }
            "serviceAccountName" => pod.service_account = value.as_str().map(str::to_owned),
            _ => return Err(unknown(section, key, POD_TEMPLATE)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::manifest::manifests;
    use crate::testing::small;

    fn resource(deployment: Value) -> CustomResource {
        let Value::Object(deployment) = deployment else { panic!("a map") };
        CustomResource { kind: "AIPerfJob", name: Some("my-run".to_owned()), namespace: None, deployment }
    }

    #[test]
    fn settings_of_a_file_reach_the_pods() {
        let mut deployment = small();
        let notes = put_into(
            &mut deployment,
            &resource(json!({
                "image": "registry/aiperf:2",
                "imagePullPolicy": "Always",
                "resourceMode": "guaranteed",
                "timeoutSeconds": 900,
                "connectionsPerWorker": 4,
                "podTemplate": {
                    "env": [{"name": "A", "value": "1"}],
                    "nodeSelector": {"pool": "load"},
                    "imagePullSecrets": [{"name": "pull"}],
                    "extraPodSpec": {"hostNetwork": true},
                },
                "scheduling": {"queueName": "bench"},
            })),
        );
        assert_eq!(
            notes.unwrap(),
            ["spec.connectionsPerWorker has no effect: a node opens as many connections as its load needs"]
        );
        let objects = manifests(&deployment);
        let job = objects.iter().find(|object| object["kind"] == "Job").unwrap();
        let pod = &job["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        assert_eq!(job["spec"]["activeDeadlineSeconds"], 900);
        assert_eq!(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "bench");
        assert_eq!((&pod["hostNetwork"], &pod["nodeSelector"]), (&json!(true), &json!({"pool": "load"})));
        assert_eq!(container["image"], "registry/aiperf:2");
        assert_eq!(container["resources"]["limits"], container["resources"]["requests"]);
        assert!(container["env"].as_array().unwrap().contains(&json!({"name": "A", "value": "1"})));
    }

    #[test]
    fn unknown_settings_are_named() {
        let error = |deployment: Value| put_into(&mut small(), &resource(deployment)).unwrap_err().to_string();
        assert!(
            error(json!({"podTemplate": {"nodes": {}}}))
                .starts_with("spec.podTemplate.nodes: unknown key; known here: env,")
        );
        assert_eq!(
            error(json!({"resourceMode": "all"})),
            "spec.resourceMode: \"all\": choose burstable, guaranteed or none"
        );
        assert_eq!(error(json!({"timeoutSeconds": "x"})), "spec.timeoutSeconds: \"x\" is not a number of seconds");
        assert_eq!(error(json!({"cancel": true})), "spec.cancel: to cancel a run, use `aiperf kube cancel NAME`");
    }
}
