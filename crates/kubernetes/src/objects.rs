//! Where the objects of a run are in the API, and how they are created and deleted.

use serde_json::{Value, json};

use crate::cluster::{Cluster, ClusterError};
use crate::deployment::{Coordination, Deployment};
use crate::manifest::{JOB_SET_VERSION, manifests, selector_of};
use crate::name::RunName;

/// A kind of object that a run may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjectKind {
    pub(crate) kind: &'static str,
    /// `v1`, or a group with its version.
    version: &'static str,
    plural: &'static str,
}

const fn kind(kind: &'static str, version: &'static str, plural: &'static str) -> ObjectKind {
    ObjectKind { kind, version, plural }
}

pub(crate) const JOB: ObjectKind = kind("Job", "batch/v1", "jobs");
pub(crate) const JOB_SET: ObjectKind = kind("JobSet", JOB_SET_VERSION, "jobsets");
pub(crate) const POD: ObjectKind = kind("Pod", "v1", "pods");
pub(crate) const EVENT: ObjectKind = kind("Event", "v1", "events");
pub(crate) const SECRET: ObjectKind = kind("Secret", "v1", "secrets");
pub(crate) const CONFIG_MAP: ObjectKind = kind("ConfigMap", "v1", "configmaps");
pub(crate) const SERVICE: ObjectKind = kind("Service", "v1", "services");

/// All kinds that manifests have. Those that make pods come first, so that deleting a run ends its pods first.
const ALL: [ObjectKind; 6] = [JOB_SET, JOB, kind("Deployment", "apps/v1", "deployments"), SERVICE, CONFIG_MAP, SECRET];

impl ObjectKind {
    /// The path of all objects of this kind, in one namespace or in all.
    pub(crate) fn path(&self, namespace: Option<&str>) -> String {
        let base = if self.version.contains('/') { "/apis" } else { "/api" };
        match namespace {
            Some(namespace) => format!("{base}/{}/namespaces/{namespace}/{}", self.version, self.plural),
            None => format!("{base}/{}/{}", self.version, self.plural),
        }
    }

    fn of(object: &Value) -> Option<&'static Self> {
        ALL.iter().find(|known| object["kind"] == known.kind)
    }
}

impl Cluster {
    /// Whether the API server has the CRD of `JobSet`.
    pub fn has_job_set(&self) -> Result<bool, ClusterError> {
        let path = format!("/apis/{JOB_SET_VERSION}");
        match self.get("to look for JobSet", &path) {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Objects of a kind that have these labels.
    pub(crate) fn list(
        &self,
        kind: ObjectKind,
        namespace: Option<&str>,
        selector: &str,
    ) -> Result<Vec<Value>, ClusterError> {
        let path = format!("{}?labelSelector={}", kind.path(namespace), escaped(selector));
        let mut answer = self.get(&format!("to list {}", kind.plural), &path)?;
        Ok(match answer["items"].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        })
    }

    /// Creates all objects of a run. The object that stands for the run comes first and owns the others, so that nothing is left
    /// when Kubernetes deletes it. If one cannot be created, those before it are deleted again.
    pub fn create(&self, deployment: &Deployment, dry_run: bool) -> Result<(), ClusterError> {
        let mut objects = manifests(deployment);
        let run = objects.pop().unwrap_or_default();
        let created = self.create_one(&run, None, dry_run)?;
        let rest = self.check_run(deployment, &created).and_then(|()| {
            objects.iter().try_for_each(|object| self.create_one(object, Some(&created), dry_run).map(drop))
        });
        rest.inspect_err(|_| {
            if !dry_run {
                // What went wrong is already known; what is left has the labels of the run.
                let _ = self.delete_run(&deployment.name);
            }
        })
    }

    fn create_one(&self, object: &Value, owner: Option<&Value>, dry_run: bool) -> Result<Value, ClusterError> {
        let kind =
            ObjectKind::of(object).ok_or_else(|| ClusterError::Other(format!("unknown kind {}", object["kind"])))?;
        let mut object = object.clone();
        // The owner of a dry run does not exist.
        if let Some(owner) = owner.filter(|_| !dry_run) {
            object["metadata"]["ownerReferences"] = json!([{
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
            }]);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let action = format!("to create {} {name}", kind.kind);
        let query = if dry_run { "?fieldManager=aiperf&dryRun=All" } else { "?fieldManager=aiperf" };
        self.post(&action, &format!("{}{query}", kind.path(Some(self.namespace()))), &object)
    }

    /// Servers drop fields that they do not know without a word. Without an index, each node would send the same part.
    fn check_run(&self, deployment: &Deployment, created: &Value) -> Result<(), ClusterError> {
        let needs_index = deployment.nodes > 1 && deployment.coordination == Coordination::Independent;
        if needs_index && created["kind"] == "Job" && created["spec"]["completionMode"] != "Indexed" {
            let server = self.server();
            return Err(ClusterError::Other(format!(
                "the API server {server} does not know Indexed Jobs, which several nodes need; Kubernetes has them since 1.24"
            )));
        }
        Ok(())
    }

    /// Deletes all objects of a run. Returns the deleted ones as `Kind name`.
    pub fn delete_run(&self, run: &RunName) -> Result<Vec<String>, ClusterError> {
        let mut deleted = Vec::new();
        for kind in ALL {
            let found = match self.list(kind, Some(self.namespace()), &selector_of(run)) {
                Ok(found) => found,
                // A cluster without JobSet.
                Err(error) if error.is_not_found() => continue,
                Err(error) => return Err(error),
            };
            for object in found {
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                let path = format!("{}/{name}", kind.path(Some(self.namespace())));
                match self.delete(&format!("to delete {} {name}", kind.kind), &path) {
                    Ok(_) => deleted.push(format!("{} {name}", kind.kind)),
                    // Its owner was deleted before it.
                    Err(error) if error.is_not_found() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(deleted)
    }
}

/// A value of a query.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deployment::WorkloadKind;
    use crate::testing::small;

    #[test]
    fn paths_are_those_of_the_api() {
        assert_eq!(JOB.path(Some("bench")), "/apis/batch/v1/namespaces/bench/jobs");
        assert_eq!(POD.path(None), "/api/v1/pods");
        assert_eq!(escaped("a/b=c,d"), "a%2Fb%3Dc%2Cd");
    }

    #[test]
    fn every_object_of_a_run_has_a_path_and_the_run_comes_last() {
        let nats = Coordination::NatsPod { image: "nats".to_owned() };
        for workload in [WorkloadKind::Job, WorkloadKind::JobSet] {
            for coordination in [Coordination::Independent, nats.clone()] {
                let deployment = Deployment { nodes: 2, workload, coordination, ..small() };
                let objects = manifests(&deployment);
                for object in &objects {
                    let kind = ObjectKind::of(object).unwrap_or_else(|| panic!("{}", object["kind"]));
                    assert_eq!(object["apiVersion"], kind.version);
                }
                let last = objects.last().unwrap();
                assert_eq!(last["metadata"]["name"], deployment.name.as_str());
                assert!(last["metadata"]["annotations"]["aiperf/nodes"] == "2");
            }
        }
    }
}
