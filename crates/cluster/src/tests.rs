//! A coordinator and nodes in one process, on the bus in memory. Nodes write records as a run would.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{CoordinatorLossPolicy, NodeLossPolicy};

use crate::bus::memory::MemoryBus;
use crate::{
    Assignment, Bus, Collected, Coordinator, CoordinatorSettings, Counters, Journal, JournalNote, JournalPhase,
    KnownBy, Member, NodeAgent, NodeCard, NodeFacts, NodeSettings, Remains, RunSecrets, RunSpec, RunView, Shipped,
};

const RECORDS: &str = "profile_export.jsonl";

fn spec(nodes: u64) -> RunSpec {
    RunSpec {
        run: "r".into(),
        version: "1".into(),
        nodes,
        options: vec![("url".into(), vec!["http://server".into()])],
        variables: BTreeMap::new(),
        files: Vec::new(),
        secrets: vec!["api-key".into()],
        command: "aiperf profile".into(),
        input_config: serde_json::Value::Null,
        on_node_loss: NodeLossPolicy::Continue,
        on_coordinator_loss: CoordinatorLossPolicy::Finish,
    }
}

fn secrets() -> RunSecrets {
    RunSecrets { options: vec![("api-key".to_owned(), vec!["hush".to_owned()])], variables: BTreeMap::new() }
}

fn settings(dir: &Path) -> CoordinatorSettings {
    CoordinatorSettings {
        pool: "p".into(),
        join_timeout: Duration::from_secs(60),
        node_timeout: Duration::from_secs(2),
        dir: dir.to_owned(),
    }
}

fn joined(bus: &Arc<MemoryBus>, dir: &Path, id: &str) -> (NodeAgent, Assignment) {
    let card =
        NodeCard { id: id.into(), host: "h".into(), address: None, process: 1, processors: 1, version: "1".into() };
    let settings = NodeSettings {
        pool: "p".into(),
        spool: dir.join("spool"),
        spool_limit: 1 << 20,
        patience: Duration::from_secs(60),
    };
    let agent = NodeAgent::join(Arc::clone(bus) as Arc<dyn Bus>, settings, card).unwrap();
    let assignment = agent.wait_for_run(&|| false).unwrap();
    (agent, assignment)
}

/// A node that writes `records` lines; one that is lost stops without a word before the last one.
fn node(bus: &Arc<MemoryBus>, dir: &Path, id: &str, records: u64, is_lost: bool) {
    let (agent, assignment) = joined(bus, dir, id);
    assert_eq!(agent.secrets(&assignment).unwrap(), secrets());
    let folder = dir.join(id);
    fs::create_dir_all(&folder).unwrap();
    let member = Member::begin(&agent, &assignment, folder.clone(), folder.join(RECORDS)).unwrap();
    member.count_by(move || Counters { phase: "profiling".into(), sent: records, ..Counters::default() });
    assert!(member.wait_for_start(WallAnchor::take(), &|| false).is_some());
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join(RECORDS)).unwrap();
    for number in 0..records - u64::from(is_lost) {
        writeln!(file, "{}", record(id, number)).unwrap();
    }
    if is_lost {
        // What was written is in the stream before the node is gone.
        thread::sleep(Duration::from_millis(800));
        member.vanish();
        return;
    }
    fs::write(folder.join("summary.json"), "{}").unwrap();
    member.finish(None).unwrap();
}

fn record(id: &str, number: u64) -> String {
    format!(
        "{{\"metadata\":{{\"x_request_id\":\"{id}-{number}\",\"session_num\":{number},\"phase_name\":\"profiling\"}}}}"
    )
}

/// A node that is killed: it has sent `sent` requests, of which its last heartbeat knows `heard` and of which 2 have not left. Records of
/// the even ones are whole on its disk, and the stream has none of them. Returns the folder of the process.
fn killed_node(bus: &Arc<MemoryBus>, dir: &Path, id: &str, heard: u64, sent: u64) -> PathBuf {
    let (agent, assignment) = joined(bus, dir, id);
    let place = dir.join("spool").join("r").join(format!("process-{id}"));
    let folder = place.join("node");
    fs::create_dir_all(&folder).unwrap();
    let note = JournalNote {
        run: "r".into(),
        node: id.into(),
        index: assignment.index,
        url: "nats://h".into(),
        patience_s: 60,
        records: folder.join(RECORDS),
        folder: folder.clone(),
        phases: vec![JournalPhase { name: "profiling".into(), expected: Some(1000) }],
    };
    let journal = Arc::new(Journal::create(&place, &note).unwrap());
    let member = Member::begin(&agent, &assignment, folder.clone(), note.records.clone()).unwrap();
    member.keep_in(Arc::clone(&journal));
    member.count_by(move || Counters { phase: "profiling".into(), sent: heard, at_ns: 7, ..Counters::default() });
    assert!(member.wait_for_start(WallAnchor::take(), &|| false).is_some());
    thread::sleep(Duration::from_millis(600));
    member.vanish();
    (0..sent).for_each(|number| assert_eq!(journal.begin(0), number));
    (2..sent).for_each(|_| journal.settle(0));
    let whole: String = (0..sent).step_by(2).map(|number| record(id, number) + "\n").collect();
    fs::write(&note.records, whole + "{\"metadata\":{\"sess").unwrap();
    place
}

fn facts(dir: &Path, index: u64) -> NodeFacts {
    let text = fs::read_to_string(dir.join(format!("node-{index}")).join(NodeFacts::FILE)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn lines(dir: &Path, index: u64) -> Vec<String> {
    let text = fs::read_to_string(dir.join(format!("node-{index}")).join(RECORDS)).unwrap();
    text.lines().map(ToOwned::to_owned).collect()
}

fn coordinate(bus: &Arc<MemoryBus>, dir: &Path, nodes: u64) -> Collected {
    collect(bus, settings(dir), spec(nodes))
}

/// The same for nodes whose silence says nothing.
fn coordinate_patiently(bus: &Arc<MemoryBus>, dir: &Path, spec: RunSpec) -> Collected {
    collect(bus, CoordinatorSettings { node_timeout: Duration::from_secs(60), ..settings(dir) }, spec)
}

fn collect(bus: &Arc<MemoryBus>, settings: CoordinatorSettings, spec: RunSpec) -> Collected {
    let bus = Arc::clone(bus) as Arc<dyn Bus>;
    let mut coordinator = Coordinator::announce(bus, spec, &secrets(), settings, "c".into()).unwrap();
    coordinator.gather(&|| false, |_| {}).unwrap();
    coordinator.start(&|| false).unwrap();
    coordinator.collect(&|| false, |_: &RunView| {}).unwrap()
}

#[test]
fn records_of_all_nodes_arrive_once_and_secrets_are_not_stored() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let collected = thread::scope(|scope| {
        for id in ["a", "b"] {
            scope.spawn(|| node(&bus, dir.path(), id, 1000, false));
        }
        coordinate(&bus, dir.path(), 2)
    });
    assert!(collected.lost.is_empty() && collected.failures.is_empty(), "{collected:?}");
    let all: Vec<String> = (0..2).flat_map(|index| lines(dir.path(), index)).collect();
    assert_eq!((all.len(), all.iter().collect::<std::collections::HashSet<_>>().len()), (2000, 2000));
    let facts = facts(dir.path(), 1);
    assert_eq!((facts.index, facts.state.as_str()), (1, "finished"));
    // Both clocks are the same one.
    assert!(facts.clock.iter().all(|segment| segment.offset_ns.unsigned_abs() <= segment.bound_ns), "{facts:?}");
    assert!(!facts.clock.is_empty());
    assert!(!bus.holds(b"hush"));
}

#[test]
fn a_lost_node_has_a_record_for_each_request_that_was_under_way() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let collected = thread::scope(|scope| {
        scope.spawn(|| node(&bus, dir.path(), "a", 10, false));
        scope.spawn(|| node(&bus, dir.path(), "b", 10, true));
        coordinate(&bus, dir.path(), 2)
    });
    assert_eq!((collected.lost.len(), collected.lost_requests), (1, 1), "{collected:?}");
    assert_eq!(collected.lost[0].known_by, KnownBy::LastHeartbeat);
    let all: Vec<String> = (0..2).flat_map(|index| lines(dir.path(), index)).collect();
    assert_eq!((all.len(), all.iter().filter(|line| line.contains("lost_worker")).count()), (20, 1));
}

/// Numbers of the requests of a node whose record has this text.
fn numbers(dir: &Path, index: u64, text: &str) -> Vec<u64> {
    let number =
        |line: &String| serde_json::from_str::<serde_json::Value>(line).unwrap()["metadata"]["session_num"].as_u64();
    let mut found: Vec<u64> = lines(dir, index).iter().filter(|line| line.contains(text)).filter_map(number).collect();
    found.sort_unstable();
    found
}

#[test]
fn a_killed_node_whose_remains_are_reported_has_one_record_for_each_request() {
    // By a process that waited for its end, or by one that finds the folder later.
    for finds in [false, true] {
        let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
        let collected = thread::scope(|scope| {
            scope.spawn(|| node(&bus, dir.path(), "a", 10, false));
            scope.spawn(|| {
                let place = killed_node(&bus, dir.path(), "b", 3, 9);
                let remains = if finds {
                    Remains::find(&dir.path().join("spool")).pop()
                } else {
                    Remains::of_killed(&place).unwrap()
                };
                let bus = Arc::clone(&bus) as Arc<dyn Bus>;
                assert_eq!(remains.unwrap().ship(&bus).unwrap(), Shipped::Yes);
                // Once is enough.
                assert!(Remains::find(&dir.path().join("spool")).is_empty());
            });
            coordinate_patiently(&bus, dir.path(), spec(2))
        });
        assert_eq!((collected.lost.len(), collected.lost_requests), (1, 4), "{collected:?}");
        assert!(collected.failures.is_empty(), "{collected:?}");
        let index = (0..2).find(|index| facts(dir.path(), *index).state == "lost").unwrap();
        assert_eq!(numbers(dir.path(), index, "b-"), [0, 2, 4, 6, 8]);
        assert_eq!(numbers(dir.path(), index, "lost_worker"), [1, 3, 5, 7]);
        let loss = facts(dir.path(), index).loss.unwrap();
        assert_eq!((loss.known_by, loss.unsent_requests, loss.last_heard_ns), (KnownBy::Journal, 2, 7));
    }
}

#[test]
fn remains_of_a_run_that_is_over_stay_where_they_are() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let place = thread::scope(|scope| {
        let killed = scope.spawn(|| killed_node(&bus, dir.path(), "b", 3, 9));
        coordinate(&bus, dir.path(), 1);
        killed.join().unwrap()
    });
    bus.delete_bucket("aiperf-run-r").unwrap();
    let bus = Arc::clone(&bus) as Arc<dyn Bus>;
    assert_eq!(Remains::of_killed(&place).unwrap().unwrap().ship(&bus).unwrap(), Shipped::RunIsGone);
    assert!(place.join("node").join(RECORDS).exists());
    // The coordinator knew of these by the last heartbeat.
    assert_eq!(numbers(dir.path(), 0, "lost_worker"), [0, 1, 2]);
    assert_eq!(facts(dir.path(), 0).loss.unwrap().known_by, KnownBy::LastHeartbeat);
}

#[test]
fn a_replacement_begins_after_what_a_killed_node_had_sent() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let spec = RunSpec { on_node_loss: NodeLossPolicy::Replace, ..spec(1) };
    let (collected, after) = thread::scope(|scope| {
        let after = scope.spawn(|| {
            let place = killed_node(&bus, dir.path(), "b", 3, 9);
            let remains = Remains::of_killed(&place).unwrap().unwrap();
            let spare = scope.spawn(|| {
                let (agent, assignment) = joined(&bus, dir.path(), "c");
                let folder = dir.path().join("c");
                fs::create_dir_all(&folder).unwrap();
                let member = Member::begin(&agent, &assignment, folder.clone(), folder.join(RECORDS)).unwrap();
                fs::write(folder.join(RECORDS), record("c", 0) + "\n").unwrap();
                member.finish(None).unwrap();
                assignment.after.unwrap()
            });
            remains.ship(&(Arc::clone(&bus) as Arc<dyn Bus>)).unwrap();
            spare.join().unwrap()
        });
        (coordinate_patiently(&bus, dir.path(), spec), after.join().unwrap())
    });
    assert_eq!((after.sent, after.total(), after.phase.as_str()), (9, 9, "profiling"));
    assert_eq!((collected.lost.len(), collected.lost_requests), (1, 4), "{collected:?}");
    let facts = facts(dir.path(), 0);
    assert_eq!((facts.replaced_by, facts.loss.unwrap().known_by), (Some(1), KnownBy::Journal));
    assert_eq!(numbers(dir.path(), 0, "b-"), [0, 2, 4, 6, 8]);
    assert_eq!(numbers(dir.path(), 1, "c-"), [0]);
}

#[test]
fn nodes_start_a_later_phase_together_when_the_last_one_is_ready() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let start_of = |id: &str, busy: Duration| {
        let (agent, assignment) = joined(&bus, dir.path(), id);
        let folder = dir.path().join(id);
        fs::create_dir_all(&folder).unwrap();
        let member = Member::begin(&agent, &assignment, folder.clone(), folder.join(RECORDS)).unwrap();
        let anchor = WallAnchor::take();
        assert!(member.wait_for_start(anchor, &|| false).is_some());
        thread::sleep(busy);
        let (ready, start) = (Mono::now(), member.wait_for_phase(1, anchor, &|| false).unwrap());
        fs::write(folder.join(RECORDS), "{}\n").unwrap();
        member.finish(None).unwrap();
        (ready, start)
    };
    let starts = thread::scope(|scope| {
        let start_of = &start_of;
        let nodes =
            [("a", 0), ("b", 700)].map(|(id, busy)| scope.spawn(move || start_of(id, Duration::from_millis(busy))));
        coordinate(&bus, dir.path(), 2);
        nodes.map(|node| node.join().unwrap())
    });
    let ready = starts.iter().map(|(ready, _)| *ready).max().unwrap();
    assert!(starts.iter().all(|(_, start)| *start > ready), "{starts:?}");
    // Both clocks are the same one; what is left is the error of their probes.
    let (first, second) = (starts[0].1.as_nanos(), starts[1].1.as_nanos());
    assert!(first.abs_diff(second) < 100_000_000, "{starts:?}");
}

#[test]
fn another_coordinator_collects_the_same_from_a_stream_that_repeats_everything() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    thread::scope(|scope| {
        scope.spawn(|| node(&bus, dir.path(), "a", 1000, false));
        coordinate(&bus, dir.path(), 1)
    });
    bus.repeat_all("aiperf-records-r");
    let other = dir.path().join("other");
    let mut attached =
        Coordinator::attach(Arc::clone(&bus) as Arc<dyn Bus>, "r", settings(&other), "d".into()).unwrap();
    attached.start(&|| false).unwrap();
    attached.collect(&|| false, |_: &RunView| {}).unwrap();
    assert_eq!(lines(&other, 0), lines(dir.path(), 0));
}

#[test]
fn a_bus_that_is_away_or_loses_acknowledgements_loses_no_record() {
    let (bus, dir) = (Arc::new(MemoryBus::default()), tempfile::tempdir().unwrap());
    let collected = thread::scope(|scope| {
        scope.spawn(|| node(&bus, dir.path(), "a", 1000, false));
        scope.spawn(|| {
            while bus.get("aiperf-run-r", "start").ok().flatten().is_none() {
                thread::sleep(Duration::from_millis(20));
            }
            bus.lose_acknowledgements(true);
            thread::sleep(Duration::from_millis(500));
            bus.lose_acknowledgements(false);
            bus.cut_off(true);
            thread::sleep(Duration::from_millis(500));
            bus.cut_off(false);
        });
        coordinate(&bus, dir.path(), 1)
    });
    assert!(collected.lost.is_empty(), "{collected:?}");
    assert_eq!(lines(dir.path(), 0).len(), 1000);
}
