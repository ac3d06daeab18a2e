//! The part of the coordinator: finds nodes, hands out shares, sets the common start, collects what the nodes send, and notices
//! nodes that are lost. It holds a few numbers for each node; records go from the stream to the disk.

mod collect;
mod gather;
mod loss;
mod lost;
mod replace;
mod replica;
mod roster;
mod shared_file;
mod start;
mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::SentShare;

pub use collect::{Collected, LostNode, RunObserver};
pub(crate) use shared_file::hash_of;
pub use shared_file::share;
pub use view::{NodeView, RunView};

use self::replica::Replica;
use self::roster::Roster;
use crate::ClusterError;
use crate::bus::{Bus, Subscription};
use crate::message::{
    ClockAnswer, CoordinatorBeat, KilledNode, MemberEntry, ReplacementEntry, RunSecrets, RunSpec, StartOrder,
    StopOrder, decode, encode,
};
use crate::names::{self, record_stream, record_subjects, run_bucket, run_key};

/// Time between two signs of life of the coordinator.
const BEAT: Duration = Duration::from_millis(500);

/// How a coordinator waits.
#[derive(Debug, Clone)]
pub struct CoordinatorSettings {
    pub pool: String,
    /// How long to wait for enough nodes.
    pub join_timeout: Duration,
    /// A node that is silent for so long is lost.
    pub node_timeout: Duration,
    /// Folder for one folder of each node.
    pub dir: PathBuf,
}

/// A run with nodes, from the side of the coordinator.
#[derive(Debug)]
pub struct Coordinator {
    bus: Arc<dyn Bus>,
    spec: RunSpec,
    settings: CoordinatorSettings,
    id: String,
    anchor: WallAnchor,
    nodes: BTreeMap<u64, NodeInRun>,
    roster: Roster,
    heartbeats: Box<dyn Subscription>,
    /// Messages of the stream up to this one are in the replicas.
    read_up_to: u64,
    /// Lost nodes that no other node has replaced yet.
    unreplaced: Vec<u64>,
    started: Option<StartOrder>,
    /// Nodes were told to start the phases up to this one.
    phases_started: u64,
    /// It has taken the run over, so that its clock is not the one that nodes know.
    is_attached: bool,
    stop_reason: Option<String>,
    alive: Arc<AtomicBool>,
    beat: Option<JoinHandle<()>>,
}

/// A node of the run.
#[derive(Debug)]
struct NodeInRun {
    /// The share that it sends.
    share: u64,
    /// What other nodes have sent of the share before this one took over.
    began_after: Option<SentShare>,
    /// Who sends the rest of its share, if it is lost.
    replacement: Option<ReplacementEntry>,
    /// What it had sent, if its process was killed and its journal was found.
    killed: Option<KilledNode>,
    member: Option<MemberEntry>,
    replica: Replica,
    view: NodeView,
}

impl Coordinator {
    /// Announces a run. `secrets` are what nodes ask for and what is not stored.
    pub fn announce(
        bus: Arc<dyn Bus>,
        spec: RunSpec,
        secrets: &RunSecrets,
        settings: CoordinatorSettings,
        id: String,
    ) -> Result<Self, ClusterError> {
        for name in [&spec.run, &settings.pool] {
            if !names::is_plain(name) {
                return Err(ClusterError::Name { text: name.clone() });
            }
        }
        let bucket = run_bucket(&spec.run);
        if bus.has_bucket(&bucket)? {
            return Err(ClusterError::RunExists { run: spec.run });
        }
        bus.make_bucket(&bucket, None)?;
        bus.make_stream(&record_stream(&spec.run), &record_subjects(&spec.run))?;
        bus.put(&bucket, run_key::SPEC, encode(&spec))?;
        let anchor = WallAnchor::take();
        bus.serve(
            &names::clock(&spec.run),
            Box::new(move |_| {
                let received_ns = anchor.epoch(Mono::now()).0;
                encode(&ClockAnswer { received_ns, sent_ns: anchor.epoch(Mono::now()).0 })
            }),
        )?;
        if !spec.secrets.is_empty() {
            let answer = encode(secrets);
            bus.serve(&names::secrets(&spec.run), Box::new(move |_| answer.clone()))?;
        }
        Self::take_charge(bus, spec, settings, id, anchor)
    }

    /// Goes on with a run whose coordinator is lost. Its clock stays that of the lost one: nodes keep their last measurement, and the
    /// bound of their error grows.
    pub fn attach(
        bus: Arc<dyn Bus>,
        run: &str,
        settings: CoordinatorSettings,
        id: String,
    ) -> Result<Self, ClusterError> {
        let bucket = run_bucket(run);
        let unknown = || ClusterError::UnknownRun { run: run.to_owned() };
        if !names::is_plain(run) || !bus.has_bucket(&bucket)? {
            return Err(unknown());
        }
        let spec: RunSpec = decode(run_key::SPEC, &bus.get(&bucket, run_key::SPEC)?.ok_or_else(unknown)?)?;
        let mut beats = bus.subscribe(&names::coordinator(run))?;
        if beats.next(BEAT * 4).is_some() {
            return Err(ClusterError::CoordinatorAlive { run: run.to_owned() });
        }
        let start = bus.get(&bucket, run_key::START)?.and_then(|order| decode(run_key::START, &order).ok());
        let mut taken = Self::take_charge(bus, spec, settings, id, WallAnchor::take())?;
        if start.is_none() {
            taken.order_stop("its coordinator was lost before the start");
            return Err(ClusterError::NotStarted { run: run.to_owned() });
        }
        taken.started = start;
        taken.is_attached = true;
        taken.read_members()?;
        // Nodes that have not ended must be heard from now on, or they are lost.
        let now = Mono::now();
        for index in 0..taken.spec.nodes {
            taken.node(index);
        }
        for index in taken.nodes.keys().copied().collect::<Vec<_>>() {
            taken.roster.see(index, now);
        }
        Ok(taken)
    }

    fn take_charge(
        bus: Arc<dyn Bus>,
        spec: RunSpec,
        settings: CoordinatorSettings,
        id: String,
        anchor: WallAnchor,
    ) -> Result<Self, ClusterError> {
        let bucket = run_bucket(&spec.run);
        bus.put(&bucket, run_key::COORDINATOR, encode(&CoordinatorBeat { coordinator: id.clone() }))?;
        let heartbeats = bus.subscribe(&names::heartbeats(&spec.run))?;
        let alive = Arc::new(AtomicBool::new(true));
        let beat = {
            let (bus, alive, subject) = (Arc::clone(&bus), Arc::clone(&alive), names::coordinator(&spec.run));
            let message = encode(&CoordinatorBeat { coordinator: id.clone() });
            let beat = move || {
                while alive.load(Ordering::Relaxed) {
                    if bus.is_connected() {
                        let _ = bus.publish(&subject, message.clone());
                    }
                    thread::sleep(BEAT);
                }
            };
            let thread = thread::Builder::new().name("coordinator-beat".to_owned()).spawn(beat);
            thread.map_err(|cause| ClusterError::bus("start the thread coordinator-beat", cause))?
        };
        let roster = Roster::new(settings.node_timeout);
        Ok(Self {
            bus,
            spec,
            settings,
            id,
            anchor,
            nodes: BTreeMap::new(),
            roster,
            heartbeats,
            read_up_to: 0,
            unreplaced: Vec::new(),
            started: None,
            phases_started: 0,
            is_attached: false,
            stop_reason: None,
            alive,
            beat: Some(beat),
        })
    }

    pub fn run(&self) -> &str {
        &self.spec.run
    }

    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    fn refuse_if_stopped(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), ClusterError> {
        if stopped() {
            self.order_stop("the coordinator was interrupted");
            return Err(ClusterError::Interrupted);
        }
        Ok(())
    }

    /// Tells all nodes to stop sending. What they have measured still comes.
    pub fn order_stop(&mut self, reason: &str) {
        if self.stop_reason.is_some() {
            return;
        }
        let order = StopOrder { reason: reason.to_owned() };
        match self.bus.put(&run_bucket(&self.spec.run), run_key::STOP, encode(&order)) {
            Ok(()) => self.stop_reason = Some(reason.to_owned()),
            Err(error) => log::warn!("The nodes could not be told to stop: {error}"),
        }
    }

    /// Reads what the bucket says about the members.
    fn read_members(&mut self) -> Result<(), ClusterError> {
        let bucket = run_bucket(&self.spec.run);
        for index in 0.. {
            let key = run_key::member(index);
            let Some(entry) = self.bus.get(&bucket, &key)? else {
                // Nodes that replace others have the numbers after those of the run.
                if index < self.spec.nodes {
                    continue;
                }
                break;
            };
            let entry: MemberEntry = decode(&key, &entry)?;
            let node = self.node(index);
            node.view.know(&entry.card);
            node.member = Some(entry);
        }
        Ok(())
    }

    fn node(&mut self, index: u64) -> &mut NodeInRun {
        let folder = self.settings.dir.join(format!("node-{index}"));
        self.nodes.entry(index).or_insert_with(|| NodeInRun {
            share: index,
            began_after: None,
            replacement: None,
            killed: None,
            member: None,
            replica: Replica::new(folder),
            view: NodeView::new(index),
        })
    }

    /// Forgets the run on the bus. Its results are in the folder.
    pub fn forget(&self) {
        for result in [
            self.bus.delete_stream(&record_stream(&self.spec.run)),
            self.bus.delete_bucket(&run_bucket(&self.spec.run)),
        ] {
            if let Err(error) = result {
                log::warn!("{error}");
            }
        }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::Relaxed);
        if let Some(beat) = self.beat.take() {
            let _ = beat.join();
        }
    }
}
