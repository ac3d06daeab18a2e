//! `aiperf node`: sends a share of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_cluster::{
    Assignment, Bus, ClusterError, Counters, JournalNote, JournalPhase, Member, NatsAccess, NatsBus, NodeAgent,
    NodeCard, NodeSettings, Remains, Shipped, StopKind,
};
use aiperf_config::{Config, Environment, LogLevel, NodeLossPolicy};
use aiperf_engine::Control;
use aiperf_experiment::{Monitor, RunResult, StartBarrier};
use aiperf_live::LiveRun;
use aiperf_protocol::StopReason;
use aiperf_report::ArtifactPaths;

use super::kept_count::{CountedRequests, KeptCount};
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
    let bus: Arc<dyn Bus> = bus;
    recover(&settings.spool, &bus);
    let mut card = NodeCard::of_this_process(new_id(), NatsBus::own_address(&access), VERSION);
    loop {
        let agent = NodeAgent::join(Arc::clone(&bus), settings.clone(), card.clone())?;
        eprintln!("Node {} waits for a run in pool {} at {}", card.id, settings.pool, asked.url);
        let assignment = match agent.wait_for_run(&|| stop.load(Ordering::Relaxed)) {
            Err(ClusterError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
            other => other?,
        };
        let code = take_part(&agent, &assignment, asked, environment, interrupts)?;
        if !asked.stay || interrupts.wait(Duration::ZERO) {
            return Ok(code);
        }
        // An assignment is for one process and one run.
        card.id = new_id();
        stop_flag(interrupts, "Leaving the pool.");
    }
}

/// Sends what processes that were killed have left in the spool, for runs that are not over.
fn recover(spool: &Path, bus: &Arc<dyn Bus>) {
    for remains in Remains::find(spool) {
        let (run, folder) = (remains.run(), remains.folder().display());
        match remains.ship(bus) {
            Ok(Shipped::Yes) => log::warn!("An earlier node of run {run} was killed; the stream has its records now"),
            Ok(Shipped::RunIsGone) => log::warn!(
                "An earlier node of run {run} was killed, and the run is over. Its records stay in {folder}; delete them, or merge them \
                 with `aiperf merge`"
            ),
            Err(error) => log::warn!("The records in {folder} of an earlier node could not be sent: {error}"),
        }
    }
}

fn take_part(
    agent: &NodeAgent,
    assignment: &Assignment,
    asked: &NodeInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let Assignment { spec, index, share, count, after } = assignment;
    let rest = if after.is_some() { "the rest of " } else { "" };
    eprintln!("Run {}: this is node-{index}, which sends {rest}share {share} of {count}", spec.run);
    let above = agent.spool().join(&spec.run).join(format!("process-{}", agent.id()));
    let folder = above.join(format!("node-{share}"));
    fs::create_dir_all(&folder)?;
    let note = JournalNote {
        run: spec.run.clone(),
        node: agent.id().to_owned(),
        index: *index,
        url: asked.url.clone(),
        patience_s: asked.patience.as_secs(),
        records: ArtifactPaths::new(&folder, None).records(),
        folder: folder.clone(),
        phases: Vec::new(),
    };
    let member = Arc::new(Member::begin(agent, assignment, folder.clone(), note.records.clone())?);
    let mut kept = None;
    let sent = send(agent, assignment, &member, (&above, note), environment, interrupts, &mut kept);
    let member = Arc::into_inner(member).ok_or_else(|| anyhow::anyhow!("a thread still uses the member"))?;
    let (failure, code) = match &sent {
        Ok(result) => (result.report.ending.incomplete_reason().map(ToOwned::to_owned), profile::exit_code(result)),
        Err(error) => (Some(crate::sentence(error)), ExitCode::FAILURE),
    };
    if let Err(error) = &sent {
        let reason = crate::sentence(error);
        eprintln!("error: {reason}");
        member.fail(&reason);
        kept.into_iter().for_each(KeptCount::end);
        return Ok(code);
    }
    if let Err(error) = member.finish(failure) {
        // The journal stays: a node that is started again with this spool sends what is left.
        kept.into_iter().for_each(KeptCount::leave);
        anyhow::bail!(
            "{error}. The results of this node are in {}; `aiperf merge` can merge them with those of the others",
            folder.display()
        );
    }
    kept.into_iter().for_each(KeptCount::end);
    eprintln!("Run {}: all results of node-{index} are in the stream", spec.run);
    let _ = fs::remove_dir_all(&above);
    Ok(code)
}

fn send(
    agent: &NodeAgent,
    assignment: &Assignment,
    member: &Arc<Member>,
    (above, mut note): (&Path, JournalNote),
    environment: &Environment,
    interrupts: &Interrupts,
    kept: &mut Option<KeptCount>,
) -> anyhow::Result<RunResult> {
    let places = agent.fetch_files(assignment)?;
    let secrets = agent.secrets(assignment)?;
    let results: PathBuf = if assignment.count > 1 { above.to_owned() } else { note.folder.clone() };
    let raw = spec::options_of(assignment, &secrets, &places, &results)?;
    let mut here = environment.clone();
    here.variables.extend(assignment.spec.variables.clone());
    here.variables.extend(secrets.variables);
    let experiment = cli::experiment(&raw, &here)?;
    let config = experiment.cells.into_iter().next().map(|cell| cell.config);
    let config = config.ok_or_else(|| anyhow::anyhow!("there is nothing to run"))?;
    let live = LiveRun::new(views::facts(&config, None));
    let mut ready = prepare(config, &here, &live)?;
    let may_be_replaced = assignment.spec.on_node_loss == NodeLossPolicy::Replace;
    if may_be_replaced && !ready.run.has_one_turn_each() {
        anyhow::bail!(
            "--on-node-loss replace needs data with one turn for each session: a conversation cannot go on at another node; use `continue`"
        );
    }
    if let Some(done) = &assignment.after {
        ready.run.go_on_after(done.clone());
    }
    ready.run.start_with(Box::new(Barrier { member: Arc::clone(member), anchor: None, phase: 0 }));
    let phase = |(name, expected): (String, Option<u64>)| JournalPhase { name, expected };
    note.phases = ready.run.phase_sizes().into_iter().map(phase).collect();
    let KeptCount { journal, .. } = kept.insert(KeptCount::begin(above, &note)?);
    member.keep_in(Arc::clone(journal));
    let counted = CountedRequests { journal: Arc::clone(journal), keeps_order: may_be_replaced };
    ready.execute_watched(interrupts, None, |control, monitor| watch(member, control, monitor, counted))
}

fn prepare(config: Config, environment: &Environment, live: &Arc<LiveRun>) -> anyhow::Result<profile::PreparedRun> {
    profile::prepare(config, environment, live)
}

/// Connects the run with its coordinator.
fn watch(member: &Arc<Member>, control: Control, monitor: &Arc<Monitor>, requests: CountedRequests) {
    member.stop_by(move |kind| match kind {
        StopKind::Cut => control.stop(StopReason::Coordinator),
        StopKind::Drain => control.enough("the node was told to finish the requests under way"),
    });
    let (counted, seen, anchor) = (Arc::clone(monitor), Arc::clone(monitor), WallAnchor::take());
    let journal = Arc::clone(&requests.journal);
    monitor.progress.keep_in(Arc::new(requests));
    member.count_by(move || {
        let progress = &counted.progress;
        let mut before = journal.sent();
        let count = before.len();
        // Until the first phase begins there is none.
        let index = progress.phase_index().map(|(index, _)| index).filter(|index| *index < count);
        let current = index.and_then(|index| before.drain(index..).next()).unwrap_or_default();
        Counters {
            phase: current.phase,
            sent: current.sent,
            returned: progress.returned(),
            failed: progress.phase().map_or(0, |kind| counted.failed_in(kind)),
            expected: progress.expected(),
            recorded: counted.recorded(),
            before: if index.is_some() { before } else { Vec::new() },
            phases_left: index.map_or(0, |index| count.saturating_sub(index + 1)) as u64,
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
