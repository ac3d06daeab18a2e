//! A run whose load a controller changes: users, a rate, users, the end.

use std::sync::Mutex;
use std::time::Duration;

use aiperf_config::{Arrival, LoadLevel, StopConditions};
use aiperf_engine::LoadInForce;
use aiperf_protocol::RequestOutcome;
use serde_json::json;

use super::*;
use crate::{LiveSample, LoadDecision, LoadReport, LoadView};

const PLAN: [(LoadLevel, usize); 3] = [
    (LoadLevel::Users(2), 6),
    (LoadLevel::Rate { per_second: 200.0, arrival: Arrival::Poisson, ceiling: None }, 30),
    (LoadLevel::Users(1), 3),
];

/// Goes on to the next load when enough requests of the present one have finished.
#[derive(Debug, Default)]
struct Stepper {
    seen: Arc<Mutex<Seen>>,
    step: usize,
}

#[derive(Debug, Default)]
struct Seen {
    samples: Vec<LiveSample>,
    loads: Vec<LoadInForce>,
    last: Option<(u64, u64, bool)>,
}

impl LoadController for Stepper {
    fn metrics(&self) -> Vec<Metric> {
        vec![Metric::TimeToFirstToken]
    }

    fn decide(&mut self, view: &LoadView<'_>) -> LoadDecision {
        let mut seen = self.seen.lock().unwrap();
        seen.samples.extend(view.samples.iter().cloned());
        if seen.loads.last() != Some(&view.load) {
            seen.loads.push(view.load);
        }
        seen.last = Some((view.sent, view.returned, view.is_last));
        let of_load = seen.samples.iter().filter(|sample| sample.due >= view.load.since).count();
        if view.load.changes != self.step as u64 || of_load < PLAN[self.step].1 || view.sending_ended.is_some() {
            return LoadDecision::Keep;
        }
        match PLAN.get(self.step + 1) {
            Some((level, _)) => {
                self.step += 1;
                LoadDecision::Set(*level)
            }
            None => LoadDecision::End("all loads were tried".to_owned()),
        }
    }

    fn report(self: Box<Self>) -> LoadReport {
        LoadReport { section: Some(("stepper", json!({"steps": self.step}))), ..LoadReport::default() }
    }
}

#[test]
fn a_controller_changes_the_load_of_a_phase_and_ends_it() {
    let dir = TempDir::new().unwrap();
    let mut run = prepared(&dir);
    run.phases[0].pace = Pace::Controlled(PLAN[0].0);
    // Far longer than it takes.
    run.phases[0].stop = StopConditions { duration: Some(Duration::from_secs(300)), ..StopConditions::default() };
    let stepper = Stepper::default();
    let seen = Arc::clone(&stepper.seen);
    run.control_load(0, Box::new(stepper));
    let result = run.execute("0.0.0", &ControlSource::new(), &Arc::new(Monitor::default())).unwrap();
    assert!(result.refused.is_empty());
    let seen = seen.lock().unwrap();
    assert_eq!(seen.loads.iter().map(|load| load.level).collect::<Vec<_>>(), PLAN.map(|(level, _)| level));
    assert!(seen.loads.is_sorted_by_key(|load| load.since));
    let all = seen.samples.len() as u64;
    assert_eq!(seen.last, Some((all, all, true)), "every request was seen once, and the last call knows it");
    assert!(seen.samples.iter().all(|sample| sample.outcome == RequestOutcome::Success));
    assert!(seen.samples.iter().all(|sample| sample.values[0].is_some_and(|ttft| ttft > 90e6)));
    let of = |load: usize| {
        let until = seen.loads.get(load + 1).map_or(Mono::from_nanos(u64::MAX), |next| next.since);
        let since = seen.loads[load].since;
        seen.samples.iter().filter(move |sample| (since..until).contains(&sample.due)).count()
    };
    assert!(of(0) >= 6 && of(1) >= 30 && of(2) >= 3, "{} {} {}", of(0), of(1), of(2));
}
