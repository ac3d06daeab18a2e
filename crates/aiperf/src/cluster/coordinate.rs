//! The coordinator: `aiperf profile --nodes N --nats URL`, and `aiperf attach` in its place.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use aiperf_cluster::{Bus, ClusterError, Collected, Coordinator, CoordinatorSettings, NatsAccess, NatsBus, RunView};
use aiperf_config::{Config, ConsoleOutput, Environment, ExportLevel, LogLevel, UiKind};
use aiperf_experiment::phase_plans;
use aiperf_live::{LiveRun, RunEnd, RunState};
use aiperf_options::catalogue::OptionId;
use aiperf_report::FolderLock;
use aiperf_seed::Stream;

use super::live_feed::LiveFeed;
use super::results::{self, Wanted};
use super::view::Shown;
use super::{new_id, spec, stop_flag};
use crate::cli::{AttachInvocation, CoordinateInvocation};
use crate::interrupts::Interrupts;
use crate::logging;
use crate::profile::{self, FolderRequest, INTERRUPTED};
use crate::progress::ProgressStyle;
use crate::run_files::RunFiles;
use crate::views::{self, Views};

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
    let (spec, secrets) = spec::announce(&*bus, &run, &raw, (config, cluster), command, environment)?;
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
    let live = LiveRun::new(views::facts(config, None));
    interrupts.let_cancel(&live);
    let views = Views::start(&live, config, environment, &dir)?;
    let wanted = Wanted { dir: &dir, console: config.output.console, config: Some(config), environment };
    let style = if views.has_dashboard() {
        ProgressStyle::Quiet
    } else {
        profile::style(config.output.ui, config.output.stats_interval, environment)
    };
    let (shown, line) = Shown::start(style);
    let stopped = || stop.load(Ordering::Relaxed);
    let collected = conduct(&mut coordinator, config, (&live, &shown), &stopped);
    live.enter(RunState::Exporting);
    let (mut views, mut after) = (Some(views), None);
    let code = finish(&coordinator, collected, &wanted, &shown, |end| {
        drop(line);
        after = views.take().map(|views| views.finish(end));
    });
    if let (Err(error), Some(views)) = (&code, views) {
        views.finish(views::failed(error));
    }
    if let Some(after) = after {
        after.linger(interrupts);
    }
    code
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
    let observer = |view: &RunView| shown.run(view);
    let collected = coordinator.start(&stopped).and_then(|_| coordinator.collect(&stopped, observer));
    let finished = finish(&coordinator, collected.map_err(Into::into), &wanted, &shown, |_| drop(line));
    drop(claim);
    finished
}

fn conduct(
    coordinator: &mut Coordinator,
    config: &Config,
    (live, shown): (&LiveRun, &Shown),
    stopped: &dyn Fn() -> bool,
) -> anyhow::Result<Collected> {
    let plans = phase_plans(config)?;
    let wanted = coordinator.spec().nodes;
    coordinator.gather(stopped, |found| shown.work("Waiting for nodes", format!("{found} of {wanted}")))?;
    shown.work("Preparing", format!("{wanted} nodes"));
    coordinator.start(stopped)?;
    let run = coordinator.run().to_owned();
    Ok(coordinator.collect(stopped, LiveFeed::begin(live, shown, &run, plans))?)
}

fn finish(
    coordinator: &Coordinator,
    collected: anyhow::Result<Collected>,
    wanted: &Wanted,
    shown: &Shown,
    end_views: impl FnOnce(RunEnd),
) -> anyhow::Result<ExitCode> {
    let collected = match collected {
        Ok(collected) => collected,
        Err(error) => {
            return match error.downcast_ref::<ClusterError>() {
                Some(ClusterError::Interrupted) => {
                    coordinator.forget();
                    end_views(RunEnd { outcome: RunState::Cancelled, ..RunEnd::default() });
                    Ok(ExitCode::from(INTERRUPTED))
                }
                Some(ClusterError::TooFewNodes { .. } | ClusterError::NodeFailed { .. }) => {
                    coordinator.forget();
                    Err(error)
                }
                // The records stay in the stream, for another coordinator.
                _ => Err(error),
            };
        }
    };
    shown.work("Merging the records of all nodes", String::new());
    let code = results::write(&collected, coordinator.spec(), wanted, end_views)?;
    coordinator.forget();
    Ok(code)
}
