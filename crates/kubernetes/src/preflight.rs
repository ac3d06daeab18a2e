//! Checks of a cluster before a run. They change nothing: rights are asked for, and objects are created in a dry run.

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::deployment::Deployment;
use crate::name::RunName;
use crate::objects::{CONFIG_MAP, SECRET, SERVICE};

/// The oldest version that has Indexed Jobs without a feature gate.
const OLDEST_MINOR: u32 = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreflightState {
    Pass,
    /// A run is possible; something may surprise.
    Warn,
    Fail,
}

impl PreflightState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflightCheck {
    pub name: String,
    pub state: PreflightState,
    pub detail: String,
}

/// What a run will need.
#[derive(Debug, Clone, Default)]
pub struct PreflightOptions {
    pub secrets: Vec<String>,
    pub endpoint: Option<String>,
    pub nodes: u32,
}

/// Rights that every run needs: group, resource, verb.
const RIGHTS: [(&str, &str, &str); 9] = [
    ("batch", "jobs", "create"),
    ("batch", "jobs", "list"),
    ("batch", "jobs", "delete"),
    ("", "configmaps", "create"),
    ("", "secrets", "create"),
    ("", "secrets", "get"),
    ("", "pods", "list"),
    ("", "pods/log", "get"),
    ("", "pods/proxy", "get"),
];

impl Cluster {
    /// All checks in their order. Without an API server there is only the first.
    pub fn preflight(&self, options: &PreflightOptions) -> Vec<PreflightCheck> {
        let version = match self.get("to ask for its version", "/version") {
            Ok(version) => version,
            Err(error) => return vec![check("API server", PreflightState::Fail, error.to_string())],
        };
        let mut checks = vec![version_check(&version, self.server())];
        checks.push(self.rights());
        checks.push(self.job_set_check());
        checks.extend(
            options
                .secrets
                .iter()
                .map(|name| self.exists("Secret", name, &format!("{}/{name}", SECRET.path(Some(self.namespace()))))),
        );
        checks.extend(options.endpoint.iter().map(|url| self.endpoint(url)));
        checks.push(self.room(options.nodes));
        checks.push(self.dry_run());
        checks
    }

    fn rights(&self) -> PreflightCheck {
        let mut missing = Vec::new();
        for (group, resource, verb) in RIGHTS {
            let (resource, sub) = resource.split_once('/').unwrap_or((resource, ""));
            let review = json!({
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": {
                    "namespace": self.namespace(), "group": group, "resource": resource, "subresource": sub, "verb": verb,
                }},
            });
            let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
            match self.post("to ask for your rights", path, &review) {
                Ok(answer) if answer["status"]["allowed"] == true => {}
                Ok(_) if sub.is_empty() => missing.push(format!("{verb} {resource}")),
                Ok(_) => missing.push(format!("{verb} {resource}/{sub}")),
                Err(error) => return check("Rights", PreflightState::Warn, error.to_string()),
            }
        }
        if missing.is_empty() {
            return check(
                "Rights",
                PreflightState::Pass,
                format!("all that a run needs in namespace {}", self.namespace()),
            );
        }
        let detail = format!(
            "missing in namespace {}: {}; docs/kubernetes.md has the Role",
            self.namespace(),
            missing.join(", ")
        );
        check("Rights", PreflightState::Fail, detail)
    }

    fn job_set_check(&self) -> PreflightCheck {
        match self.has_job_set() {
            Ok(true) => check("JobSet", PreflightState::Pass, "installed: a run is one JobSet"),
            Ok(false) => check("JobSet", PreflightState::Pass, "not installed: a run is made of Jobs"),
            Err(error) => check("JobSet", PreflightState::Warn, error.to_string()),
        }
    }

    fn exists(&self, kind: &str, name: &str, path: &str) -> PreflightCheck {
        let title = format!("{kind} {name}");
        match self.get(&format!("to read {title}"), path) {
            Ok(_) => check(&title, PreflightState::Pass, "exists"),
            Err(error) if error.is_not_found() => {
                check(&title, PreflightState::Fail, format!("does not exist in namespace {}", self.namespace()))
            }
            Err(error) => check(&title, PreflightState::Warn, error.to_string()),
        }
    }

    /// A server in the cluster has a Service; others cannot be seen from here.
    fn endpoint(&self, url: &str) -> PreflightCheck {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.split(['/', ':', '?']).next().unwrap_or_default();
        let labels: Vec<&str> = host.split('.').collect();
        let (service, namespace) = match labels.as_slice() {
            [service] => (*service, self.namespace()),
            [service, namespace] | [service, namespace, "svc", ..] => (*service, *namespace),
            _ => {
                let detail =
                    format!("{host} is not a Service of the cluster; pods will connect to it when the run starts");
                return check("Endpoint", PreflightState::Warn, detail);
            }
        };
        if service == "localhost" {
            return check(
                "Endpoint",
                PreflightState::Fail,
                "in a pod, localhost is the pod itself; name the Service of the server",
            );
        }
        let path = format!("{}/{service}", SERVICE.path(Some(namespace)));
        match self.get("to read the Service of the endpoint", &path) {
            Ok(_) => check("Endpoint", PreflightState::Pass, format!("Service {service} in namespace {namespace}")),
            Err(error) if error.is_not_found() => check(
                "Endpoint",
                PreflightState::Fail,
                format!("there is no Service {service} in namespace {namespace}"),
            ),
            Err(error) => check("Endpoint", PreflightState::Warn, error.to_string()),
        }
    }

    /// Pods that quotas still allow.
    fn room(&self, nodes: u32) -> PreflightCheck {
        let path = format!("/api/v1/namespaces/{}/resourcequotas", self.namespace());
        let quotas = match self.get("to read the quotas", &path) {
            Ok(quotas) => quotas,
            Err(error) => return check("Quota", PreflightState::Warn, error.to_string()),
        };
        let count = |value: &Value| value.as_str().and_then(|text| text.parse::<u32>().ok());
        let left = quotas["items"].as_array().into_iter().flatten().filter_map(|quota| {
            let (hard, used) = (count(&quota["status"]["hard"]["pods"])?, count(&quota["status"]["used"]["pods"])?);
            Some(hard.saturating_sub(used))
        });
        match left.min() {
            None => check("Quota", PreflightState::Pass, "no quota of pods"),
            Some(left) if left < nodes => {
                check("Quota", PreflightState::Fail, format!("{left} more pods are allowed, and the run needs {nodes}"))
            }
            Some(left) => check("Quota", PreflightState::Pass, format!("{left} more pods are allowed")),
        }
    }

    /// Whether the server takes the objects of a run, admission included.
    fn dry_run(&self) -> PreflightCheck {
        let name = RunName::of_model("preflight", "check");
        let deployment = Deployment {
            namespace: Some(self.namespace().to_owned()),
            image: "aiperf".to_owned(),
            ..Deployment::new(name, String::new(), "preflight".to_owned())
        };
        match self.create(&deployment, true) {
            Ok(()) => check(
                "Objects",
                PreflightState::Pass,
                format!("the server accepts a {}, a Job and a Secret", CONFIG_MAP.kind),
            ),
            Err(error) => check("Objects", PreflightState::Fail, error.to_string()),
        }
    }
}

fn check(name: &str, state: PreflightState, detail: impl Into<String>) -> PreflightCheck {
    PreflightCheck { name: name.to_owned(), state, detail: detail.into() }
}

fn version_check(version: &Value, server: &str) -> PreflightCheck {
    let text = version["gitVersion"].as_str().unwrap_or("unknown");
    let minor = version["minor"].as_str().unwrap_or_default();
    let minor = minor.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok();
    match minor {
        Some(minor) if minor >= OLDEST_MINOR => {
            check("API server", PreflightState::Pass, format!("{server}, version {text}"))
        }
        _ => {
            let detail =
                format!("{server}, version {text}: runs with several nodes need Kubernetes 1.{OLDEST_MINOR} or newer");
            check("API server", PreflightState::Warn, detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_named() {
        let state = |minor: &str| version_check(&json!({"gitVersion": "v1.x", "minor": minor}), "s").state;
        assert_eq!(state("33"), PreflightState::Pass);
        assert_eq!(state("24+"), PreflightState::Pass);
        assert_eq!(state("20"), PreflightState::Warn);
        assert_eq!(state(""), PreflightState::Warn);
    }
}
