//! What the live page and the dashboard show of a run on several nodes: every record that arrives is counted as if this process had made
//! it, so that the numbers are those of the whole run with the error of one process; counters and health come from heartbeats.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_artifact::observed;
use aiperf_clock::Mono;
use aiperf_cluster::{NodeView, RunObserver, RunView};
use aiperf_live::{GaugeReading, LiveRun, NodeHealth, NodeState, PhasePlan, RunGauges, RunPlan};
use aiperf_metrics::RecordValues;

use super::view::{Shown, note};

/// Gives a run to its views.
#[derive(Debug)]
pub(super) struct LiveFeed<'a> {
    live: &'a LiveRun,
    shown: &'a Shown,
    gauges: Arc<NodeGauges>,
    /// The beginning of the line that each node's last bytes ended in.
    rests: BTreeMap<u64, Vec<u8>>,
}

impl<'a> LiveFeed<'a> {
    /// The run begins.
    pub(super) fn begin(live: &'a LiveRun, shown: &'a Shown, run: &str, phases: Vec<PhasePlan>) -> Self {
        let names = phases.iter().map(|phase| phase.name.clone()).collect();
        let gauges = Arc::new(NodeGauges { phases: names, now: Mutex::default() });
        live.begin(RunPlan { benchmark_id: run.to_owned(), phases }, Arc::clone(&gauges) as Arc<dyn RunGauges>);
        Self { live, shown, gauges, rests: BTreeMap::new() }
    }
}

impl RunObserver for LiveFeed<'_> {
    fn view(&mut self, view: &RunView) {
        self.shown.run(view);
        if self.live.is_watched() {
            self.gauges.set(view);
        }
    }

    fn records(&mut self, node: u64, bytes: &[u8]) {
        if !self.live.is_watched() {
            return;
        }
        let rest = self.rests.entry(node).or_default();
        rest.extend_from_slice(bytes);
        let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else { return };
        for line in rest[..end].split(|byte| *byte == b'\n') {
            let Some((phase, mut observation)) = observed(line) else { continue };
            let values = RecordValues::compute(&observation);
            // Rates of the last seconds are those at which records arrive: clocks of nodes differ.
            observation.end = Mono::now();
            self.live.push(phase, &observation, &values);
        }
        rest.drain(..=end);
    }
}

/// The counters of all nodes, for the live model.
#[derive(Debug)]
struct NodeGauges {
    phases: Vec<String>,
    now: Mutex<NodesNow>,
}

#[derive(Debug, Default)]
struct NodesNow {
    view: RunView,
    /// The phase that began last, and when it was first seen.
    phase: Option<(usize, Mono)>,
}

impl NodeGauges {
    fn set(&self, view: &RunView) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let name = view.total().phase;
        let index = self.phases.iter().position(|phase| *phase == name);
        if let Some(index) = index.filter(|index| now.phase.is_none_or(|(known, _)| *index > known)) {
            now.phase = Some((index, Mono::now()));
        }
        now.view = view.clone();
    }
}

impl RunGauges for NodeGauges {
    fn read(&self) -> GaugeReading {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let total = now.view.total();
        GaugeReading {
            phase: now.phase,
            sent: total.sent,
            returned: total.returned,
            expected: total.expected,
            recorded: total.recorded,
            signs_of_life: total.returned,
            note: Some(note(&now.view)),
            nodes: now.view.nodes.iter().map(health).collect(),
            ..GaugeReading::default()
        }
    }
}

fn health(node: &NodeView) -> NodeHealth {
    NodeHealth {
        name: format!("node-{}", node.index),
        host: node.host.clone(),
        address: node.address.clone(),
        state: match (node.is_lost, node.has_ended) {
            (true, _) => NodeState::Lost,
            (_, true) => NodeState::Ended,
            _ => NodeState::Running,
        },
        phase: node.counters.phase.clone(),
        sent: node.counters.sent,
        returned: node.counters.returned,
        failed: node.counters.failed,
        cpu_percent: node.cpu_percent,
        clock_bound_ms: node.clock.map(|clock| clock.bound_ns as f64 / 1e6),
        unshipped_bytes: node.unshipped,
    }
}
