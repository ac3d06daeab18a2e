//! `aiperf kube results`: downloads what the pods have written, and merges the folders of several nodes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_kubernetes::{Cluster, ClusterRun, ResultState};

use super::{found, open};
use crate::cli::{MergeInvocation, ResultsRequest};

pub(super) fn run(asked: &ResultsRequest, environment: &Environment) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    let run = found(&cluster, asked.run.as_deref())?;
    let default = || environment.current_dir.join("artifacts").join(run.name.as_str());
    let folder = asked.output.clone().unwrap_or_else(default);
    download(&cluster, &run, &folder, asked.summary_only)?;
    if run.nodes > 1 && !asked.summary_only {
        merge(&folder, environment)?;
    }
    if asked.shutdown {
        shut_down(&cluster, &run)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Downloads the files of all pods that have results.
pub(super) fn download(cluster: &Cluster, run: &ClusterRun, folder: &Path, summary_only: bool) -> anyhow::Result<()> {
    if let (true, Some(claim)) = (run.is_coordinated || run.state.has_ended(), &run.results_claim) {
        anyhow::bail!(
            "the results of run {0} are on the volume of PersistentVolumeClaim {claim}, in the folder {0}; mount it in a pod to read them",
            run.name
        );
    }
    let apis = cluster.apis(run)?;
    let expected = run.nodes as usize;
    let running: Vec<_> = apis.iter().filter(|api| api.pod.is_running()).collect();
    if running.len() < expected {
        let ended = apis.len() - running.len();
        anyhow::bail!(
            "{ended} of {expected} pod(s) of run {} have ended, and their results went away with them unless --results-claim named a \
             volume; pods serve their results for --keep-results seconds",
            run.name
        );
    }
    for api in &running {
        anyhow::ensure!(
            api.result_state()? != ResultState::Running,
            "run {0} goes on; wait for its end with `aiperf kube attach {0}`, or end it with `aiperf kube cancel {0}`",
            run.name
        );
    }
    let mut count = 0;
    for api in &running {
        let place = match api.pod.index.filter(|_| expected > 1) {
            Some(index) => folder.join(format!("node-{index}")),
            None => folder.to_owned(),
        };
        count += api.download(&place, |name| !summary_only || is_summary(name))?;
    }
    println!("Downloaded {count} file(s) of {} pod(s) to {}.", running.len(), folder.display());
    Ok(())
}

/// Records and logs are large; the rest is not.
fn is_summary(name: &str) -> bool {
    let path = Path::new(name);
    !path
        .extension()
        .is_some_and(|extension| ["jsonl", "log", "parquet", "raw"].iter().any(|large| extension == *large))
}

pub(super) fn merge(folder: &Path, environment: &Environment) -> anyhow::Result<()> {
    let folders: Vec<PathBuf> = vec![folder.to_owned()];
    crate::merge::merge(&MergeInvocation { folders, output: None }, environment).map(drop)
}

/// Ends the pods that only serve their results. Returns how many.
pub(super) fn shut_down(cluster: &Cluster, run: &ClusterRun) -> anyhow::Result<usize> {
    let mut count = 0;
    for api in cluster.apis(run)?.into_iter().filter(|api| api.pod.is_running()) {
        anyhow::ensure!(
            api.shut_down()?,
            "pod {} still measures; end its run with `aiperf kube cancel {}`",
            api.pod.name,
            run.name
        );
        count += 1;
    }
    Ok(count)
}
