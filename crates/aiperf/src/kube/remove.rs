//! Ends and removes runs: `cancel`, `shutdown`, `delete`, `cleanup`.

use aiperf_kubernetes::{Cluster, ClusterRun};

use super::{found, open, results};
use crate::cli::{CleanupRequest, ClusterAccess, DeleteRequest};

pub(super) fn cancel(access: &ClusterAccess, name: Option<&str>) -> anyhow::Result<()> {
    let cluster = open(access)?;
    let run = found(&cluster, name)?;
    anyhow::ensure!(!run.state.has_ended(), "run {} has already ended: {}", run.name, run.state.name());
    let mut cancelled = 0;
    let mut ended = 0;
    for api in cluster.apis(&run)?.into_iter().filter(|api| api.pod.is_running()) {
        if api.cancel()? { cancelled += 1 } else { ended += 1 }
    }
    if cancelled + ended == 0 {
        // No pod runs, so there is nothing to keep.
        cluster.delete_run(&run.name)?;
        println!("Deleted run {}: none of its pods had started.", run.name);
    } else if cancelled == 0 {
        anyhow::bail!(
            "run {} has already ended and serves its results; `aiperf kube results {}` downloads them",
            run.name,
            run.name
        );
    } else {
        println!("Cancelled run {}: {cancelled} pod(s) write what they have measured.", run.name);
        println!("Results: aiperf kube results {} -n {}", run.name, run.namespace);
    }
    Ok(())
}

pub(super) fn shut_down(access: &ClusterAccess, name: Option<&str>) -> anyhow::Result<()> {
    let cluster = open(access)?;
    let run = found(&cluster, name)?;
    let count = results::shut_down(&cluster, &run)?;
    println!("Ended {count} pod(s) of run {}.", run.name);
    Ok(())
}

pub(super) fn delete(asked: &DeleteRequest) -> anyhow::Result<()> {
    let cluster = open(&asked.access)?;
    let run = found(&cluster, Some(&asked.run))?;
    anyhow::ensure!(
        asked.force || run.state.has_ended(),
        "run {0} has not ended; `aiperf kube cancel {0}` ends it, and --force deletes it with its results",
        run.name
    );
    remove(&cluster, &run)
}

fn remove(cluster: &Cluster, run: &ClusterRun) -> anyhow::Result<()> {
    let deleted = cluster.delete_run(&run.name)?;
    println!("Deleted run {}: {}", run.name, deleted.join(", "));
    Ok(())
}

pub(super) fn clean_up(asked: &CleanupRequest) -> anyhow::Result<()> {
    let cluster = open(&asked.access)?;
    let namespace = (!asked.all).then(|| cluster.namespace().to_owned());
    let runs = cluster.runs(namespace.as_deref())?;
    let (chosen, kept): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| asked.force || run.state.has_ended());
    for run in &chosen {
        if asked.dry_run {
            println!("Would delete run {} in namespace {} ({}).", run.name, run.namespace, run.state.name());
            continue;
        }
        let access = ClusterAccess { namespace: Some(run.namespace.clone()), ..asked.access.clone() };
        remove(&open(&access)?, run)?;
    }
    if chosen.is_empty() {
        println!("Nothing to delete.");
    }
    for run in kept {
        println!("Kept run {} in namespace {} ({}); --force deletes it.", run.name, run.namespace, run.state.name());
    }
    Ok(())
}
