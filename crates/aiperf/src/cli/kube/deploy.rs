//! The options of `aiperf kube generate`, `profile` and `sweep`: those of `aiperf profile`, and where and how to run it.

use std::path::PathBuf;

use aiperf_config::{Environment, Experiment};
use aiperf_config_file::{ConfigFile, ConfigFileError};
use aiperf_kubernetes::{PodSettings, RunName, settings};
use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::manage::{self, ClusterAccess};
use crate::cli::command::{self, Purpose};
use crate::cli::spelling::Typed;
use crate::cli::{CliError, profile};

/// Workers of the reference that run in one of its pods. One process of this program does the work of such a pod.
const WORKERS_OF_A_POD: u32 = 10;
const TITLE: &str = "Kubernetes";
pub(super) const RBAC: &str = "rbac";
const NODES: &str = "nodes";
const NATS: &str = "nats";

/// A benchmark and its place in a cluster.
#[derive(Debug)]
pub(crate) struct DeployRequest {
    pub(crate) access: ClusterAccess,
    /// The options of `aiperf profile` that the pods need.
    pub(crate) options: RawOptions,
    /// What they mean on one node.
    pub(crate) experiment: Box<Experiment>,
    /// Folder for the results, if one was given.
    pub(crate) artifact_dir: Option<PathBuf>,
    pub(crate) flags: DeployFlags,
    /// Return once the objects are created.
    pub(crate) detach: bool,
    /// Print the objects and create nothing.
    pub(crate) dry_run: bool,
}

#[derive(Debug, Default)]
pub(crate) struct DeployFlags {
    pub(crate) name: Option<RunName>,
    pub(crate) image: Option<String>,
    pub(crate) pull_policy: Option<&'static str>,
    /// `None`: the number that the file or the default says.
    pub(crate) nodes: Option<u32>,
    pub(crate) workload: WorkloadChoice,
    /// Whether nodes are coordinated over NATS; `None`: if there are several.
    pub(crate) nats: Option<bool>,
    pub(crate) nats_url: Option<String>,
    pub(crate) nats_image: String,
    /// `Some(None)`: never.
    #[expect(clippy::option_option, reason = "not given, never, or a time")]
    pub(crate) ttl_seconds: Option<Option<i32>>,
    pub(crate) keep_results: Option<u32>,
    pub(crate) results_claim: Option<String>,
    pub(crate) pod: PodSettings,
}

impl DeployFlags {
    pub(crate) fn is_coordinated(&self) -> bool {
        self.nats.unwrap_or(self.nats_url.is_some() || self.nodes.is_some_and(|nodes| nodes > 1))
    }
}

/// Which objects make the pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WorkloadChoice {
    /// A `JobSet` if the cluster has its CRD, else a Job. Without a cluster, a Job.
    #[default]
    Auto,
    Job,
    JobSet,
}

/// Options of `aiperf kube sweep` alone.
#[derive(Debug, Default)]
pub(crate) struct SweepFlags {
    pub(crate) trials: Option<u32>,
    pub(crate) cooldown: Option<f64>,
    pub(crate) min_runs: Option<u32>,
    pub(crate) max_runs: Option<u32>,
}

pub(super) fn commands(purpose: Purpose) -> [Command; 3] {
    let with_profile = |name: &'static str, about: &'static str| {
        let usage = format!("aiperf kube {name} --image <IMAGE> [OPTIONS OF aiperf profile] [OPTIONS]");
        let command = command::profile(purpose).name(name).about(about).override_usage(usage);
        // Options that `aiperf profile` has as well mean the same here.
        let known: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
        let is_new = |arg: &Arg| !known.iter().any(|taken| arg.get_long() == Some(taken.as_str()));
        let operator = Arg::new("operator").long("operator").action(ArgAction::SetTrue).help_heading(TITLE);
        let no_operator = Arg::new("no-operator").long("no-operator").action(ArgAction::SetTrue).help_heading(TITLE);
        command
            .after_help("")
            .args(manage::access_args().map(|arg| arg.help_heading(TITLE)))
            .args(flags().into_iter().filter(is_new))
            .arg(operator.hide(true))
            .arg(no_operator.help("Accepted because AIPerf has it: aiperf never uses an operator"))
    };
    let detach = || {
        let arg = Arg::new("detach").long("detach").short('d').action(ArgAction::SetTrue);
        arg.help_heading(TITLE).help("Return once the objects are created; `aiperf kube attach` shows the progress")
    };
    let own = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help_heading(TITLE).help(help)
    };
    let no_wait = || own("no-wait", "The same as --detach");
    let skip =
        || own("skip-endpoint-check", "Accepted because AIPerf has it: `aiperf kube preflight` checks the endpoint");
    let number = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help_heading("Sweep").help(help)
    };
    [
        with_profile("generate", "Print the Kubernetes objects of a run as YAML; needs no cluster")
            .arg(own(RBAC, "Print only the Role that a person needs to use `aiperf kube` in a namespace")),
        with_profile("profile", "Run a benchmark in the cluster, show its progress and download its results")
            .arg(detach())
            .arg(no_wait())
            .arg(skip()),
        with_profile("sweep", "Run a sweep or repeated runs in the cluster: one pod runs all points")
            .arg(detach())
            .arg(no_wait())
            .arg(skip())
            .arg(
                number("trials", "N", "Number of runs of each point").value_parser(clap::value_parser!(u32).range(1..)),
            )
            .arg(number("cooldown", "SECONDS", "Pause between two runs").value_parser(clap::value_parser!(f64)))
            .arg(
                number("min-runs", "N", "Runs of each point before convergence is checked")
                    .value_parser(clap::value_parser!(u32).range(1..)),
            )
            .arg(
                number("max-runs", "N", "Most runs of each point, if they do not converge")
                    .value_parser(clap::value_parser!(u32).range(1..)),
            ),
    ]
}

fn flags() -> Vec<Arg> {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help_heading(TITLE).help(help)
    };
    let list = |name, value, help| text(name, value, help).action(ArgAction::Append).num_args(1);
    let number = |name, value, help| text(name, value, help).value_parser(clap::value_parser!(u32));
    let choice = |name, members: &'static [&'static str], help| {
        text(name, "CHOICE", help).value_parser(PossibleValuesParser::new(members))
    };
    vec![
        text("name", "NAME", "Name of the run [default: made of the model and random letters]"),
        text("image", "IMAGE", "Container image of aiperf; `packaging/image/build` makes it"),
        text("image-pull-policy", "POLICY", "When nodes pull the image: always, never or if-not-present"),
        text(NODES, "N", "Number of pods that send the run together [default: 1]"),
        number(
            "total-workers",
            "N",
            "Workers of AIPerf, of which each pod has 10: the run has one node for every 10. Use --nodes instead",
        ),
        choice("workload", &["auto", "job", "jobset"], "Objects that make the pods: `auto` takes a JobSet if the cluster has its CRD, else Jobs; without a cluster it takes Jobs")
            .default_value("auto"),
        choice("coordination", &["auto", "nats", "none"], "How nodes are coordinated: over NATS, with a common start and one result, or not at all, so that each node starts when its pod is ready and `aiperf kube results` merges. `auto` takes NATS for several nodes and with --nats, else none")
            .default_value("auto"),
        text(NATS, "URL", "NATS server of the site that coordinates the nodes, in place of one of the run. Credentials come from --env-from-secrets"),
        text("nats-image", "IMAGE", "Container image of the run's own NATS server").default_value("nats:2.10-alpine"),
        text("ttl-seconds", "SECONDS", "Time after which Kubernetes deletes a finished run, or `none` [default: 300]"),
        number("keep-results", "SECONDS", "Time for which pods serve their results after the run. `aiperf kube results --shutdown` ends it [default: 3600]"),
        text("results-claim", "NAME", "PersistentVolumeClaim for the results, in place of a folder that goes away with the pod"),
        list("node-selector", "NAME=VALUE", "Labels of the nodes that pods may run on: NAME=VALUE or a JSON object; may be repeated"),
        list("tolerations", "JSON", "Tolerations of the pods: JSON objects or arrays; may be repeated"),
        text("queue-name", "NAME", "LocalQueue of Kueue that admits the run"),
        text("priority-class", "NAME", "Priority class: of Kueue with --queue-name, else of the pods"),
        list("image-pull-secrets", "NAME", "Secret for pulling the image; may be repeated"),
        list("env-vars", "NAME=VALUE", "Environment variable of the pods: NAME=VALUE or a JSON object; may be repeated"),
        list("env-from-secrets", "NAME=SECRET/KEY", "Environment variable with the value of a key of a Secret; may be repeated"),
        list("secret-mounts", "SECRET:FOLDER", "Secret whose keys are files in a folder of the pods: SECRET:FOLDER or JSON objects with name and mountPath; may be repeated"),
        text("service-account", "NAME", "Service account of the pods"),
        list("annotations", "NAME=VALUE", "Annotation of the pods: NAME=VALUE or a JSON object; may be repeated"),
        list("labels", "NAME=VALUE", "Label of the pods: NAME=VALUE or a JSON object; may be repeated"),
    ]
}

pub(super) fn read(matches: &ArgMatches, typed: &Typed, environment: &Environment) -> Result<DeployRequest, CliError> {
    if matches.get_flag("operator") {
        let problem = "aiperf needs no operator and does not talk to one; leave the option out".to_owned();
        return Err(CliError::OptionValue { option: "--operator".to_owned(), problem });
    }
    let mut options = profile::raw_options(matches, typed);
    let flags = deploy_flags(matches)?;
    let dry_run = options.get(OptionId::DryRun).is_some();
    let artifact_dir = options.get(OptionId::OutputArtifactDir).and_then(|given| given.values.first());
    let artifact_dir = artifact_dir.map(|dir| environment.current_dir.join(dir));
    let of_pods = options.given().iter().map(|given| given.id).filter(|id| [NODES, NATS].contains(&id.spec().name()));
    for id in of_pods.collect::<Vec<_>>().into_iter().chain(OF_THIS_MACHINE) {
        options.remove(id);
    }
    let has = |name: &str| matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
    Ok(DeployRequest {
        access: manage::access(matches, environment),
        experiment: Box::new(experiment(&with_share(&options, &flags), environment)?),
        options,
        artifact_dir,
        flags,
        detach: has("detach") || has("no-wait"),
        dry_run,
    })
}

/// Options that are about this machine, or that the pods get from their manifest.
const OF_THIS_MACHINE: [OptionId; 7] = [
    OptionId::DryRun,
    OptionId::OutputArtifactDir,
    OptionId::UiType,
    OptionId::ApiPort,
    OptionId::ApiHost,
    OptionId::ApiToken,
    OptionId::ApiLinger,
];

/// What the options mean, without what only a cluster can answer.
fn experiment(options: &RawOptions, environment: &Environment) -> Result<Experiment, CliError> {
    let Some(path) = options.config_file().and_then(|given| given.values.first()) else {
        return profile::experiment(options, environment);
    };
    let path = environment.current_dir.join(path);
    let mut file = ConfigFile::load(&path, &environment.variables).map_err(ConfigFileError::from)?;
    file.take_discovery();
    Ok(file.experiment(options, environment)?)
}

/// The options with those of several nodes, so that the rules about them are checked before anything is created.
fn with_share(options: &RawOptions, flags: &DeployFlags) -> RawOptions {
    let (mut options, nodes) = (options.clone(), flags.nodes.unwrap_or(1));
    if flags.is_coordinated() {
        options.set(OptionId::Nodes, "--nodes", vec![nodes.to_string()]);
        // Only the pods know the host of the run's own server.
        let url = flags.nats_url.clone().unwrap_or_else(|| "nats://nats".to_owned());
        options.set(OptionId::Nats, "--nats", vec![url]);
    } else if nodes > 1 {
        options.set(OptionId::NodeIndex, "--nodes", vec!["0".to_owned()]);
        options.set(OptionId::NodeCount, "--nodes", vec![nodes.to_string()]);
    }
    options
}

fn deploy_flags(matches: &ArgMatches) -> Result<DeployFlags, CliError> {
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    let words = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let of = |error: settings::SettingError| CliError::Other(error.to_string());
    let option = |option: &str| {
        let option = option.to_owned();
        move |problem: String| CliError::OptionValue { option, problem }
    };
    let nodes = word(NODES).map(|text| {
        let count = text.parse::<u32>().ok().filter(|count| *count > 0);
        count.ok_or_else(|| option("--nodes")(format!("{text:?} is not a number of nodes; write 1 or more")))
    });
    let workers = matches.get_one::<u32>("total-workers").copied();
    if workers == Some(0) {
        return Err(option("--total-workers 0")("must be at least 1".to_owned()));
    }
    let nodes = nodes.transpose()?.or_else(|| workers.map(|workers| workers.div_ceil(WORKERS_OF_A_POD)));
    let ttl_seconds = match word("ttl-seconds").as_deref() {
        None => None,
        Some("none") => Some(None),
        Some(text) => Some(Some(text.parse().ok().filter(|seconds| *seconds >= 0).ok_or_else(|| {
            option("--ttl-seconds")(format!("{text:?} is not a number of seconds; write a whole number or `none`"))
        })?)),
    };
    Ok(DeployFlags {
        name: word("name").map(|name| RunName::parse(&name)).transpose().map_err(option("--name"))?,
        image: word("image"),
        pull_policy: word("image-pull-policy").map(|text| settings::pull_policy(&text)).transpose().map_err(of)?,
        nodes,
        workload: match word("workload").as_deref() {
            Some("job") => WorkloadChoice::Job,
            Some("jobset") => WorkloadChoice::JobSet,
            _ => WorkloadChoice::Auto,
        },
        nats: match word("coordination").as_deref() {
            Some("nats") => Some(true),
            Some("none") => Some(false),
            _ => None,
        },
        nats_url: word(NATS),
        nats_image: word("nats-image").unwrap_or_default(),
        ttl_seconds,
        keep_results: matches.get_one::<u32>("keep-results").copied(),
        results_claim: word("results-claim"),
        pod: PodSettings {
            node_selector: settings::pairs("--node-selector", &words("node-selector")).map_err(of)?,
            tolerations: settings::tolerations(&words("tolerations")).map_err(of)?,
            queue: word("queue-name"),
            priority_class: word("priority-class"),
            image_pull_secrets: words("image-pull-secrets"),
            env: settings::pairs("--env-vars", &words("env-vars")).map_err(of)?,
            env_from_secrets: settings::secret_variables("--env-from-secrets", &words("env-from-secrets"))
                .map_err(of)?,
            secret_mounts: settings::secret_mounts(&words("secret-mounts")).map_err(of)?,
            service_account: word("service-account"),
            annotations: settings::pairs("--annotations", &words("annotations")).map_err(of)?,
            labels: settings::pairs("--labels", &words("labels")).map_err(of)?,
            ..PodSettings::default()
        },
    })
}

pub(super) fn read_sweep(matches: &ArgMatches) -> Result<SweepFlags, CliError> {
    let number = |name: &str| matches.get_one::<u32>(name).copied();
    let flags = SweepFlags {
        trials: number("trials"),
        cooldown: matches.get_one::<f64>("cooldown").copied(),
        min_runs: number("min-runs"),
        max_runs: number("max-runs"),
    };
    if let Some((min, max)) = flags.min_runs.zip(flags.max_runs).filter(|(min, max)| min > max) {
        let problem = format!("must be at most --max-runs {max}");
        return Err(CliError::OptionValue { option: format!("--min-runs {min}"), problem });
    }
    Ok(flags)
}
