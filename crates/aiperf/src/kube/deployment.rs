//! From the options of a command to what shall run in the cluster.

use aiperf_config::{Config, Environment, Target};
use aiperf_config_file::{ConfigFile, MetricsDiscovery, split_secrets};
use aiperf_kubernetes::{
    Cluster, Coordination, Deployment, Description, Discovery, RunLoad, RunName, WorkloadKind, put_into,
};
use aiperf_seed::Stream;
use anyhow::Context;
use serde_json::{Value, json};

use super::data_files;
use crate::cli::{DeployFlags, DeployRequest, SweepFlags, WorkloadChoice, has_command};

/// Sections of a configuration that are about this machine; the pods get them from their manifest.
const OF_THIS_MACHINE: [(&str, &[&str]); 2] = [
    ("artifacts", &["dir"]),
    (
        "runtime",
        &["ui", "apiPort", "api_port", "apiHost", "api_host", "apiToken", "api_token", "apiLinger", "api_linger"],
    ),
];

/// Without a cluster, nothing about it is known: `auto` means Jobs.
pub(super) fn read(
    asked: &DeployRequest,
    sweep: &SweepFlags,
    cluster: Option<&Cluster>,
    environment: &Environment,
) -> anyhow::Result<Deployment> {
    let mut file = file(asked, environment)?;
    let discovery = file.as_mut().and_then(ConfigFile::take_discovery);
    let mut value = match &file {
        Some(file) => file.resolved(&asked.options)?,
        None => aiperf_config_file::file_of(&asked.options, &asked.experiment)?,
    };
    for (section, keys) in OF_THIS_MACHINE {
        if let Some(Value::Object(section)) = value["benchmark"].get_mut(section) {
            section.retain(|key, _| !keys.contains(&key.as_str()));
        }
    }
    if let Some(discovery) = discovery {
        discover(&mut value, &discovery, cluster)?;
    }
    repeat(&mut value, sweep);
    let files = data_files::take(&mut value, &environment.current_dir)?;
    let split = split_secrets(value);
    let config = aiperf_config_file::write(&split.file);
    // What was made of the options must be what the pods can read.
    ConfigFile::parse("the configuration of the pods", &config, &split.secrets)?.read_variations()?;

    let first = &asked.experiment.cells.first().context("there is nothing to run")?.config;
    let mut random = Stream::from_entropy();
    let suffix: String = random.uuid().simple().to_string().chars().take(5).collect();
    let description = description(first);
    let name = RunName::of_model(&description.model, &suffix);
    let mut deployment = Deployment {
        nodes: asked.flags.nodes.unwrap_or(1),
        secrets: split.secrets,
        files,
        load: load(asked),
        description,
        // The configuration of NATS reads a value that begins with a digit as a number.
        ..Deployment::new(name, config, format!("t{}", random.uuid().simple()))
    };
    if let Some(resource) = file.as_ref().and_then(ConfigFile::custom_resource) {
        for note in put_into(&mut deployment, resource)? {
            eprintln!("warning: {note}");
        }
    }
    put_flags(&mut deployment, &asked.flags);
    if let Some(namespace) = &asked.access.namespace {
        deployment.namespace = Some(namespace.clone());
    }
    if let Some(cluster) = cluster {
        deployment.namespace = Some(cluster.namespace().to_owned());
    }
    deployment.workload = match (asked.flags.workload, cluster) {
        (WorkloadChoice::JobSet, _) => WorkloadKind::JobSet,
        (WorkloadChoice::Auto, Some(cluster)) if cluster.has_job_set()? => WorkloadKind::JobSet,
        _ => WorkloadKind::Job,
    };
    anyhow::ensure!(
        !deployment.image.is_empty(),
        "--image is missing: name the container image of aiperf that the nodes of the cluster can pull, or write `image` under `spec` of the file"
    );
    check_urls(asked)?;
    check_coordination(&deployment)?;
    warn(asked, &deployment);
    Ok(deployment)
}

/// The pods would refuse such a URL, too, but only after all objects are created.
fn check_urls(asked: &DeployRequest) -> anyhow::Result<()> {
    for target in asked.experiment.cells.iter().flat_map(|cell| &cell.config.endpoint.targets) {
        if let Target::Url(address) = target {
            anyhow::ensure!(
                address.credentials().is_none(),
                "--url {:?} contains a user name or password; send them with --header 'Authorization:Basic ...' instead",
                aiperf_redact::shown_url(address.as_str())
            );
        }
    }
    Ok(())
}

/// Whether the pods can coordinate themselves.
fn check_coordination(deployment: &Deployment) -> anyhow::Result<()> {
    if deployment.coordination == Coordination::Independent {
        return Ok(());
    }
    anyhow::ensure!(
        has_command("node"),
        "--coordination nats: this build of aiperf has no command `node`, which the pods would run; use --coordination none"
    );
    if let Coordination::NatsUrl(url) = &deployment.coordination {
        anyhow::ensure!(
            !url.contains('@'),
            "--nats: leave the credentials out of the URL; use --env-from-secrets AIPERF_NATS_TOKEN=SECRET/KEY, or the other AIPERF_NATS_* \
             variables of docs/cluster.md"
        );
    }
    Ok(())
}

/// The configuration file of the command, if it has one.
fn file(asked: &DeployRequest, environment: &Environment) -> anyhow::Result<Option<ConfigFile>> {
    let Some(path) = asked.options.config_file().and_then(|given| given.values.first()) else { return Ok(None) };
    Ok(Some(ConfigFile::load(&environment.current_dir.join(path), &environment.variables)?))
}

/// The namespace that an `AIPerfJob` file names.
pub(super) fn namespace_of_file(asked: &DeployRequest, environment: &Environment) -> anyhow::Result<Option<String>> {
    let file = file(asked, environment)?;
    Ok(file.as_ref().and_then(ConfigFile::custom_resource).and_then(|resource| resource.namespace.clone()))
}

/// Writes the metrics pages that are found in the cluster into the configuration.
fn discover(config: &mut Value, discovery: &MetricsDiscovery, cluster: Option<&Cluster>) -> anyhow::Result<()> {
    let Some(cluster) = cluster else {
        anyhow::ensure!(
            !discovery.is_required,
            "serverMetrics.discovery: `aiperf kube generate` has no cluster to look for metrics pages in; use `aiperf kube profile`, or \
             list the pages under `urls`"
        );
        return Ok(());
    };
    let wanted = Discovery { label_selector: discovery.label_selector.clone(), namespace: discovery.namespace.clone() };
    let found = cluster.discover(&wanted)?;
    eprintln!("{} metrics page(s) found in the cluster", found.len());
    let Some(body) = config["benchmark"].as_object_mut() else { return Ok(()) };
    let section = if body.contains_key("server_metrics") { "server_metrics" } else { "serverMetrics" };
    let Some(section) = body.get_mut(section).and_then(Value::as_object_mut) else { return Ok(()) };
    let mut urls: Vec<Value> = match section.remove("url").or_else(|| section.remove("urls")) {
        Some(Value::Array(urls)) => urls,
        Some(url @ Value::String(_)) => vec![url],
        _ => Vec::new(),
    };
    urls.extend(found.into_iter().map(Value::from).filter(|url| !urls.contains(url)).collect::<Vec<_>>());
    section.insert("urls".to_owned(), Value::Array(urls));
    Ok(())
}

/// Options go over the settings of a file.
fn put_flags(deployment: &mut Deployment, flags: &DeployFlags) {
    if let Some(name) = &flags.name {
        deployment.name = name.clone();
    }
    if let Some(image) = &flags.image {
        deployment.image.clone_from(image);
    }
    deployment.pull_policy = flags.pull_policy.or(deployment.pull_policy);
    deployment.ttl_seconds = flags.ttl_seconds.unwrap_or(deployment.ttl_seconds);
    deployment.keep_results = flags.keep_results.unwrap_or(deployment.keep_results);
    deployment.coordination = match &flags.nats_url {
        _ if !flags.is_coordinated() => Coordination::Independent,
        Some(url) => Coordination::NatsUrl(url.clone()),
        None => Coordination::NatsPod { image: flags.nats_image.clone() },
    };
    deployment.results_claim = flags.results_claim.clone().or(deployment.results_claim.take());
    let (ours, given) = (&mut deployment.pod, flags.pod.clone());
    ours.node_selector.extend(given.node_selector);
    ours.tolerations.extend(given.tolerations);
    ours.queue = given.queue.or(ours.queue.take());
    ours.priority_class = given.priority_class.or(ours.priority_class.take());
    ours.image_pull_secrets.extend(given.image_pull_secrets);
    ours.env.extend(given.env);
    ours.env_from_secrets.extend(given.env_from_secrets);
    ours.secret_mounts.extend(given.secret_mounts);
    ours.service_account = given.service_account.or(ours.service_account.take());
    ours.annotations.extend(given.annotations);
    ours.labels.extend(given.labels);
}

/// Puts the options of `aiperf kube sweep` into the configuration.
fn repeat(config: &mut Value, sweep: &SweepFlags) {
    let mut put = |key: &str, value: Value| {
        let Some(file) = config.as_object_mut() else { return };
        // A file may spell the section in either case.
        let section = if file.contains_key("multi_run") { "multi_run" } else { "multiRun" };
        let section = file.entry(section).or_insert_with(|| json!({}));
        match key {
            "minRuns" => section["convergence"]["minRuns"] = value,
            _ => section[key] = value,
        }
    };
    if let Some(runs) = sweep.max_runs.or(sweep.trials) {
        put("numRuns", json!(runs));
    }
    if let Some(seconds) = sweep.cooldown {
        put("cooldownSeconds", json!(seconds));
    }
    if let Some(runs) = sweep.min_runs {
        put("minRuns", json!(runs));
    }
}

fn description(config: &Config) -> Description {
    let endpoint = match config.endpoint.targets.first() {
        Some(Target::Url(address)) => aiperf_redact::shown_url(address.as_str()).clone(),
        Some(Target::Sim(_)) => "sim:".to_owned(),
        None => String::new(),
    };
    Description { model: config.dataset.models.first().map(ToString::to_string).unwrap_or_default(), endpoint }
}

/// The largest load of all runs.
fn load(asked: &DeployRequest) -> RunLoad {
    let phases = asked.experiment.cells.iter().flat_map(|cell| &cell.config.phases);
    phases.fold(RunLoad::default(), |load, phase| RunLoad {
        concurrency: load.concurrency.max(phase.pace.session_limit().map(|limit| limit as u64)),
        requests: load.requests.max(phase.stop.requests),
    })
}

/// Things that are not mistakes and still surprise.
fn warn(asked: &DeployRequest, deployment: &Deployment) {
    for cell in &asked.experiment.cells {
        for warning in &cell.config.warnings {
            eprintln!("warning: {warning}");
        }
    }
    let is_local = |target: &&Target| match target {
        Target::Url(address) => {
            let url = address.as_str();
            ["//localhost", "//127.", "//[::1]"].iter().any(|host| url.contains(host))
        }
        Target::Sim(_) => false,
    };
    if asked.experiment.cells.iter().flat_map(|cell| &cell.config.endpoint.targets).any(|target| is_local(&target)) {
        eprintln!(
            "warning: in a pod, localhost is the pod itself; name the server as the cluster knows it, such as http://SERVICE.NAMESPACE:8000"
        );
    }
    if deployment.nodes > 1 && deployment.coordination == Coordination::Independent {
        eprintln!("warning: the nodes are not coordinated: each starts when its pod is ready");
    }
    let memory = deployment.load.mebibytes_of_a_node(deployment.nodes);
    eprintln!("{} pod(s) with 1 processor and {memory} MiB each", deployment.nodes);
}

/// Manifests are often stored where many can read them.
pub(super) fn warn_about_secrets(deployment: &Deployment) {
    let count = deployment.secrets.len();
    if count > 0 {
        eprintln!(
            "warning: the Secret in the output has {count} value(s) of your command line; do not store it with the other objects, or \
             use --env-from-secrets and write ${{NAME}} in a configuration file"
        );
    }
}
