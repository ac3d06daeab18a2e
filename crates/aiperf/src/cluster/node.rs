//! `aiperf node`: sends a share of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_cluster::{
    Assignment, ClusterError, Counters, Member, NatsAccess, NatsBus, NodeAgent, NodeCard, NodeSettings, StopKind,
};
use aiperf_config::{Config, Environment, LogLevel, NodeLossPolicy};
use aiperf_engine::Control;
use aiperf_experiment::{Monitor, RunResult, StartBarrier};
use aiperf_live::LiveRun;
use aiperf_protocol::StopReason;
use aiperf_report::ArtifactPaths;

use super::{new_id, spec, stop_flag};
use crate::build::VERSION;
use crate::cli::{self, NodeInvocation};
use crate::interrupts::Interrupts;
use crate::profile::{self, INTERRUPTED};
use crate::{logging, views};

pub(crate) fn node(
    asked: &NodeInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    logging::start(LogLevel::Info);
    let access = NatsAccess::read(&asked.url, &environment.variables)?;
    let bus = Arc::new(NatsBus::connect(&access, "aiperf node")?);
    let stop = stop_flag(interrupts, "Leaving the pool.");
    let settings = NodeSettings {
        pool: asked.pool.clone(),
        spool: asked.spool.clone().unwrap_or_else(|| std::env::temp_dir().join("aiperf-node")),
        spool_limit: asked.spool_limit,
        patience: asked.patience,
    };
    let mut card = NodeCard::of_this_process(new_id(), NatsBus::own_address(&access), VERSION);
    loop {
        let agent = NodeAgent::join(bus.clone(), settings.clone(), card.clone())?;
        eprintln!("Node {} waits for a run in pool {} at {}", card.id, settings.pool, asked.url);
        let assignment = match agent.wait_for_run(&|| stop.load(Ordering::Relaxed)) {
            Err(ClusterError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
            other => other?,
        };
        let code = take_part(&agent, &assignment, environment, interrupts)?;
        if !asked.stay || interrupts.wait(Duration::ZERO) {
            return Ok(code);
        }
        // An assignment is for one process and one run.
        card.id = new_id();
        stop_flag(interrupts, "Leaving the pool.");
    }
}

fn take_part(
    agent: &NodeAgent,
    assignment: &Assignment,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let Assignment { spec, index, share, count, after } = assignment;
    let rest = if after.is_some() { "the rest of " } else { "" };
    eprintln!("Run {}: this is node-{index}, which sends {rest}share {share} of {count}", spec.run);
    let above = agent.spool().join(&spec.run).join(format!("process-{}", agent.id()));
    let folder = above.join(format!("node-{share}"));
    fs::create_dir_all(&folder)?;
    let records = ArtifactPaths::new(&folder, None).records();
    let member = Arc::new(Member::begin(agent, assignment, folder.clone(), records)?);
    let sent = send(agent, assignment, &member, (&above, &folder), environment, interrupts);
    let member = Arc::into_inner(member).ok_or_else(|| anyhow::anyhow!("a thread still uses the member"))?;
    let (failure, code) = match &sent {
        Ok(result) => (result.report.ending.incomplete_reason().map(ToOwned::to_owned), profile::exit_code(result)),
        Err(error) => (Some(crate::sentence(error)), ExitCode::FAILURE),
    };
    if let Err(error) = &sent {
        let reason = crate::sentence(error);
        eprintln!("error: {reason}");
        member.fail(&reason);
        return Ok(code);
    }
    if let Err(error) = member.finish(failure) {
        anyhow::bail!(
            "{error}. The results of this node are in {}; `aiperf merge` can merge them with those of the others",
            folder.display()
        );
    }
    eprintln!("Run {}: all results of node-{index} are in the stream", spec.run);
    let _ = fs::remove_dir_all(&above);
    Ok(code)
}

fn send(
    agent: &NodeAgent,
    assignment: &Assignment,
    member: &Arc<Member>,
    (above, folder): (&Path, &Path),
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<RunResult> {
    let places = agent.fetch_files(assignment)?;
    let secrets = agent.secrets(assignment)?;
    let results: PathBuf = if assignment.count > 1 { above.to_owned() } else { folder.to_owned() };
    let raw = spec::options_of(assignment, &secrets, &places, &results)?;
    let mut here = environment.clone();
    here.variables.extend(assignment.spec.variables.clone());
    here.variables.extend(secrets.variables);
    let experiment = cli::experiment(&raw, &here)?;
    let config = experiment.cells.into_iter().next().map(|cell| cell.config);
    let config = config.ok_or_else(|| anyhow::anyhow!("there is nothing to run"))?;
    let names: Vec<String> = config.phases.iter().map(|phase| phase.name.to_string()).collect();
    let live = LiveRun::new(views::facts(&config, None));
    let mut ready = prepare(config, &here, &live)?;
    if assignment.spec.on_node_loss == NodeLossPolicy::Replace && !ready.run.has_one_turn_each() {
        anyhow::bail!(
            "--on-node-loss replace needs data with one turn for each session: a conversation cannot go on at another node; use `continue`"
        );
    }
    if let Some(done) = &assignment.after {
        ready.run.go_on_after(done.clone());
    }
    ready.run.start_with(Box::new(Barrier { member: Arc::clone(member), anchor: None, phase: 0 }));
    ready.execute_watched(interrupts, None, |control, monitor| watch(member, control, monitor, names))
}

fn prepare(config: Config, environment: &Environment, live: &Arc<LiveRun>) -> anyhow::Result<profile::PreparedRun> {
    profile::prepare(config, environment, live)
}

/// Connects the run with its coordinator.
fn watch(member: &Arc<Member>, control: Control, monitor: &Arc<Monitor>, phases: Vec<String>) {
    member.stop_by(move |kind| match kind {
        StopKind::Cut => control.stop(StopReason::Coordinator),
        StopKind::Drain => control.enough("the node was told to finish the requests under way"),
    });
    let (counted, seen, anchor) = (Arc::clone(monitor), Arc::clone(monitor), WallAnchor::take());
    member.count_by(move || {
        let progress = &counted.progress;
        let phase = progress.phase_index().and_then(|(index, _)| phases.get(index)).cloned().unwrap_or_default();
        Counters {
            phase,
            sent: progress.sent(),
            returned: progress.returned(),
            failed: progress.phase().map_or(0, |kind| counted.failed_in(kind)),
            expected: progress.expected(),
            recorded: counted.recorded(),
            sent_before: progress.sent_before(),
            phases_left: progress.phase_index().map_or(0, |(index, _)| phases.len() - index - 1) as u64,
            at_ns: anchor.epoch(Mono::now()).0,
        }
    });
    member.sketch_by(move || {
        let [latency, first_token] = seen.distributions();
        [(super::view::LATENCY, latency), (super::view::FIRST_TOKEN, first_token)]
            .into_iter()
            .map(|(name, times)| (name.to_owned(), times.buckets()))
            .filter(|(_, buckets)| !buckets.is_empty())
            .collect()
    });
}

/// The common start of all nodes.
#[derive(Debug)]
struct Barrier {
    member: Arc<Member>,
    /// The wall clock of the records.
    anchor: Option<WallAnchor>,
    /// The phase that began last.
    phase: u64,
}

impl StartBarrier for Barrier {
    fn wait(&mut self, anchor: WallAnchor, stopped: &dyn Fn() -> bool) -> Option<Mono> {
        self.anchor = Some(anchor);
        self.member.wait_for_start(anchor, stopped)
    }

    fn wait_for_phase(&mut self, stopped: &dyn Fn() -> bool) -> Option<Mono> {
        self.phase += 1;
        self.member.wait_for_phase(self.phase, self.anchor?, stopped)
    }
}
