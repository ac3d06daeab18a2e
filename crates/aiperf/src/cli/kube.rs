//! `aiperf kube`: benchmarks in a Kubernetes cluster.

mod deploy;
mod manage;

use std::path::PathBuf;

use aiperf_config::Environment;
use aiperf_config_file::{Starter, starter};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::CliError;
use super::command::Purpose;
use super::spelling::Typed;

pub(crate) use deploy::{DeployFlags, DeployRequest, SweepFlags, WorkloadChoice};
pub(crate) use manage::{
    AttachRequest, CleanupRequest, ClusterAccess, DashboardRequest, DebugRequest, DeleteRequest, ListFilter,
    ListRequest, LogsRequest, PreflightRequest, ResultsRequest,
};

pub(super) const NAME: &str = "kube";

/// What is wanted of a cluster.
#[derive(Debug)]
pub(crate) enum KubeInvocation {
    /// Show the templates that have these words.
    Templates {
        search: Option<String>,
        category: Option<String>,
        verbose: bool,
    },
    /// Print a template as an `AIPerfJob`, or write it into a file.
    Init {
        template: &'static Starter,
        name: String,
        model: Option<String>,
        url: Option<String>,
        output: Option<PathBuf>,
    },
    Validate {
        files: Vec<PathBuf>,
        strict: bool,
        json: bool,
    },
    /// Print a file with its environment references and templates filled in.
    ShowFile(PathBuf),
    /// Print the configuration of a run in the cluster.
    ShowRun(ClusterAccess, Option<String>),
    /// Print the Role of a person who uses these commands in a namespace.
    PrintRole(Option<String>),
    Generate(Box<DeployRequest>),
    Profile(Box<DeployRequest>),
    Sweep(Box<DeployRequest>, SweepFlags),
    Preflight(PreflightRequest),
    Attach(AttachRequest),
    Logs(LogsRequest),
    List(ListRequest),
    Results(ResultsRequest),
    Cancel(ClusterAccess, Option<String>),
    Shutdown(ClusterAccess, Option<String>),
    Delete(DeleteRequest),
    Cleanup(CleanupRequest),
    Debug(DebugRequest),
    Dashboard(DashboardRequest),
}

const EXAMPLES: &str = "\
Examples:
  aiperf kube init --template minimal --model my-model --url http://server:8000 --output job.yaml
  aiperf kube validate job.yaml
  aiperf kube generate -f job.yaml --image registry/aiperf:0.1 | kubectl apply -f -
  aiperf kube profile --image registry/aiperf:0.1 --model my-model --url http://server:8000 --concurrency 64 --request-count 1000
  aiperf kube list
  aiperf kube results my-run --output results";

pub(super) fn command(purpose: Purpose) -> Command {
    Command::new(NAME)
        .about("Run benchmarks in a Kubernetes cluster; no operator is needed")
        .after_help(EXAMPLES)
        .disable_version_flag(true)
        .subcommand_required(true)
        .subcommand(init())
        .subcommand(validate())
        .subcommand(show())
        .subcommands(deploy::commands(purpose))
        .subcommands(manage::commands())
}

fn text(name: &'static str, letter: char, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).short(letter).value_name(value).help(help)
}

fn flag(name: &'static str, letter: char, help: &'static str) -> Arg {
    Arg::new(name).long(name).short(letter).action(ArgAction::SetTrue).help(help)
}

fn subcommand(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).disable_version_flag(true)
}

fn init() -> Command {
    subcommand("init", "Print an AIPerfJob file to begin with, or list all templates")
        .arg(text("template", 't', "NAME", "Template to print"))
        .arg(flag("list", 'l', "List the templates"))
        .arg(text("search", 's', "WORD", "List the templates that mention this word"))
        .arg(text("category", 'c', "WORD", "List the templates of the categories that have this word in their name"))
        .arg(flag("verbose", 'v', "List tags and difficulty, too"))
        .arg(Arg::new("model").long("model").value_name("NAME").help("Put this model into the file"))
        .arg(Arg::new("url").long("url").value_name("URL").help("Put the URL of this server into the file"))
        .arg(
            Arg::new("job-name")
                .long("job-name")
                .value_name("NAME")
                .default_value("my-benchmark")
                .help("Name of the run"),
        )
        .arg(text("output", 'o', "FILE", "Write the file instead of printing it").value_hint(ValueHint::FilePath))
}

fn validate() -> Command {
    subcommand("validate", "Check AIPerfJob, AIPerfSweep and configuration files; exit code 1 if one has a mistake")
        .arg(
            Arg::new("files")
                .index(1)
                .required(true)
                .num_args(1..)
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Files to check"),
        )
        .arg(flag("strict", 's', "Treat settings without effect as mistakes"))
        .arg(text("output", 'o', "FORMAT", "Form of the answer").value_parser(["text", "json"]).default_value("text"))
}

fn show() -> Command {
    let path = text("path", 'f', "FILE", "Show this file, with environment references and templates filled in");
    manage::with_access(subcommand("show", "Print the configuration of a file or of a run, without secrets"))
        .arg(manage::run_name())
        .arg(path.value_hint(ValueHint::FilePath))
}

pub(super) fn read(matches: &ArgMatches, typed: &Typed, environment: &Environment) -> Result<KubeInvocation, CliError> {
    let (name, matches) = matches.subcommand().unwrap_or(("list", matches));
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    let path = |text: String| environment.current_dir.join(text);
    match name {
        "init" => {
            let (search, category) = (word("search"), word("category"));
            let wants_list = matches.get_flag("list") || search.is_some() || category.is_some();
            match word("template") {
                Some(name) if !wants_list => {
                    let template =
                        starter(&name).map_err(|problem| CliError::Other(format!("--template: {problem}")))?;
                    let name = word("job-name").unwrap_or_default();
                    let (model, url, output) = (word("model"), word("url"), word("output").map(path));
                    Ok(KubeInvocation::Init { template, name, model, url, output })
                }
                _ => Ok(KubeInvocation::Templates { search, category, verbose: matches.get_flag("verbose") }),
            }
        }
        "validate" => Ok(KubeInvocation::Validate {
            // As they were typed, which is how messages call them.
            files: matches.get_many::<String>("files").into_iter().flatten().map(PathBuf::from).collect(),
            strict: matches.get_flag("strict"),
            json: word("output").as_deref() == Some("json"),
        }),
        "show" => match (word("path"), word(manage::RUN)) {
            (Some(file), None) => Ok(KubeInvocation::ShowFile(PathBuf::from(file))),
            (None, run) => Ok(KubeInvocation::ShowRun(manage::access(matches, environment), run)),
            (Some(_), Some(run)) => {
                Err(CliError::StrayWord { word: run, advice: "show a file or a run, not both".to_owned() })
            }
        },
        "generate" if matches.get_flag(deploy::RBAC) => Ok(KubeInvocation::PrintRole(word("namespace"))),
        "generate" => deploy::read(matches, typed, environment).map(|asked| KubeInvocation::Generate(Box::new(asked))),
        "profile" => deploy::read(matches, typed, environment).map(|asked| KubeInvocation::Profile(Box::new(asked))),
        "sweep" => {
            let asked = deploy::read(matches, typed, environment)?;
            Ok(KubeInvocation::Sweep(Box::new(asked), deploy::read_sweep(matches)?))
        }
        name => manage::read(name, matches, environment),
    }
}
