//! `aiperf kube logs`.

use std::fs::{self, File};
use std::io;
use std::process::ExitCode;

use aiperf_kubernetes::{LogOptions, RunPod};
use anyhow::Context;

use super::{found, open};
use crate::cli::LogsRequest;

pub(super) fn run(asked: &LogsRequest) -> anyhow::Result<ExitCode> {
    let cluster = open(&asked.access)?;
    if asked.ignore_not_found && cluster.run(asked.run.as_deref())?.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    let run = found(&cluster, asked.run.as_deref())?;
    let options = LogOptions { container: asked.container.clone(), follow: asked.follow, tail: asked.tail };
    let pods: Vec<RunPod> =
        cluster.pods(&run)?.into_iter().filter(|pod| of_container(pod, asked.container.as_deref())).collect();
    anyhow::ensure!(
        !pods.is_empty(),
        "run {} has no pods; `aiperf kube debug -j {}` looks for the reason",
        run.name,
        run.name
    );
    if let Some(folder) = &asked.output {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // Logs that go on are read one pod after the other only if they go to files.
    let several = pods.len() > 1;
    for pod in &pods {
        if let Some(folder) = &asked.output {
            let path = folder.join(format!("{}.log", pod.name));
            let mut file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
            cluster.log(&run, pod, &options, &mut file)?;
            println!("{}", path.display());
        } else {
            if several {
                println!("==> {} <==", pod.name);
            }
            cluster.log(&run, pod, &options, &mut io::stdout())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn of_container(pod: &RunPod, container: Option<&str>) -> bool {
    container.is_none_or(|container| (container == "nats") == (pod.component == "nats"))
}
