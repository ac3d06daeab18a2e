//! Benchmarks in a Kubernetes cluster: the manifests of a run, and the commands that create, watch and remove one. No operator is
//! needed: a Job or a `JobSet` starts the pods, and everything else goes through the API server with plain requests.
#![forbid(unsafe_code)]

mod cluster;
mod custom_resource;
mod deployment;
mod discovery;
mod logs;
mod manifest;
mod memory;
mod name;
mod objects;
mod pod_api;
mod preflight;
mod run;
pub mod settings;
#[cfg(test)]
mod testing;

pub use cluster::{Cluster, ClusterError, ClusterOptions};
pub use custom_resource::{ResourceError, check as check_resource, put_into};
pub use deployment::{
    API_PORT, Coordination, Deployment, Description, FILES_DIR, PodSettings, ResourceMode, TOKEN_KEY, WorkloadKind,
};
pub use discovery::Discovery;
pub use logs::{ClusterEvent, LogOptions};
pub use manifest::{manifests, user_role, yaml};
pub use memory::RunLoad;
pub use name::RunName;
pub use pod_api::{NodeCounts, PodApi, ResultState, sum};
pub use preflight::{PreflightCheck, PreflightOptions, PreflightState};
pub use run::{ClusterRun, ClusterRunState, RunPod};
