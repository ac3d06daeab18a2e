//! From the start to the end of a run: what nodes send goes to disk, and nodes that fall silent are noticed.

use std::fs;
use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;

use super::lost::RECORDS;
use super::{Coordinator, NodeInRun, RunView};
use crate::ClusterError;
use crate::chunk::{ChunkContent, ChunkHead};
use crate::clock_offset::segments;
use crate::message::{CoordinatorBeat, Heartbeat, KnownBy, NodeFacts, NodePhase, decode, encode};
use crate::names::{record_stream, run_bucket, run_key};

/// Messages that are read at once: the memory that records need here.
const BATCH: usize = 16;
/// How long one read waits.
const WAIT: Duration = Duration::from_millis(200);
/// Reads between two looks whether another coordinator has taken over.
const CHECKS_EVERY: u32 = 10;

/// Reads between two looks for nodes that can replace lost ones.
const REPLACE_EVERY: u32 = 3;

/// How a run with nodes ended.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub view: RunView,
    pub lost: Vec<LostNode>,
    /// Requests that were under way on lost nodes.
    pub lost_requests: u64,
    /// Why nodes that ended by themselves are not complete.
    pub failures: Vec<String>,
    /// The coordinator was told to stop.
    pub interrupted: bool,
}

/// A node that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostNode {
    pub title: String,
    /// How it is known what it had sent.
    pub known_by: KnownBy,
}

/// Sees a run go on.
pub trait RunObserver {
    fn view(&mut self, view: &RunView);

    /// Records of a node have arrived: the next bytes of its file of records.
    fn records(&mut self, _node: u64, _bytes: &[u8]) {}
}

impl<F: FnMut(&RunView)> RunObserver for F {
    fn view(&mut self, view: &RunView) {
        self(view);
    }
}

impl Coordinator {
    /// Collects until every node has ended or is lost. `stopped`: whether the user wants to end the run; `observer` sees it go on.
    pub fn collect(
        &mut self,
        stopped: &dyn Fn() -> bool,
        mut observer: impl RunObserver,
    ) -> Result<Collected, ClusterError> {
        let mut collected = Collected::default();
        let mut turn = 0_u32;
        loop {
            if stopped() && !collected.interrupted {
                collected.interrupted = true;
                self.order_stop("the coordinator was interrupted");
            }
            let read = match self.read_stream(&mut observer) {
                Ok(messages) => Some(messages),
                Err(error @ (ClusterError::Gap { .. } | ClusterError::File { .. } | ClusterError::Message { .. })) => {
                    return Err(error);
                }
                Err(error) => {
                    log::debug!("{error}");
                    thread::sleep(WAIT);
                    None
                }
            };
            self.hear();
            self.start_phase();
            if read.is_some() {
                self.postpone_ended(read < Some(BATCH));
                for index in self.newly_lost() {
                    self.lose(index);
                }
                if turn.is_multiple_of(REPLACE_EVERY) {
                    self.replace_lost();
                }
            }
            observer.view(&self.view());
            if read == Some(0) && self.bus.is_connected() && self.all_over() {
                self.replace_lost();
                if self.all_over() {
                    for index in &self.unreplaced {
                        log::error!("No node waits in pool {} that could replace node-{index}", self.settings.pool);
                    }
                    return self.conclude(collected);
                }
            }
            turn = turn.wrapping_add(1);
            if turn.is_multiple_of(CHECKS_EVERY) {
                self.check_charge()?;
            }
        }
    }

    /// Whether nothing more comes of any node.
    fn all_over(&self) -> bool {
        let is_over = |(index, node): (&u64, &NodeInRun)| {
            node.replica.end.is_some() || (node.view.is_lost && !self.roster.expects(*index))
        };
        self.nodes.iter().all(is_over)
    }

    pub(super) fn view(&self) -> RunView {
        RunView { nodes: self.nodes.values().map(|node| node.view.clone()).collect() }
    }

    /// Moves what the stream has to disk; returns how many messages it had.
    fn read_stream(&mut self, observer: &mut dyn RunObserver) -> Result<usize, ClusterError> {
        let messages = self.bus.read(&record_stream(&self.spec.run), self.read_up_to, BATCH, WAIT)?;
        for message in &messages {
            let (head, bytes) = ChunkHead::read(&message.payload)?;
            let index = head.index;
            if !self.nodes.contains_key(&index) {
                self.read_members()?;
            }
            let node = self.node(index);
            node.replica.note_clock(head.clock);
            node.replica.counters = head.counters;
            match head.content {
                ChunkContent::Piece { file, offset, .. } => {
                    let is_reported = node.killed.is_some() && node.replica.end.is_none();
                    let new = node.replica.append(&file, offset, &bytes)?;
                    if is_reported {
                        self.roster.see(index, Mono::now());
                    }
                    if file == RECORDS {
                        observer.records(index, new);
                    }
                }
                ChunkContent::Killed(killed) => self.note_killed(index, killed),
                // Of two ends the first one counts: the node's own, or that of its reporter.
                ChunkContent::End(_) if node.replica.end.is_some() => {}
                ChunkContent::End(end) => {
                    if !end.is_killed {
                        node.view.counters = end.counters.clone();
                        node.view.has_ended = true;
                    }
                    node.replica.close(end)?;
                    self.roster.dismiss(index);
                }
            }
            self.read_up_to = message.sequence;
        }
        Ok(messages.len())
    }

    /// Takes in all signs of life that have arrived.
    pub(super) fn hear(&mut self) {
        let now = Mono::now();
        if !self.bus.is_connected() {
            self.roster.excuse_all(now);
        }
        while let Some(message) = self.heartbeats.next(Duration::ZERO) {
            let Ok(beat) = decode::<Heartbeat>("a heartbeat", &message) else { continue };
            let Some(node) = self.nodes.get_mut(&beat.index) else { continue };
            if node.replica.end.is_some() || node.view.is_lost {
                continue;
            }
            self.roster.see(beat.index, now);
            node.replica.note_clock(beat.clock);
            node.view.clock = beat.clock.or(node.view.clock);
            node.view.counters = beat.counters;
            node.view.waits_for = beat.waits_for;
            node.view.cpu_percent = beat.cpu_percent;
            node.view.unshipped = beat.unshipped;
            node.view.sketches = beat.sketches;
        }
    }

    /// A node that has ended is silent, and its end may be among what is still to be read: such a node is not lost.
    fn postpone_ended(&mut self, has_read_all: bool) {
        let now = Mono::now();
        if has_read_all || self.roster.silent(now).is_empty() {
            return;
        }
        // Without an answer nothing is known, so that nobody is lost.
        let known = self.read_members().is_ok();
        for index in self.roster.silent(now) {
            let member = self.nodes.get(&index).and_then(|node| node.member.as_ref());
            let has_ended =
                member.is_some_and(|member| matches!(member.phase, NodePhase::Finished | NodePhase::Failed(_)));
            if !known || has_ended {
                self.roster.see(index, now);
            }
        }
    }

    /// Another coordinator may have been told to take over while this one was cut off.
    fn check_charge(&self) -> Result<(), ClusterError> {
        let Ok(Some(owner)) = self.bus.get(&run_bucket(&self.spec.run), run_key::COORDINATOR) else { return Ok(()) };
        let CoordinatorBeat { coordinator } = decode(run_key::COORDINATOR, &owner)?;
        if coordinator == self.id { Ok(()) } else { Err(ClusterError::TakenOver { run: self.spec.run.clone() }) }
    }

    /// Writes what the merge has to know about each node.
    fn conclude(&mut self, mut collected: Collected) -> Result<Collected, ClusterError> {
        for node in self.nodes.values() {
            let folder = node.replica.folder();
            fs::create_dir_all(folder).map_err(ClusterError::file(folder))?;
            let card = node.member.as_ref().map(|member| &member.card);
            let mut state = "finished";
            let own_end = node.replica.end.as_ref().filter(|end| !end.is_killed);
            if let Some(failure) = own_end.and_then(|end| end.failure.as_ref()) {
                state = "stopped";
                collected.failures.push(format!("{}: {failure}", node.view.title()));
            }
            let (mut lost_requests, mut loss) = (0, None);
            if node.is_lost_at_last() {
                state = "lost";
                lost_requests = super::lost::write_lost_requests(node)?;
                let facts = node.loss_facts();
                collected.lost.push(LostNode { title: node.view.title(), known_by: facts.known_by });
                loss = Some(facts);
            }
            collected.lost_requests += lost_requests;
            let facts = NodeFacts {
                index: node.view.index,
                count: self.spec.nodes,
                host: card.map_or_else(|| node.view.host.clone(), |card| card.host.clone()),
                address: card.and_then(|card| card.address.clone()),
                state: state.to_owned(),
                clock: segments(&node.replica.clock, node.replica.counters.at_ns.max(node.view.counters.at_ns)),
                lost_requests,
                loss,
                replaced_by: node.replacement.as_ref().map(|replacement| replacement.slot),
            };
            let path = folder.join(NodeFacts::FILE);
            fs::write(&path, encode(&facts)).map_err(ClusterError::file(&path))?;
        }
        collected.view = self.view();
        Ok(collected)
    }
}
