//! Kubernetes objects of the reference, `AIPerfJob` and `AIPerfSweep`: a configuration file under `spec`, next to settings of the
//! deployment.

use serde_json::{Map, Value};

use crate::FileError;
use crate::names::{camel, snake};
use crate::yaml::{Entry, Node, NodeValue};

/// The group of the objects. Versions differ in their status only, which files do not have.
const GROUP: &str = "aiperf.nvidia.com/";

/// Keys of `spec` that say how to deploy, not what to run.
const DEPLOYMENT: [&str; 14] = [
    "image",
    "image_pull_policy",
    "connections_per_worker",
    "resource_mode",
    "timeout_seconds",
    "ttl_seconds_after_finished",
    "results_ttl_days",
    "keep_failed_pods",
    "cancel",
    "skip_endpoint_check",
    "failure_policy",
    "pod_template",
    "scheduling",
    "child_metadata",
];

/// What a file says about its deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomResource {
    /// `AIPerfJob` or `AIPerfSweep`.
    pub kind: &'static str,
    pub name: Option<String>,
    pub namespace: Option<String>,
    /// The keys of `spec` about the deployment, in camelCase.
    pub deployment: Map<String, Value>,
}

/// Whether the file is an object of Kubernetes.
pub(crate) fn is_object(root: &Node) -> bool {
    root.get("apiVersion").is_some() && root.get("kind").is_some()
}

/// Takes an object apart: what it says about its deployment, and the configuration under `spec`.
pub(crate) fn split(root: Node) -> Result<(CustomResource, Node), FileError> {
    let position = root.position;
    let kind = kind(&root)?;
    let metadata = |key: &str| root.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Node::word);
    let (name, namespace) = (metadata("name"), metadata("namespace"));
    let NodeValue::Map(entries) = root.value else { return Err(FileError::at(position, "", "must be a map of keys")) };
    let mut spec = None;
    for Entry { key, key_position, value } in entries {
        match key.as_str() {
            "spec" => spec = Some(value),
            "apiVersion" | "kind" | "metadata" | "status" => {}
            _ => {
                let problem = format!("unknown key {key}; an {kind} has apiVersion, kind, metadata and spec");
                return Err(FileError::at(key_position, key, problem));
            }
        }
    }
    let spec = spec.ok_or_else(|| FileError::at(position, "", format!("`spec` is missing in the {kind}")))?;
    let spec_position = spec.position;
    let NodeValue::Map(entries) = spec.value else {
        return Err(FileError::at(spec_position, "spec", "must be a map of keys"));
    };
    let (deployment, configuration): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| DEPLOYMENT.contains(&snake(&entry.key).as_str()));
    let deployment = deployment.iter().map(|entry| (camel(&snake(&entry.key)), entry.value.to_json())).collect();
    let configuration = Node { value: NodeValue::Map(configuration), position: spec_position };
    Ok((CustomResource { kind, name, namespace, deployment }, configuration))
}

fn kind(root: &Node) -> Result<&'static str, FileError> {
    let word = |key: &str| root.get(key).and_then(Node::word).unwrap_or_default();
    let at = |key: &str, problem: String| {
        let position = root.get(key).map_or(root.position, |node| node.position);
        FileError::at(position, key, problem)
    };
    let version = word("apiVersion");
    if !version.starts_with(GROUP) {
        return Err(at("apiVersion", format!("{version:?} is not an object of aiperf; write {GROUP}v1alpha1")));
    }
    match word("kind").as_str() {
        "AIPerfJob" => Ok("AIPerfJob"),
        "AIPerfSweep" => Ok("AIPerfSweep"),
        other => Err(at("kind", format!("{other:?} is not known; write AIPerfJob or AIPerfSweep"))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use crate::ConfigFile;

    const JOB: &str = "\
apiVersion: aiperf.nvidia.com/v1alpha1
kind: AIPerfJob
metadata:
  name: my-run
  namespace: bench
spec:
  image: registry/aiperf:1
  ttl_seconds_after_finished: 60
  randomSeed: 7
  benchmark:
    model: m
    endpoint: {url: \"http://server:8000\"}
    dataset: {type: synthetic, isl: 10}
    phases: {type: concurrency, concurrency: 2, requests: 4}
";

    #[test]
    fn a_job_is_a_configuration_with_settings_of_its_deployment() {
        let file = ConfigFile::parse("job.yaml", JOB, &BTreeMap::new()).unwrap();
        let resource = file.custom_resource().unwrap();
        assert_eq!((resource.kind, resource.name.as_deref()), ("AIPerfJob", Some("my-run")));
        assert_eq!(resource.namespace.as_deref(), Some("bench"));
        assert_eq!(json!(resource.deployment), json!({"image": "registry/aiperf:1", "ttlSecondsAfterFinished": 60}));
        assert_eq!(file.read_variations().unwrap().len(), 1);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let error = |from: &str, to: &str| {
            ConfigFile::parse("job.yaml", &JOB.replace(from, to), &BTreeMap::new()).unwrap_err().to_string()
        };
        assert_eq!(
            error("AIPerfJob", "Pod"),
            "job.yaml:2:7: kind: \"Pod\" is not known; write AIPerfJob or AIPerfSweep"
        );
        assert!(
            error("aiperf.nvidia.com", "apps").contains("apiVersion: \"apps/v1alpha1\" is not an object of aiperf")
        );
        let text = error("  image:", "  picture:");
        assert!(text.starts_with("job.yaml:7:3: picture: unknown key picture"), "{text}");
        assert!(error("spec:", "specs:").contains("unknown key specs"));
    }
}
