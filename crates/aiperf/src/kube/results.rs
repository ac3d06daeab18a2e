//! `aiperf kube results`: downloads what the pods have written, and merges the folders of several nodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_kubernetes::{Cluster, ClusterRun, ResultState};
use anyhow::Context;

use super::{found, open};
use crate::cli::{MergeInvocation, ResultsRequest};

pub(super) fn run(asked: &ResultsRequest, environment: &Environment) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    let run = found(&cluster, asked.run.as_deref())?;
    let default = || environment.current_dir.join("artifacts").join(run.name.as_str());
    let folder = asked.output.clone().unwrap_or_else(default);
    download(&cluster, &run, &folder, asked.summary_only)?;
    if run.needs_merge() && !asked.summary_only {
        merge(&run, &folder, environment)?;
    }
    if asked.shutdown {
        shut_down(&cluster, &run)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Downloads the files of all pods that have results.
pub(super) fn download(cluster: &Cluster, run: &ClusterRun, folder: &Path, summary_only: bool) -> anyhow::Result<()> {
    if let (true, Some(claim)) = (run.state.has_ended(), &run.results_claim) {
        anyhow::bail!(
            "the results of run {0} are on the volume of PersistentVolumeClaim {claim}, in the folder {0}; mount it in a pod to read them",
            run.name
        );
    }
    let apis = cluster.apis(run)?;
    let expected = run.serving_pods();
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

/// Merges the folders of the nodes. What an earlier download to the same place left goes away: it would be merged, too.
pub(super) fn merge(run: &ClusterRun, folder: &Path, environment: &Environment) -> anyhow::Result<()> {
    for path in leftovers(folder, run.nodes)? {
        fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    let folders: Vec<PathBuf> = vec![folder.to_owned()];
    crate::merge::merge(&MergeInvocation { folders, output: None }, environment).map(drop)
}

/// Folders of nodes that the run does not have, and of an earlier merge.
fn leftovers(folder: &Path, nodes: u32) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let is_left = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let index = name.strip_prefix("node-").and_then(|index| index.parse::<u32>().ok());
        path.is_dir() && (name == "merged" || index.is_some_and(|index| index >= nodes))
    };
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_left).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_an_earlier_download_are_not_merged() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["node-0", "node-1", "node-2", "merged", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("node-3"), "a file").unwrap();
        let mut left = leftovers(folder.path(), 2).unwrap();
        left.sort();
        assert_eq!(left, ["merged", "node-2"].map(|name| folder.path().join(name)));
    }

    #[test]
    fn records_and_logs_are_not_summaries() {
        for name in ["profile_export_aiperf.json", "profile_export_aiperf.csv", "a/report.html"] {
            assert!(is_summary(name), "{name}");
        }
        for name in ["profile_export.jsonl", "logs/aiperf.log", "records.parquet"] {
            assert!(!is_summary(name), "{name}");
        }
    }
}
