//! The coordinator: `aiperf profile --nodes N --nats URL`, and `aiperf attach` in its place.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use aiperf_cluster::{Bus, ClusterError, Collected, Coordinator, CoordinatorSettings, NatsAccess, NatsBus};
use aiperf_config::{ConsoleOutput, Environment, ExportLevel, LogLevel, UiKind};
use aiperf_options::catalogue::OptionId;
use aiperf_report::FolderLock;
use aiperf_seed::Stream;

use super::results::{self, Wanted};
use super::view::Shown;
use super::{new_id, spec, stop_flag};
use crate::cli::{AttachInvocation, CoordinateInvocation};
use crate::interrupts::Interrupts;
use crate::logging;
use crate::profile::{self, FolderRequest, INTERRUPTED};
use crate::run_files::RunFiles;

const STOPPING: &str =
    "Stopping: the nodes send no more requests, results follow. Press Ctrl-C again to leave the nodes to themselves.";

pub(crate) fn coordinate(
    asked: &CoordinateInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let config = &asked.experiment.cells[0].config;
    let Some(cluster) = &config.cluster else { anyhow::bail!("--nodes is missing") };
    if config.output.level < ExportLevel::Records {
        anyhow::bail!(
            "--export-level summary and --nodes cannot be combined: the results of nodes are made from their records"
        );
    }
    logging::start(config.output.log_level);
    logging::limit_console(config.output.console);
    config.warnings.iter().for_each(|warning| log::warn!("{warning}"));
    let access = NatsAccess::read(&cluster.url, &environment.variables)?;
    let bus: Arc<dyn Bus> = Arc::new(NatsBus::connect(&access, "aiperf coordinator")?);
    let stop = stop_flag(interrupts, STOPPING);
    let dir = config.output.dir.clone();
    let _claim = FolderRequest::of(config, dir.clone()).take()?;
    logging::write_to(&dir)?;
    RunFiles::of(&asked.experiment)?.write(&dir);
    let mut raw = asked.options.clone();
    let mut command = config.command_line.clone();
    if config.random_seed.is_none() {
        // All nodes draw the same data and arrivals.
        let seed = Stream::from_entropy().next_u64() >> 33;
        raw.set(OptionId::RandomSeed, OptionId::RandomSeed.flag(), vec![seed.to_string()]);
        command = format!("{command} --random-seed {seed}");
    }
    let run = cluster.run_id.clone().unwrap_or_else(new_id);
    let (spec, secrets) = spec::announce(&*bus, &run, &raw, cluster, command, environment)?;
    let settings = CoordinatorSettings {
        pool: cluster.pool.clone(),
        join_timeout: cluster.join_timeout,
        node_timeout: cluster.node_timeout,
        dir: dir.clone(),
    };
    let mut coordinator = Coordinator::announce(bus, spec, &secrets, settings, new_id())?;
    if config.output.console == ConsoleOutput::Report {
        eprintln!(
            "Run {run} with {} nodes. If this process is lost: aiperf attach {run} --nats {}",
            cluster.nodes, cluster.url
        );
    }
    let wanted = Wanted { dir: &dir, console: config.output.console, config: Some(config), environment };
    let style = profile::style(config.output.ui, config.output.stats_interval, environment);
    let (shown, line) = Shown::start(style);
    let stopped = || stop.load(Ordering::Relaxed);
    let collected = conduct(&mut coordinator, &shown, &stopped);
    finish(&coordinator, collected, &wanted, &shown, || drop(line))
}

pub(crate) fn attach(
    asked: &AttachInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    logging::start(LogLevel::Info);
    let access = NatsAccess::read(&asked.url, &environment.variables)?;
    let bus: Arc<dyn Bus> = Arc::new(NatsBus::connect(&access, "aiperf attach")?);
    let stop = stop_flag(interrupts, STOPPING);
    let claim = FolderLock::take(&asked.dir)?;
    let settings = CoordinatorSettings {
        pool: asked.pool.clone(),
        join_timeout: asked.node_timeout,
        node_timeout: asked.node_timeout,
        dir: asked.dir.clone(),
    };
    let mut coordinator = Coordinator::attach(bus, &asked.run, settings, new_id())?;
    results::clear_earlier(&asked.dir)?;
    logging::write_to(&asked.dir)?;
    let wanted = Wanted { dir: &asked.dir, console: ConsoleOutput::Report, config: None, environment };
    let (shown, line) = Shown::start(profile::style(UiKind::Simple, None, environment));
    let stopped = || stop.load(Ordering::Relaxed);
    let collected = coordinator.start(&stopped).and_then(|_| coordinator.collect(&stopped, |view| shown.run(view)));
    let code = finish(&coordinator, collected, &wanted, &shown, || drop(line));
    drop(claim);
    code
}

fn conduct(
    coordinator: &mut Coordinator,
    shown: &Shown,
    stopped: &dyn Fn() -> bool,
) -> Result<Collected, ClusterError> {
    let wanted = coordinator.spec().nodes;
    coordinator.gather(stopped, |found| shown.work("Waiting for nodes", format!("{found} of {wanted}")))?;
    shown.work("Preparing", format!("{wanted} nodes"));
    coordinator.start(stopped)?;
    coordinator.collect(stopped, |view| shown.run(view))
}

fn finish(
    coordinator: &Coordinator,
    collected: Result<Collected, ClusterError>,
    wanted: &Wanted,
    shown: &Shown,
    end_line: impl FnOnce(),
) -> anyhow::Result<ExitCode> {
    let collected = match collected {
        Ok(collected) => collected,
        Err(ClusterError::Interrupted) => {
            coordinator.forget();
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error @ (ClusterError::TooFewNodes { .. } | ClusterError::NodeFailed { .. })) => {
            coordinator.forget();
            return Err(error.into());
        }
        // The records stay in the stream, for another coordinator.
        Err(error) => return Err(error.into()),
    };
    shown.work("Merging the records of all nodes", String::new());
    let code = results::write(&collected, coordinator.spec(), wanted, end_line)?;
    coordinator.forget();
    Ok(code)
}
