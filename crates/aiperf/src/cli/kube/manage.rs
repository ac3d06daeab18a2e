//! The commands of `aiperf kube` that look at runs in a cluster and end them.

use std::path::PathBuf;

use aiperf_config::Environment;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::{KubeInvocation, flag, subcommand, text};
use crate::cli::CliError;

pub(super) const RUN: &str = "run-name";

/// Which cluster, and where in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClusterAccess {
    pub(crate) kubeconfig: Option<PathBuf>,
    pub(crate) context: Option<String>,
    pub(crate) namespace: Option<String>,
}

#[derive(Debug)]
pub(crate) struct AttachRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    pub(crate) ignore_not_found: bool,
}

#[derive(Debug)]
pub(crate) struct LogsRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    pub(crate) container: Option<String>,
    pub(crate) follow: bool,
    pub(crate) tail: Option<u32>,
    /// Folder for one file per pod.
    pub(crate) output: Option<PathBuf>,
    pub(crate) ignore_not_found: bool,
}

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    pub(crate) filter: Option<ListFilter>,
    pub(crate) wide: bool,
    /// Seconds between two tables; `None`: print one.
    pub(crate) watch: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListFilter {
    Running,
    Completed,
    Failed,
}

#[derive(Debug)]
pub(crate) struct ResultsRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    /// `None`: `artifacts/NAME`.
    pub(crate) output: Option<PathBuf>,
    pub(crate) summary_only: bool,
    pub(crate) shutdown: bool,
}

#[derive(Debug)]
pub(crate) struct DeleteRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: String,
    pub(crate) force: bool,
}

#[derive(Debug)]
pub(crate) struct CleanupRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) all: bool,
    pub(crate) force: bool,
    pub(crate) dry_run: bool,
}

#[derive(Debug)]
pub(crate) struct DebugRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    pub(crate) verbose: bool,
}

#[derive(Debug)]
pub(crate) struct DashboardRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) run: Option<String>,
    pub(crate) port: u16,
}

#[derive(Debug)]
pub(crate) struct PreflightRequest {
    pub(crate) access: ClusterAccess,
    pub(crate) image_pull_secrets: Vec<String>,
    pub(crate) secrets: Vec<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) nodes: u32,
    pub(crate) json: bool,
}

pub(super) fn access_args() -> [Arg; 3] {
    [
        Arg::new("kubeconfig")
            .long("kubeconfig")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .help("Configuration of the cluster [default: KUBECONFIG, ~/.kube/config, or the account of the pod]"),
        Arg::new("kube-context")
            .long("kube-context")
            .value_name("NAME")
            .help("Context of that file [default: the current one]"),
        Arg::new("namespace")
            .long("namespace")
            .short('n')
            .value_name("NAME")
            .help("Namespace of the run [default: that of the context]"),
    ]
}

pub(super) fn with_access(command: Command) -> Command {
    command.args(access_args())
}

pub(super) fn access(matches: &ArgMatches, environment: &Environment) -> ClusterAccess {
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    ClusterAccess {
        kubeconfig: word("kubeconfig").map(|path| environment.current_dir.join(path)),
        context: word("kube-context"),
        namespace: word("namespace"),
    }
}

pub(super) fn run_name() -> Arg {
    Arg::new(RUN).index(1).value_name("RUN").help("Name of the run [default: the only one, or the newest]")
}

pub(super) fn commands() -> Vec<Command> {
    let own = |name: &'static str, about: &'static str| with_access(subcommand(name, about));
    let ignore = || {
        let arg = Arg::new("ignore-not-found").long("ignore-not-found").action(ArgAction::SetTrue);
        arg.help("Exit with 0 if there is no such run")
    };
    let switch =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    vec![
        own("preflight", "Check the cluster before a run: rights, JobSet, Secrets, room, endpoint")
            .arg(
                Arg::new("image-pull-secret")
                    .long("image-pull-secret")
                    .visible_alias("image-pull-secrets")
                    .action(ArgAction::Append)
                    .num_args(1)
                    .value_name("NAME")
                    .help("Secret for pulling the image that must exist; may be repeated"),
            )
            .arg(
                Arg::new("secret")
                    .long("secret")
                    .visible_alias("secrets")
                    .action(ArgAction::Append)
                    .num_args(1)
                    .value_name("NAME")
                    .help("Secret that must exist; may be repeated"),
            )
            .arg(text(
                "endpoint-url",
                'e',
                "URL",
                "Server to be measured: its Service must exist if it is in the cluster",
            ))
            .arg(
                text("workers", 'w', "N", "Number of pods to find room for")
                    .value_parser(clap::value_parser!(u32).range(1..))
                    .default_value("1"),
            )
            .arg(
                text("output", 'o', "FORMAT", "Form of the answer")
                    .value_parser(["text", "json"])
                    .default_value("text"),
            ),
        own("attach", "Show the progress of a run until it ends").arg(run_name()).arg(ignore()),
        own("logs", "Print the logs of a run's pods")
            .arg(run_name())
            .arg(
                Arg::new("container")
                    .long("container")
                    .value_name("NAME")
                    .help("Container whose log is printed: aiperf or nats"),
            )
            .arg(flag("follow", 'f', "Print new lines until the pods end"))
            .arg(
                Arg::new("tail")
                    .long("tail")
                    .value_name("N")
                    .value_parser(clap::value_parser!(u32))
                    .help("Print only the last N lines of each pod"),
            )
            .arg(
                text("output", 'o', "FOLDER", "Write one file for each pod to this folder")
                    .value_hint(ValueHint::DirPath),
            )
            .arg(ignore()),
        own("list", "List the runs in the cluster")
            .arg(run_name())
            .arg(flag(
                "all-namespaces",
                'A',
                "List the runs of all namespaces, which is the default without --namespace",
            ))
            .arg(switch("running", "List running runs only"))
            .arg(switch("completed", "List completed runs only"))
            .arg(switch("failed", "List failed runs only"))
            .arg(flag("wide", 'w', "Show model and endpoint, too"))
            .arg(switch("watch", "Print the list again and again until Ctrl-C"))
            .arg(
                Arg::new("interval")
                    .long("interval")
                    .value_name("SECONDS")
                    .value_parser(clap::value_parser!(f64))
                    .default_value("5")
                    .help("Time between two lists of --watch"),
            ),
        own("results", "Download the results of a run; those of several nodes are merged")
            .arg(run_name())
            .arg(
                text("output", 'o', "FOLDER", "Folder to write to [default: artifacts/RUN]")
                    .value_hint(ValueHint::DirPath),
            )
            .arg(flag("all", 'a', "Download all files, which is the default").conflicts_with("summary-only"))
            .arg(switch("summary-only", "Download the summary files only, without records"))
            .arg(switch("from-pods", "Accepted because AIPerf has it: results always come from the pods"))
            .arg(switch("shutdown", "End the pods after the download")),
        own("cancel", "Cancel a run: no more requests are sent, and the results so far are written").arg(run_name()),
        own("shutdown", "End pods that only serve their results").arg(run_name()),
        own("delete", "Delete a run with all its objects").arg(run_name().required(true)).arg(flag(
            "force",
            'f',
            "Delete a run that still goes on",
        )),
        own("cleanup", "Delete all runs that have ended")
            .arg(flag("all", 'a', "Delete the runs of all namespaces"))
            .arg(flag("force", 'f', "Delete runs that still go on, too"))
            .arg(switch("dry-run", "Only print what would be deleted")),
        own("debug", "Find out why a run does not start or has failed: pods, events, advice")
            .arg(text("job-id", 'j', "RUN", "Name of the run [default: the newest]"))
            .arg(flag("verbose", 'v', "Print the last lines of the pods' logs, too")),
        own("dashboard", "Open the live page of a run through the API server")
            .arg(run_name())
            .arg(
                Arg::new("port")
                    .long("port")
                    .value_name("N")
                    .value_parser(clap::value_parser!(u16))
                    .default_value("0")
                    .help("Port of this machine for the page; 0 takes a free one"),
            )
            .arg(switch(
                "no-browser",
                "Accepted because AIPerf has it: the address is printed, and no browser is started",
            )),
    ]
}

pub(super) fn read(name: &str, matches: &ArgMatches, environment: &Environment) -> Result<KubeInvocation, CliError> {
    let access = access(matches, environment);
    let word = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let words = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let is = |name: &str| matches.get_flag(name);
    let path = |text: String| environment.current_dir.join(text);
    let run = word(RUN);
    Ok(match name {
        "preflight" => KubeInvocation::Preflight(PreflightRequest {
            access,
            image_pull_secrets: words("image-pull-secret"),
            secrets: words("secret"),
            endpoint: word("endpoint-url"),
            nodes: matches.get_one::<u32>("workers").copied().unwrap_or(1),
            json: word("output").as_deref() == Some("json"),
        }),
        "attach" => KubeInvocation::Attach(AttachRequest { access, run, ignore_not_found: is("ignore-not-found") }),
        "logs" => KubeInvocation::Logs(LogsRequest {
            access,
            run,
            container: word("container"),
            follow: is("follow"),
            tail: matches.get_one::<u32>("tail").copied(),
            output: word("output").map(path),
            ignore_not_found: is("ignore-not-found"),
        }),
        "list" => {
            let filters = [
                ("running", ListFilter::Running),
                ("completed", ListFilter::Completed),
                ("failed", ListFilter::Failed),
            ];
            let mut chosen = filters.into_iter().filter(|(name, _)| is(name));
            let filter = chosen.next();
            if let Some(((first, _), (second, _))) = filter.zip(chosen.next()) {
                return Err(CliError::Other(format!(
                    "--{first} and --{second} cannot be used together; give one of them"
                )));
            }
            let interval = matches.get_one::<f64>("interval").copied().unwrap_or(5.0);
            if !(0.1..=86400.0).contains(&interval) {
                let problem = "must be between 0.1 and 86400 seconds".to_owned();
                return Err(CliError::OptionValue { option: format!("--interval {interval}"), problem });
            }
            let filter = filter.map(|(_, filter)| filter);
            KubeInvocation::List(ListRequest {
                access,
                run,
                filter,
                wide: is("wide"),
                watch: is("watch").then_some(interval),
            })
        }
        "results" => KubeInvocation::Results(ResultsRequest {
            access,
            run,
            output: word("output").map(path),
            summary_only: is("summary-only"),
            shutdown: is("shutdown"),
        }),
        "cancel" => KubeInvocation::Cancel(access, run),
        "shutdown" => KubeInvocation::Shutdown(access, run),
        "delete" => KubeInvocation::Delete(DeleteRequest { access, run: run.unwrap_or_default(), force: is("force") }),
        "cleanup" => KubeInvocation::Cleanup(CleanupRequest {
            access,
            all: is("all"),
            force: is("force"),
            dry_run: is("dry-run"),
        }),
        "debug" => KubeInvocation::Debug(DebugRequest { access, run: word("job-id"), verbose: is("verbose") }),
        _ => KubeInvocation::Dashboard(DashboardRequest {
            access,
            run,
            port: matches.get_one::<u16>("port").copied().unwrap_or(0),
        }),
    })
}
