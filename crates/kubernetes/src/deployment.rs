//! What shall run in a cluster, and how: everything that the manifests of a run are made of.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::memory::RunLoad;
use crate::name::RunName;

/// Port of the HTTP interface of a pod.
pub const API_PORT: u16 = 9090;
/// Key of the Secret with the token of that interface.
pub const TOKEN_KEY: &str = "api-token";

/// A run and its place in a cluster.
#[derive(Debug, Clone)]
pub struct Deployment {
    pub name: RunName,
    pub namespace: Option<String>,
    pub image: String,
    /// `Always`, `Never` or `IfNotPresent`; the server's default without it.
    pub pull_policy: Option<&'static str>,
    pub nodes: u32,
    pub workload: WorkloadKind,
    pub coordination: Coordination,
    /// The configuration file, without secrets.
    pub config: String,
    /// Values of the variables that the configuration refers to.
    pub secrets: BTreeMap<String, String>,
    /// Data files of the user's machine by name; the configuration names them under [`FILES_DIR`].
    pub files: BTreeMap<String, Vec<u8>>,
    pub api_token: String,
    /// Seconds for which a pod serves its results after the run.
    pub keep_results: u32,
    /// Seconds after which Kubernetes deletes a finished run.
    pub ttl_seconds: Option<i32>,
    /// Seconds after which Kubernetes ends a run.
    pub deadline_seconds: Option<i64>,
    /// A claim of a volume for the results, in place of a folder that goes away with the pod.
    pub results_claim: Option<String>,
    pub resource_mode: ResourceMode,
    pub load: RunLoad,
    pub pod: PodSettings,
    /// What lists of runs show.
    pub description: Description,
}

impl Deployment {
    /// One node with the defaults of everything that no option changes.
    pub fn new(name: RunName, config: String, api_token: String) -> Self {
        Self {
            name,
            namespace: None,
            image: String::new(),
            pull_policy: None,
            nodes: 1,
            workload: WorkloadKind::Job,
            coordination: Coordination::Independent,
            config,
            secrets: BTreeMap::new(),
            files: BTreeMap::new(),
            api_token,
            keep_results: 3600,
            // As in the reference.
            ttl_seconds: Some(300),
            deadline_seconds: None,
            results_claim: None,
            resource_mode: ResourceMode::default(),
            load: RunLoad::default(),
            pod: PodSettings::default(),
            description: Description::default(),
        }
    }
}

/// Where the files of the user's machine are in a pod.
pub const FILES_DIR: &str = "/etc/aiperf/files";

/// The objects that make the pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkloadKind {
    /// An Indexed Job, which every cluster has.
    Job,
    /// A `JobSet`, which is one object for all pods of a run; its controller must be installed.
    JobSet,
}

/// How nodes know of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coordination {
    /// Each node sends its share and knows nothing of the others.
    Independent,
    /// A NATS server that is part of the run.
    NatsPod { image: String },
    /// A NATS server of the site. Its URL has no credentials; those come from a Secret of the site.
    NatsUrl(String),
}

/// What a pod asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResourceMode {
    /// Requests, no limits.
    #[default]
    Burstable,
    /// Limits that are equal to the requests.
    Guaranteed,
    None,
}

/// Settings of the user for all pods.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PodSettings {
    pub node_selector: BTreeMap<String, String>,
    /// As Kubernetes spells them.
    pub tolerations: Vec<Value>,
    pub queue: Option<String>,
    pub priority_class: Option<String>,
    pub image_pull_secrets: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// Variable, and the name and key of the Secret that has its value.
    pub env_from_secrets: BTreeMap<String, (String, String)>,
    /// Name of a Secret, and the folder where its keys are files.
    pub secret_mounts: Vec<(String, String)>,
    pub service_account: Option<String>,
    pub annotations: BTreeMap<String, String>,
    pub labels: BTreeMap<String, String>,
    /// More fields of the pod's spec, as Kubernetes spells them. Lists are added to ours.
    pub spec: Map<String, Value>,
    /// More fields of the container, as Kubernetes spells them. Lists are added to ours.
    pub container: Map<String, Value>,
}

/// What a run is about, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    pub model: String,
    pub endpoint: String,
}
