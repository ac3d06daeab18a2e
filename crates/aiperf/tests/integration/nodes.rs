//! One run that several processes send (`--node-index`, `--node-count`): the server sees the requests of a single process.

use crate::support::{Program, Running, requests, sim};

const WORDS: &str = "--random-seed 42 --isl-stddev 6 --osl 4 --osl-stddev 2 --num-dataset-entries 17";

/// All bodies that the server saw, in an order of their own.
fn bodies(sim: &aiperf_sim::Sim) -> Vec<String> {
    let mut all: Vec<String> = requests(sim).iter().map(ToString::to_string).collect();
    all.sort_unstable();
    all
}

fn by_one(words: &str) -> Vec<String> {
    let sim = sim("ttft=0&itl=0");
    Program::against(&sim, WORDS).with(words).succeed();
    bodies(&sim)
}

fn by_three(words: &str) -> Vec<String> {
    let sim = sim("ttft=0&itl=0");
    let start = |index: usize| {
        Program::against(&sim, WORDS).with(words).with(&format!("--node-count 3 --node-index {index}")).start()
    };
    let nodes: Vec<Running> = (0..3).map(start).collect();
    for (index, node) in nodes.into_iter().enumerate() {
        let ended = node.end();
        assert_eq!(ended.code, Some(0), "node {index}: {}", ended.stderr);
        assert!(ended.artifacts.path(&format!("node-{index}/profile_export_aiperf.json")).exists());
    }
    bodies(&sim)
}

#[test]
fn three_nodes_send_the_bytes_of_one() {
    for words in [
        "--concurrency 5 --request-count 32 --warmup-request-count 4 --dataset-sampling-strategy shuffle",
        "--request-rate 400 --arrival-pattern poisson --request-count 31",
        "--concurrency 4 --num-sessions 10 --session-turns-mean 3 --session-turns-stddev 1",
    ] {
        let one = by_one(words);
        assert!(one.len() > 20, "{words}");
        assert_eq!(by_three(words), one, "{words}");
    }
}

#[test]
fn a_run_waits_for_its_time_to_start() {
    let sim = sim("ttft=0&itl=0");
    let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() + 4;
    let artifacts = Program::against(&sim, &format!("--request-count 3 --start-at {at}")).succeed();
    let start = artifacts.accounting("profiling")["start_ns"].as_u64().unwrap();
    assert!(start >= at * 1_000_000_000, "started {} ns early", at * 1_000_000_000 - start);
}

/// The folders of three nodes that sent one run, and the server's view of it.
fn three_folders() -> (tempfile::TempDir, Vec<crate::support::Ended>) {
    let sim = sim("ttft=2&itl=1&osl=4");
    let words = "--streaming --concurrency 6 --request-count 30 --node-count 3 --node-index";
    let start = |index: usize| Program::against(&sim, WORDS).with(words).with(&index.to_string()).start();
    let nodes: Vec<Running> = (0..3).map(start).collect();
    let ended: Vec<_> = nodes.into_iter().map(Running::end).collect();
    let together = tempfile::tempdir().unwrap();
    for (index, ended) in ended.iter().enumerate() {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let name = format!("node-{index}");
        std::fs::rename(ended.artifacts.path(&name), together.path().join(name)).unwrap();
    }
    (together, ended)
}

#[test]
fn merged_folders_have_all_records_and_the_statistics_of_all_of_them() {
    let (together, _ended) = three_folders();
    let merge = |folders: &[&str], output: &str| {
        let output = together.path().join(output);
        let mut words: Vec<std::ffi::OsString> = folders.iter().map(|name| together.path().join(name).into()).collect();
        words.extend(["--output-dir".into(), output.clone().into()]);
        let ended = words.into_iter().fold(Program::new("merge"), Program::word).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let read = |name: &str| std::fs::read_to_string(output.join(name)).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&read("profile_export_aiperf.json")).unwrap();
        (summary, read("profile_export.jsonl"), ended)
    };
    let (summary, records, ended) = merge(&["."], "merged");
    assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
    assert!(ended.stdout.contains("Nodes") && ended.stdout.contains("node-2"), "{}", ended.stdout);
    let lines: Vec<serde_json::Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), summary["request_count"]["avg"].as_f64()), (30, Some(30.0)));
    let ends: Vec<u64> = lines.iter().map(|line| line["metadata"]["request_end_ns"].as_u64().unwrap()).collect();
    assert!(ends.is_sorted());
    let mut latencies: Vec<f64> =
        lines.iter().map(|line| line["metrics"]["request_latency"]["value"].as_f64().unwrap()).collect();
    latencies.sort_by(f64::total_cmp);
    let max = summary["request_latency"]["max"].as_f64().unwrap();
    assert!((max - latencies[29]).abs() < 1e-9, "{max} and {latencies:?}");
    for index in 0..3 {
        let name = format!("node-{index}");
        assert_eq!(lines.iter().filter(|line| line["metadata"]["node"] == name).count(), 10);
        assert_eq!((&summary["nodes"][index]["node"], &summary["nodes"][index]["records"]), (&name.into(), &10.into()));
    }
    assert_eq!(summary["phase_accounting"][0]["sent"], 30);
    assert_eq!(summary["is_complete"], true);
    // A record that two folders have counts once, and a node that is missing is named.
    let (summary, records, ended) = merge(&["node-0", "node-1", "node-1"], "twice");
    assert_eq!((records.lines().count(), summary["nodes"][2]["duplicates"].as_u64()), (20, Some(10)));
    assert_eq!(summary["request_count"]["avg"].as_f64(), Some(20.0));
    assert!(ended.stderr.contains("10 records are in another folder too"), "{}", ended.stderr);
    assert!(ended.stderr.contains("these have no folder: 2"), "{}", ended.stderr);
    let checked = Program::new("validate").word(together.path().join("merged")).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    // Merging what was merged changes nothing.
    let (again, _, _) = merge(&["merged"], "again");
    assert_eq!(again["request_latency"], merge(&["."], "once-more").0["request_latency"]);
}
