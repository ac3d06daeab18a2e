//! Options of a run on their way from the coordinator to the nodes. Secrets are not part of what is stored; files travel by their
//! content.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aiperf_cluster::{Assignment, Bus, RunSecrets, RunSpec, SharedFile, share};
use aiperf_config::{ClusterConfig, Config, Environment};
use aiperf_config_file::{ConfigFile, split_secrets};
use aiperf_options::catalogue::OptionId;
use aiperf_options::{RawOptions, VARIABLES};
use anyhow::Context;
use serde_json::Value;

use crate::build::VERSION;

/// Options that are for the coordinator, or that each node gets its own value of.
const NOT_FOR_NODES: [OptionId; 21] = [
    OptionId::Nodes,
    OptionId::Nats,
    OptionId::NodePool,
    OptionId::RunId,
    OptionId::OnNodeLoss,
    OptionId::OnCoordinatorLoss,
    OptionId::NodeTimeout,
    OptionId::JoinTimeout,
    OptionId::OutputArtifactDir,
    OptionId::Overwrite,
    OptionId::UiType,
    OptionId::Quiet,
    OptionId::Json,
    OptionId::Html,
    OptionId::AutoPlot,
    OptionId::PlotRequired,
    OptionId::StatsInterval,
    OptionId::ApiPort,
    OptionId::ApiHost,
    OptionId::ApiToken,
    OptionId::ApiLinger,
];

/// Options that name files of the coordinator's machine.
const FILES: [OptionId; 9] = [
    OptionId::InputFile,
    OptionId::SystemPromptFile,
    OptionId::PromptCorpusFile,
    OptionId::RequestRateSeries,
    OptionId::GrpcProto,
    OptionId::GrpcImportPath,
    OptionId::GrpcDescriptorSet,
    OptionId::CaCert,
    OptionId::Tokenizer,
];

/// Keys of `runtime` in a configuration file that are for the coordinator: a node that reads them would have to be one.
const OF_THE_COORDINATOR: [&str; 14] = [
    "nodes",
    "nats",
    "nodePool",
    "node_pool",
    "runId",
    "run_id",
    "onNodeLoss",
    "on_node_loss",
    "onCoordinatorLoss",
    "on_coordinator_loss",
    "nodeTimeout",
    "node_timeout",
    "joinTimeout",
    "join_timeout",
];

/// Options with their values, by name.
type NamedOptions = Vec<(String, Vec<String>)>;

/// What nodes need to know, and apart from it the secrets. `command`: the command of the coordinator.
pub(super) fn announce(
    bus: &dyn Bus,
    run: &str,
    raw: &RawOptions,
    (config, cluster): (&Config, &ClusterConfig),
    command: String,
    environment: &Environment,
) -> anyhow::Result<(RunSpec, RunSecrets)> {
    let mut own = raw.clone();
    for id in NOT_FOR_NODES {
        own.remove(id);
    }
    let (mut files, mut secrets) = (Vec::new(), RunSecrets::default());
    if let Some(named) = raw.config_file().and_then(|given| given.values.first()) {
        let file = ConfigFile::load(&environment.current_dir.join(named), &environment.variables)?;
        (files, secrets.variables) = share_configuration(bus, named, &file)?;
        // The nodes have the files under other names, and options go over what the configuration says.
        for given in file.options_among(&FILES)? {
            let is_file = given.values.iter().any(|value| environment.current_dir.join(value).exists());
            if !is_file || raw.get(given.id).is_some() {
                continue;
            }
            anyhow::ensure!(
                own.get(given.id).is_none_or(|other| other.values == given.values),
                "{}: the phases or runs of a configuration name different files, which cannot be copied to nodes; use one file, or put \
                 the files on each node and name them by absolute paths that this machine does not have",
                given.spelling
            );
            own.set(given.id, given.id.flag(), given.values);
        }
    }
    for given in own.given().iter().filter(|given| FILES.contains(&given.id)) {
        for value in &given.values {
            let path = environment.current_dir.join(value);
            if path.exists() {
                files.extend(share(bus, value, &path)?);
            }
        }
    }
    let stored = own.stored();
    let is_secret = |values: &[String]| values.iter().any(|value| value.contains(aiperf_redact::REDACTED));
    let (hidden, options): (NamedOptions, NamedOptions) = stored.into_iter().partition(|(_, values)| is_secret(values));
    let values = own.given().iter().map(|given| (given.id.spec().name().to_owned(), given.values.clone()));
    secrets.options = values.filter(|(name, _)| hidden.iter().any(|(hidden, _)| hidden == name)).collect();
    let changes_run = |name: &str| VARIABLES.iter().any(|known| known.name == name && !known.is_private());
    let variables = environment.variables.iter().filter(|(name, _)| changes_run(name));
    let spec = RunSpec {
        run: run.to_owned(),
        version: VERSION.to_owned(),
        nodes: cluster.nodes,
        options,
        variables: variables.map(|(name, value)| (name.clone(), value.clone())).collect(),
        files,
        secrets: secrets.names(),
        command,
        input_config: config.to_input_config(),
        on_node_loss: cluster.on_node_loss,
        on_coordinator_loss: cluster.on_coordinator_loss,
    };
    Ok((spec, secrets))
}

/// Stores a configuration file without its secrets, and with what it takes from the environment of this process filled in. Returns the
/// variables that it has in place of secrets.
fn share_configuration(
    bus: &dyn Bus,
    named: &str,
    file: &ConfigFile,
) -> anyhow::Result<(Vec<SharedFile>, BTreeMap<String, String>)> {
    let mut shared = file.resolved(&RawOptions::new())?;
    if let Some(Value::Object(runtime)) = shared["benchmark"].get_mut("runtime") {
        runtime.retain(|key, _| !OF_THE_COORDINATOR.contains(&key.as_str()));
    }
    let split = split_secrets(shared);
    let stored = tempfile::NamedTempFile::new().context("cannot make a temporary file for the configuration")?;
    std::fs::write(stored.path(), aiperf_config_file::write(&split.file))
        .with_context(|| format!("cannot write {}", stored.path().display()))?;
    Ok((share(bus, named, stored.path())?, split.secrets))
}

/// The options of one node. `places`: where the files of the run are on this machine; `folder`: where results go.
pub(super) fn options_of(
    assignment: &Assignment,
    secrets: &RunSecrets,
    places: &BTreeMap<String, PathBuf>,
    folder: &Path,
) -> anyhow::Result<RawOptions> {
    let mut stored = assignment.spec.options.clone();
    stored.extend(secrets.options.clone());
    let mut raw = RawOptions::restore(&stored)?;
    for id in FILES.into_iter().chain([OptionId::Config]) {
        let Some(given) = raw.get(id) else { continue };
        let here = |value: &String| places.get(value).map_or_else(|| value.clone(), |path| path.display().to_string());
        let (spelling, values) = (given.spelling.clone(), given.values.iter().map(here).collect());
        raw.set(id, spelling, values);
    }
    let mut set = |id: OptionId, value: String| raw.set(id, id.flag(), vec![value]);
    set(OptionId::UiType, "none".to_owned());
    set(OptionId::Overwrite, "true".to_owned());
    set(OptionId::OutputArtifactDir, folder.display().to_string());
    if assignment.count > 1 {
        set(OptionId::NodeIndex, assignment.share.to_string());
        set(OptionId::NodeCount, assignment.count.to_string());
    }
    if assignment.share > 0 {
        // One node watches the server; the others would only add load.
        raw.remove(OptionId::ServerMetrics);
        raw.remove(OptionId::GpuTelemetry);
        raw.set(OptionId::NoServerMetrics, OptionId::NoServerMetrics.flag(), vec!["true".to_owned()]);
        raw.set(OptionId::NoGpuTelemetry, OptionId::NoGpuTelemetry.flag(), vec!["true".to_owned()]);
    }
    Ok(raw)
}
