//! Runs against the simulator: one whose wall clock is set while it goes on, and one whose load is.

use std::sync::atomic::{AtomicI64, Ordering};

use aiperf_clock::{Mono, OffsetWatch, WallOffset};
use aiperf_config::{Environment, Pace};
use aiperf_engine::ControlSource;
use aiperf_hub::{Hub, HubEnvironment};
use aiperf_metrics::{ValidityCode, ValidityNote};
use aiperf_options::{RawOptions, catalogue};
use aiperf_socket::Stamping;
use tempfile::TempDir;

use super::*;
use crate::watch::monitor::Monitor;

mod load_control;

fn prepared(dir: &TempDir) -> Run {
    let mut raw = RawOptions::default();
    let words = [
        "--model=m",
        "--url=sim:?ttft=100&itl=1",
        "--streaming=true",
        "--isl=16",
        "--osl=4",
        "--concurrency=2",
        "--request-count=20",
        "--ui=none",
    ];
    for word in words {
        let (name, value) = word.split_once('=').unwrap();
        let spec = catalogue::options().find(|spec| spec.long.iter().any(|long| name == format!("--{long}"))).unwrap();
        raw.push(spec.id, name, vec![value.to_owned()]);
    }
    let environment = Environment { current_dir: dir.path().to_owned(), ..Environment::default() };
    let config = raw.resolve(&environment).unwrap();
    let live = aiperf_live::LiveRun::new(aiperf_live::RunFacts::default());
    Run::prepare(config, "0.0.0", &Hub::new(HubEnvironment::from_variables(|_| None)), &live).unwrap()
}

fn codes(run: Run) -> Vec<ValidityCode> {
    let result = run.execute("0.0.0", &ControlSource::new(), &Arc::new(Monitor::default())).unwrap();
    result.report.validity().iter().map(ValidityNote::code).collect()
}

/// Each measurement finds the clock a second further on.
fn set_again_and_again() -> WallOffset {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    let step = 1_000_000_000 * SECONDS.fetch_add(1, Ordering::Relaxed);
    let offset = WallOffset::measure();
    WallOffset { nanos: offset.nanos + step, ..offset }
}

#[test]
fn a_clock_that_is_set_while_requests_run_is_noted_and_latencies_stand() {
    let dir = TempDir::new().unwrap();
    let mut run = prepared(&dir);
    run.client.stamping = Stamping::start_with(OffsetWatch::measured_by(set_again_and_again));
    let result = run.execute("0.0.0", &ControlSource::new(), &Arc::new(Monitor::default())).unwrap();
    let notes = result.report.validity();
    let step = notes.iter().find(|note| note.code() == ValidityCode::ClockStep).unwrap();
    assert!((step.figure() - 1_000.0).abs() < 1.0, "{step:?}");
    let ttft = result.report.profiling.summary.get(aiperf_metrics::Metric::TimeToFirstToken).unwrap();
    assert!(ttft.min.unwrap() >= 99.0, "{ttft:?}: a stamp of the other clock was believed");
}

#[test]
fn a_clock_that_is_let_be_is_not_noted() {
    let dir = TempDir::new().unwrap();
    assert!(!codes(prepared(&dir)).contains(&ValidityCode::ClockStep));
}
