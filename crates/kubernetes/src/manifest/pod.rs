//! The pods of a run: one container with this program, without rights.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Capabilities, ConfigMapVolumeSource, Container, ContainerPort, EmptyDirVolumeSource, EnvVar, EnvVarSource,
    KeyToPath, LocalObjectReference, ObjectFieldSelector, PersistentVolumeClaimVolumeSource, PodSecurityContext,
    PodSpec, ResourceRequirements, SeccompProfile, SecretKeySelector, SecretVolumeSource, SecurityContext, Volume,
    VolumeMount,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::{Value, json};

use super::config_map::{CONFIG_KEY, NATS_CONFIG_KEY, file_key};
use super::merged::merge;
use super::metadata::labels;
use super::value;
use crate::deployment::{API_PORT, Coordination, Deployment, ResourceMode, TOKEN_KEY};

/// Folder of the results in a pod.
pub(super) const RESULTS_DIR: &str = "/results";
/// The user of the image, who has no rights.
const USER: i64 = 65532;
const CONFIG_DIR: &str = "/etc/aiperf";
const INDEX: &str = "JOB_COMPLETION_INDEX";
/// Port of NATS.
pub(super) const NATS_PORT: i32 = 4222;
/// Seconds for which pods wait for a NATS server that starts at the same time as they do.
const NATS_WAIT: &str = "300";

/// What a pod of a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PodRole {
    /// Sends the whole run or its share, alone.
    Independent,
    /// Starts the nodes together and merges their records.
    Coordinator,
    /// Sends the share that a coordinator gives it.
    Node,
    /// Carries messages and records between the others.
    Nats,
}

impl PodRole {
    pub(super) const fn component(self) -> &'static str {
        match self {
            Self::Independent | Self::Node => "node",
            Self::Coordinator => "coordinator",
            Self::Nats => "nats",
        }
    }
}

/// The template of the pods of a role; `nats` is the host name of the run's own NATS server.
pub(super) fn template(deployment: &Deployment, role: PodRole, nats: &str) -> Value {
    let mut labels = labels(deployment, role.component());
    labels.extend(deployment.pod.labels.clone());
    let mut metadata = json!({"labels": labels});
    if !deployment.pod.annotations.is_empty() {
        metadata["annotations"] = json!(deployment.pod.annotations);
    }
    json!({"metadata": metadata, "spec": spec(deployment, role, nats)})
}

fn spec(deployment: &Deployment, role: PodRole, nats: &str) -> Value {
    let settings = &deployment.pod;
    let mut container = value(&container(deployment, role, nats));
    if role != PodRole::Nats {
        merge(&mut container, &settings.container);
    }
    let pull_secrets = settings.image_pull_secrets.iter().map(|name| LocalObjectReference { name: name.clone() });
    let pull_secrets: Vec<_> = pull_secrets.collect();
    let mut spec = value(&PodSpec {
        // A pod talks to nobody but the server under test and the other pods of its run.
        automount_service_account_token: Some(false),
        enable_service_links: Some(false),
        image_pull_secrets: (!pull_secrets.is_empty()).then_some(pull_secrets),
        node_selector: (!settings.node_selector.is_empty()).then(|| settings.node_selector.clone()),
        priority_class_name: settings.priority_class.clone().filter(|_| settings.queue.is_none()),
        restart_policy: Some(if role == PodRole::Nats { "OnFailure" } else { "Never" }.to_owned()),
        security_context: Some(PodSecurityContext {
            fs_group: Some(USER),
            run_as_group: Some(USER),
            run_as_non_root: Some(true),
            run_as_user: Some(USER),
            seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".to_owned(), ..SeccompProfile::default() }),
            ..PodSecurityContext::default()
        }),
        service_account_name: settings.service_account.clone(),
        termination_grace_period_seconds: Some(60),
        volumes: Some(volumes(deployment, role)),
        ..PodSpec::default()
    });
    spec["containers"] = json!([container]);
    if !settings.tolerations.is_empty() {
        spec["tolerations"] = json!(settings.tolerations);
    }
    merge(&mut spec, &settings.spec);
    spec
}

fn container(deployment: &Deployment, role: PodRole, nats: &str) -> Container {
    let image = match (&deployment.coordination, role) {
        (Coordination::NatsPod { image }, PodRole::Nats) => image.clone(),
        _ => deployment.image.clone(),
    };
    let port = |name: &str, port: i32| ContainerPort {
        name: Some(name.to_owned()),
        container_port: port,
        ..ContainerPort::default()
    };
    let ports = match role {
        PodRole::Nats => vec![port("nats", NATS_PORT)],
        PodRole::Independent | PodRole::Coordinator => vec![port("api", i32::from(API_PORT))],
        PodRole::Node => Vec::new(),
    };
    Container {
        name: if role == PodRole::Nats { "nats" } else { "aiperf" }.to_owned(),
        image: Some(image),
        image_pull_policy: deployment.pull_policy.map(str::to_owned),
        args: Some(arguments(deployment, role, nats)),
        env: Some(environment(deployment, role)),
        ports: (!ports.is_empty()).then_some(ports),
        resources: resources(deployment, role),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            capabilities: Some(Capabilities { drop: Some(vec!["ALL".to_owned()]), ..Capabilities::default() }),
            read_only_root_filesystem: Some(true),
            ..SecurityContext::default()
        }),
        volume_mounts: Some(mounts(deployment, role)),
        ..Container::default()
    }
}

/// What the container runs. The image starts this program.
fn arguments(deployment: &Deployment, role: PodRole, nats: &str) -> Vec<String> {
    let nats_url = match &deployment.coordination {
        Coordination::NatsUrl(url) => url.clone(),
        Coordination::NatsPod { .. } | Coordination::Independent => format!("nats://{nats}:{NATS_PORT}"),
    };
    // Several runs may share a volume.
    let results = match deployment.results_claim {
        Some(_) => format!("{RESULTS_DIR}/{}", deployment.name),
        None => RESULTS_DIR.to_owned(),
    };
    let config = format!("{CONFIG_DIR}/{CONFIG_KEY}");
    let mut words = vec!["profile".to_owned(), "-f".to_owned(), config];
    let mut add = |pairs: &[(&str, String)]| {
        for (option, value) in pairs {
            words.extend([(*option).to_owned(), value.clone()]);
        }
    };
    match role {
        PodRole::Nats => {
            let config = format!("{CONFIG_DIR}/{NATS_CONFIG_KEY}");
            let words = ["--config", &config, "--jetstream", "--store_dir", RESULTS_DIR, "--port", "4222"];
            return words.map(str::to_owned).into();
        }
        PodRole::Node => {
            let words = ["node", "--join", &nats_url, "--node-pool", deployment.name.as_str(), "--spool", "/tmp/spool"];
            return words.map(str::to_owned).into();
        }
        PodRole::Independent if deployment.nodes > 1 => {
            add(&[("--node-count", deployment.nodes.to_string()), ("--node-index", format!("$({INDEX})"))]);
        }
        PodRole::Independent => {}
        PodRole::Coordinator => {
            add(&[
                ("--nodes", deployment.nodes.to_string()),
                ("--nats", nats_url),
                ("--node-pool", deployment.name.to_string()),
            ]);
        }
    }
    add(&[
        ("--artifact-dir", results),
        ("--ui", "none".to_owned()),
        ("--api-port", API_PORT.to_string()),
        ("--api-host", "0.0.0.0".to_owned()),
        ("--api-linger", deployment.keep_results.to_string()),
    ]);
    words
}

fn environment(deployment: &Deployment, role: PodRole) -> Vec<EnvVar> {
    let plain = |name: &str, value: String| EnvVar { name: name.to_owned(), value: Some(value), value_from: None };
    let secret = |name: &str, secret: String, key: &str| EnvVar {
        name: name.to_owned(),
        value: None,
        value_from: Some(EnvVarSource {
            secret_key_ref: Some(SecretKeySelector { name: secret, key: key.to_owned(), optional: None }),
            ..EnvVarSource::default()
        }),
    };
    let own = |name: &str, key: &str| secret(name, deployment.name.secret(), key);
    // The token of the interface is also the one of the run's own NATS server: whoever has one may have the other.
    let nats_token = own("AIPERF_NATS_TOKEN", TOKEN_KEY);
    if role == PodRole::Nats {
        return vec![nats_token];
    }
    // Tokenizers are cached in the home folder.
    let mut variables = vec![plain("HOME", "/tmp".to_owned())];
    match &deployment.coordination {
        Coordination::Independent => {
            if deployment.nodes > 1 {
                let annotation = ObjectFieldSelector {
                    field_path: "metadata.annotations['batch.kubernetes.io/job-completion-index']".to_owned(),
                    ..ObjectFieldSelector::default()
                };
                let from = EnvVarSource { field_ref: Some(annotation), ..EnvVarSource::default() };
                variables.push(EnvVar { name: INDEX.to_owned(), value: None, value_from: Some(from) });
            }
        }
        Coordination::NatsPod { .. } => variables.push(nats_token),
        // The user names the Secret with `--env-from-secrets`.
        Coordination::NatsUrl(_) => {}
    }
    if deployment.coordination != Coordination::Independent {
        variables.push(plain("AIPERF_NATS_WAIT", NATS_WAIT.to_owned()));
    }
    if role != PodRole::Node {
        variables.push(own("AIPERF_API_TOKEN", TOKEN_KEY));
    }
    if role != PodRole::Node {
        variables.extend(deployment.secrets.keys().map(|name| own(name, name)));
    }
    variables.extend(deployment.pod.env.iter().map(|(name, value)| plain(name, value.clone())));
    let from_secrets = deployment.pod.env_from_secrets.iter();
    variables.extend(from_secrets.map(|(name, (from, key))| secret(name, from.clone(), key)));
    variables
}

fn resources(deployment: &Deployment, role: PodRole) -> Option<ResourceRequirements> {
    let (processor, memory) = match role {
        PodRole::Nats => ("250m", 64),
        PodRole::Coordinator => ("1", deployment.load.mebibytes_of_a_coordinator()),
        PodRole::Independent | PodRole::Node => ("1", deployment.load.mebibytes_of_a_node(deployment.nodes)),
    };
    let wanted = BTreeMap::from([
        ("cpu".to_owned(), Quantity(processor.to_owned())),
        ("memory".to_owned(), Quantity(format!("{memory}Mi"))),
    ]);
    let limits = match deployment.resource_mode {
        ResourceMode::None => return None,
        ResourceMode::Burstable => None,
        ResourceMode::Guaranteed => Some(wanted.clone()),
    };
    Some(ResourceRequirements { requests: Some(wanted), limits, ..ResourceRequirements::default() })
}

fn mounts(deployment: &Deployment, role: PodRole) -> Vec<VolumeMount> {
    let mount = |name: &str, path: &str, read_only: bool| VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        read_only: read_only.then_some(true),
        ..VolumeMount::default()
    };
    let mut mounts = vec![mount("results", RESULTS_DIR, false)];
    if role != PodRole::Node {
        mounts.push(mount("config", CONFIG_DIR, true));
    }
    if role == PodRole::Nats {
        return mounts;
    }
    mounts.push(mount("tmp", "/tmp", false));
    let secrets = deployment.pod.secret_mounts.iter().enumerate();
    mounts.extend(secrets.map(|(index, (_, path))| mount(&format!("secret-{index}"), path, true)));
    mounts
}

fn volumes(deployment: &Deployment, role: PodRole) -> Vec<Volume> {
    let volume = |name: &str| Volume { name: name.to_owned(), ..Volume::default() };
    let empty = |name: &str| Volume { empty_dir: Some(EmptyDirVolumeSource::default()), ..volume(name) };
    let results = match &deployment.results_claim {
        Some(claim) if matches!(role, PodRole::Independent | PodRole::Coordinator) => Volume {
            persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                claim_name: claim.clone(),
                ..PersistentVolumeClaimVolumeSource::default()
            }),
            ..volume("results")
        },
        _ => empty("results"),
    };
    let item = |key: String, path: String| KeyToPath { key, path, mode: None };
    let config = |items: Vec<KeyToPath>| Volume {
        config_map: Some(ConfigMapVolumeSource {
            name: deployment.name.config_map(),
            items: Some(items),
            ..ConfigMapVolumeSource::default()
        }),
        ..volume("config")
    };
    if role == PodRole::Nats {
        return vec![results, config(vec![item(NATS_CONFIG_KEY.to_owned(), NATS_CONFIG_KEY.to_owned())])];
    }
    let mut volumes = vec![results, empty("tmp")];
    if role != PodRole::Node {
        let mut items = vec![item(CONFIG_KEY.to_owned(), CONFIG_KEY.to_owned())];
        let files = deployment.files.keys().enumerate();
        items.extend(files.map(|(index, name)| item(file_key(index), format!("files/{name}"))));
        volumes.push(config(items));
    }
    for (index, (name, _)) in deployment.pod.secret_mounts.iter().enumerate() {
        volumes.push(Volume {
            secret: Some(SecretVolumeSource { secret_name: Some(name.clone()), ..SecretVolumeSource::default() }),
            ..volume(&format!("secret-{index}"))
        });
    }
    volumes
}
