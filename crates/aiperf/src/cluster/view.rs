//! The progress of a run on several nodes: counters of all of them, and latencies from their added-up distributions, exact to
//! 1.6 %.

use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::{Mono, Nanos};
use aiperf_cluster::RunView;
use aiperf_engine::ReadDelays;

use crate::progress::{LatencyRange, ProgressLine, ProgressNow, ProgressStyle, Snapshot, Work};

/// Names of the distributions that nodes send.
pub(super) const LATENCY: &str = "request_latency";
pub(super) const FIRST_TOKEN: &str = "time_to_first_token";

/// What the progress line reads.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    now: Arc<Mutex<Activity>>,
}

#[derive(Debug)]
struct Activity {
    since: Mono,
    what: Showing,
}

#[derive(Debug)]
enum Showing {
    Work(&'static str, String),
    Run(RunView),
}

impl Shown {
    pub(super) fn start(style: ProgressStyle) -> (Self, ProgressLine) {
        let what = Showing::Work("Waiting for nodes", String::new());
        let shown = Self { now: Arc::new(Mutex::new(Activity { since: Mono::now(), what })) };
        let own = shown.clone();
        (shown, ProgressLine::start(style, move || Some(own.progress())))
    }

    pub(super) fn work(&self, title: &'static str, text: String) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(&now.what, Showing::Work(earlier, _) if *earlier == title) {
            now.since = Mono::now();
        }
        now.what = Showing::Work(title, text);
    }

    pub(super) fn run(&self, view: &RunView) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(now.what, Showing::Work(..)) {
            now.since = Mono::now();
        }
        now.what = Showing::Run(view.clone());
    }

    fn progress(&self) -> ProgressNow {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = Mono::now().since(now.since);
        match &now.what {
            Showing::Work(title, text) => {
                ProgressNow::Work(Work { title: (*title).to_owned(), text: text.clone(), elapsed })
            }
            Showing::Run(view) => ProgressNow::Requests(snapshot(view, elapsed)),
        }
    }
}

fn snapshot(view: &RunView, elapsed: Nanos) -> Snapshot {
    let total = view.total();
    let activity = if total.phase.is_empty() { "Waiting for the start".to_owned() } else { total.phase.clone() };
    Snapshot {
        activity,
        done: total.returned,
        in_flight: total.sent.saturating_sub(total.returned),
        failed: total.failed,
        expected: total.expected,
        elapsed,
        first_token: range(view, FIRST_TOKEN),
        latency: range(view, LATENCY),
        note: Some(note(view)),
        signs_of_life: total.returned,
        ..Snapshot::default()
    }
}

/// The nodes in a few words.
pub(super) fn note(view: &RunView) -> String {
    let lost = view.nodes.iter().filter(|node| node.is_lost).count();
    let bound = view.nodes.iter().filter_map(|node| node.clock).map(|clock| clock.bound_ns).max();
    let clock = bound.map_or_else(String::new, |bound| format!(", clocks within {:.2} ms", bound as f64 / 1e6));
    let lost = if lost > 0 { format!(", {lost} lost") } else { String::new() };
    format!("{} nodes{lost}{clock}", view.nodes.len())
}

fn range(view: &RunView, name: &str) -> Option<LatencyRange> {
    let times = ReadDelays::of_buckets(view.sketch(name));
    if times.count() == 0 {
        return None;
    }
    Some(LatencyRange { p50: times.quantile(0.5)?, p99: times.quantile(0.99)? })
}
