//! `aiperf kube attach`: follows a run to its end.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use aiperf_kubernetes::{
    Cluster, ClusterError, ClusterRun, ClusterRunState, NodeCounts, PodApi, ResultState, RunPod, sum,
};

use super::{found, open};
use crate::cli::AttachRequest;
use crate::interrupts::Interrupts;

/// Between two looks at a run.
const INTERVAL: Duration = Duration::from_secs(1);
/// What Ctrl-C does.
const LEFT: &str = "Left the run, which goes on. `aiperf kube attach` follows it, `aiperf kube cancel` ends it.";

/// How following a run ended.
#[derive(Debug)]
pub(super) enum FollowEnd {
    /// All pods have their results.
    Results(ClusterRun),
    /// The Job is over, and so are its pods.
    Over(ClusterRun),
}

pub(super) fn run(asked: &AttachRequest, interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    if asked.ignore_not_found && cluster.run(asked.run.as_deref())?.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    let run = found(&cluster, asked.run.as_deref())?;
    let ending = follow(&cluster, run, interrupts)?;
    if let FollowEnd::Results(run) = &ending {
        println!("Results: aiperf kube results {} -n {}", run.name, run.namespace);
    }
    Ok(code(&cluster, &ending))
}

/// The exit code of a command that followed a run.
pub(super) fn code(cluster: &Cluster, ending: &FollowEnd) -> ExitCode {
    let is_good = match ending {
        FollowEnd::Results(run) => cluster.apis(run).is_ok_and(|apis| {
            apis.iter().all(|api| api.result_state().is_ok_and(|state| state == ResultState::Complete))
        }),
        FollowEnd::Over(run) => run.state == ClusterRunState::Completed,
    };
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the progress until all pods have their results, or until the run is over.
pub(super) fn follow(cluster: &Cluster, mut run: ClusterRun, interrupts: &Interrupts) -> anyhow::Result<FollowEnd> {
    interrupts.before_the_first_run(LEFT);
    let mut said = String::new();
    loop {
        if run.state.has_ended() {
            println!(
                "Run {} is over: {}{}",
                run.name,
                run.state.name(),
                run.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
            );
            return Ok(FollowEnd::Over(run));
        }
        let pods = cluster.pods(&run)?;
        let apis = cluster.apis(&run)?;
        let expected = run.serving_pods();
        let running: Vec<&PodApi<'_>> = apis.iter().filter(|api| api.pod.is_running()).collect();
        let states: Vec<Option<ResultState>> =
            running.iter().map(|api| answered(api.result_state())).collect::<Result<_, _>>()?;
        let have_results = states.iter().filter(|state| !matches!(state, None | Some(ResultState::Running))).count();
        if have_results == expected {
            println!("Run {}: {have_results} of {expected} pod(s) have their results.", run.name);
            return Ok(FollowEnd::Results(run));
        }
        let mut progress = Vec::new();
        for api in &running {
            progress.extend(answered(api.progress())?);
        }
        let line = line(&run, &pods, sum(&progress).as_ref());
        if line != said {
            println!("{line}");
            said = line;
        }
        thread::sleep(INTERVAL);
        run = found(cluster, Some(run.name.as_str()))?;
    }
}

/// Waits until the Job of a run is over.
pub(super) fn wait_for_end(cluster: &Cluster, mut run: ClusterRun) -> anyhow::Result<FollowEnd> {
    while !run.state.has_ended() {
        thread::sleep(INTERVAL);
        match cluster.run(Some(run.name.as_str()))? {
            Some(now) => run = now,
            // Deleted by its time to live.
            None => run.state = ClusterRunState::Completed,
        }
    }
    Ok(FollowEnd::Over(run))
}

/// A pod that has just started does not answer yet, and one that ends does not answer any more.
fn answered<T>(answer: Result<T, ClusterError>) -> Result<Option<T>, ClusterError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(ClusterError::Refused { code: 404 | 500..=599, .. } | ClusterError::Answer { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn line(run: &ClusterRun, pods: &[RunPod], counts: Option<&NodeCounts>) -> String {
    let running = pods.iter().filter(|pod| pod.is_running()).count();
    let Some(counts) = counts else {
        let reason = pods.iter().find(|pod| !pod.is_running() && pod.reason.is_some());
        let reason = reason.and_then(|pod| Some(format!("; pod {}: {}", pod.name, pod.reason.as_ref()?)));
        return format!(
            "{}: {running} of {} pod(s) running{}",
            run.state.name(),
            pods.len(),
            reason.unwrap_or_default()
        );
    };
    let NodeCounts { name, completed, errors, expected, per_second } = counts;
    let of = expected.map(|expected| format!(" of {expected}")).unwrap_or_default();
    format!("{name}: {completed}{of} requests, {errors} errors, {per_second:.1} requests/s, {running} pod(s)")
}
