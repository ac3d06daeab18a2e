//! `aiperf kube`: runs benchmarks in a Kubernetes cluster, and looks after them.

mod attach;
mod dashboard;
mod data_files;
mod debug;
mod deployment;
mod files;
mod list;
mod logs;
mod preflight;
mod remove;
mod results;

use std::process::ExitCode;

use aiperf_config::Environment;
use aiperf_kubernetes::{Cluster, ClusterOptions, ClusterRun, manifests, user_role, yaml};

use crate::cli::{ClusterAccess, DeployRequest, KubeInvocation, SweepFlags};
use crate::interrupts::Interrupts;

pub(crate) fn run(
    asked: &KubeInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    match asked {
        KubeInvocation::Templates { search, category, verbose } => {
            print!("{}", crate::config_file::list(search.as_deref(), category.as_deref(), *verbose, "kube"));
        }
        KubeInvocation::Init { template, name, model, url, output } => {
            files::init(template, name, model.as_deref(), url.as_deref(), output.as_deref())?;
        }
        KubeInvocation::Validate { files, strict, json } => {
            return Ok(files::validate(files, *strict, *json, environment));
        }
        KubeInvocation::ShowFile(file) => files::show(file, environment)?,
        KubeInvocation::ShowRun(access, run) => {
            let cluster = open(access)?;
            print!("{}", cluster.configuration(&found(&cluster, run.as_deref())?)?);
        }
        KubeInvocation::PrintRole(namespace) => {
            crate::print(yaml(&[user_role(namespace.as_deref())]).as_bytes())?;
        }
        KubeInvocation::Generate(asked) => generate(asked, &SweepFlags::default(), environment)?,
        KubeInvocation::Profile(asked) => return profile(asked, &SweepFlags::default(), environment, interrupts),
        KubeInvocation::Sweep(asked, sweep) => return profile(asked, sweep, environment, interrupts),
        KubeInvocation::Preflight(asked) => return preflight::run(asked),
        KubeInvocation::Attach(asked) => return attach::run(asked, interrupts),
        KubeInvocation::Logs(asked) => return logs::run(asked),
        KubeInvocation::List(asked) => return list::run(asked),
        KubeInvocation::Results(asked) => return results::run(asked, environment),
        KubeInvocation::Cancel(access, run) => remove::cancel(access, run.as_deref())?,
        KubeInvocation::Shutdown(access, run) => remove::shut_down(access, run.as_deref())?,
        KubeInvocation::Delete(asked) => remove::delete(asked)?,
        KubeInvocation::Cleanup(asked) => remove::clean_up(asked)?,
        KubeInvocation::Debug(asked) => return debug::run(asked),
        KubeInvocation::Dashboard(asked) => return dashboard::run(asked),
    }
    Ok(ExitCode::SUCCESS)
}

fn open(access: &ClusterAccess) -> anyhow::Result<Cluster> {
    Ok(Cluster::open(&ClusterOptions {
        kubeconfig: access.kubeconfig.clone(),
        context: access.context.clone(),
        namespace: access.namespace.clone(),
    })?)
}

/// The run of this name, or the newest one; an error says which there are.
fn found(cluster: &Cluster, name: Option<&str>) -> anyhow::Result<ClusterRun> {
    if let Some(run) = cluster.run(name)? {
        return Ok(run);
    }
    let namespace = cluster.namespace();
    let Some(name) = name else {
        anyhow::bail!("there is no run in namespace {namespace}; `aiperf kube list` shows those of all namespaces");
    };
    let runs: Vec<String> = cluster.runs(Some(namespace))?.iter().map(|run| run.name.to_string()).collect();
    let advice =
        if runs.is_empty() { "there are no runs".to_owned() } else { format!("its runs are {}", runs.join(", ")) };
    anyhow::bail!("there is no run {name} in namespace {namespace}; {advice}")
}

/// Prints the objects of a run.
fn generate(asked: &DeployRequest, sweep: &SweepFlags, environment: &Environment) -> anyhow::Result<()> {
    let deployment = deployment::read(asked, sweep, None, environment)?;
    deployment::warn_about_secrets(&deployment);
    crate::print(yaml(&manifests(&deployment)).as_bytes())?;
    Ok(())
}

/// Creates the objects of a run, and follows it to its end unless told otherwise.
fn profile(
    asked: &DeployRequest,
    sweep: &SweepFlags,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    if asked.dry_run {
        generate(asked, sweep, environment)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut access = asked.access.clone();
    if access.namespace.is_none() {
        access.namespace = deployment::namespace_of_file(asked, environment)?;
    }
    let cluster = open(&access)?;
    let deployment = deployment::read(asked, sweep, Some(&cluster), environment)?;
    cluster.create(&deployment, false)?;
    let (name, namespace) = (&deployment.name, cluster.namespace());
    println!("Created run {name} in namespace {namespace}: {} node(s).", deployment.nodes);
    if asked.detach {
        println!("Progress: aiperf kube attach {name} -n {namespace}");
        println!("Results:  aiperf kube results {name} -n {namespace}");
        return Ok(ExitCode::SUCCESS);
    }
    let run = found(&cluster, Some(name.as_str()))?;
    let ending = attach::follow(&cluster, run, interrupts)?;
    let attach::FollowEnd::Results(run) = ending else { return Ok(attach::code(&cluster, &ending)) };
    let folder =
        asked.artifact_dir.clone().unwrap_or_else(|| environment.current_dir.join("artifacts").join(name.as_str()));
    results::download(&cluster, &run, &folder, false)?;
    if run.needs_merge() {
        results::merge(&run, &folder, environment)?;
    }
    results::shut_down(&cluster, &run)?;
    Ok(attach::code(&cluster, &attach::wait_for_end(&cluster, run)?))
}
