//! Runs on several nodes through a real NATS server: `aiperf node`, `aiperf profile --nodes` and `aiperf attach`.

use std::collections::HashSet;
use std::path::Path;

use aiperf_sim::Sim;
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Ended, NatsServer, Program, Running, requests, sim, wait_for};

const WORDS: &str = "--random-seed 42 --isl-stddev 6 --osl 4 --osl-stddev 2 --num-dataset-entries 17 --node-timeout 20";

fn node(nats: &NatsServer) -> Running {
    Program::new("node --spool spool --join").with(&nats.url()).start()
}

fn coordinator(sim: &Sim, nats: &NatsServer, nodes: usize, words: &str) -> Program {
    Program::against(sim, WORDS).with(&format!("--nodes {nodes} --nats {}", nats.url())).with(words)
}

fn bodies(sim: &Sim) -> Vec<String> {
    let mut all: Vec<String> = requests(sim).iter().map(ToString::to_string).collect();
    all.sort_unstable();
    all
}

fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The records of a run, each of which must be there once.
fn distinct_records(ended: &Ended) -> Vec<Value> {
    let all = records(&ended.artifacts.path("profile_export.jsonl"));
    let ids: HashSet<&str> = all.iter().map(|record| record["metadata"]["x_request_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), all.len());
    all
}

fn summary(ended: &Ended) -> Value {
    let text = std::fs::read_to_string(ended.artifacts.path("profile_export_aiperf.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn connected_nodes_send_the_bytes_of_one_and_the_results_are_those_of_the_union() {
    let Some(nats) = NatsServer::start() else { return };
    let words = "--streaming --concurrency 6 --request-count 40 --warmup-request-count 3";
    let alone = sim("ttft=0&itl=0");
    Program::against(&alone, WORDS.split(" --node-timeout").next().unwrap()).with(words).succeed();
    let server = sim("ttft=0&itl=0");
    let nodes = [node(&nats), node(&nats)];
    let ended = coordinator(&server, &nats, 2, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for node in nodes {
        let node = node.end();
        assert_eq!(node.code, Some(0), "{}", node.stderr);
    }
    assert_eq!(bodies(&server), bodies(&alone));
    let (all, summary) = (distinct_records(&ended), summary(&ended));
    let profiling = all.iter().filter(|record| record["metadata"]["benchmark_phase"] == "profiling").count();
    assert_eq!((profiling, summary["request_count"]["avg"].as_f64()), (40, Some(40.0)));
    assert_eq!(summary["is_complete"], true);
    for record in &all {
        let metadata = &record["metadata"];
        assert!(metadata["node"].is_string() && metadata["node_address"] == "127.0.0.1", "{metadata}");
        assert!(metadata["clock_bound_ns"].as_u64().is_some_and(|bound| bound > 0), "{metadata}");
    }
    assert_eq!(summary["nodes"].as_array().unwrap().len(), 2);
    // The same numbers as `aiperf merge` of the same folders, to the last bit.
    let folders = ["node-0", "node-1"].map(|name| ended.artifacts.path(name));
    let merged = folders.into_iter().fold(Program::new("merge --output-dir out"), Program::word).run();
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    let again = self::summary(&merged);
    for metric in ["request_latency", "time_to_first_token", "request_throughput", "output_sequence_length"] {
        assert_eq!(again[metric], summary[metric], "{metric}");
    }
}

#[test]
#[ignore = "waits for requests that do not come; the cause is not found"]
fn a_lost_node_is_named_and_its_requests_are_accounted_for() {
    for (policy, code) in [("continue", 5), ("fail", 1)] {
        let Some(nats) = NatsServer::start() else { return };
        let server = sim("ttft=100&itl=0&osl=1");
        let mut nodes = vec![node(&nats), node(&nats)];
        let words = format!("--concurrency 4 --request-count 60 --node-timeout 3 --on-node-loss {policy}");
        let run = coordinator(&server, &nats, 2, &words).start();
        wait_for("requests", || (requests(&server).len() > 20).then_some(()));
        nodes.pop().unwrap().signal(Signal::KILL);
        let ended = run.end();
        assert_eq!(ended.code, Some(code), "{policy}: {}", ended.stderr);
        assert!(ended.stderr.contains("was lost"), "{}", ended.stderr);
        let (all, summary) = (distinct_records(&ended), summary(&ended));
        assert_eq!(summary["is_complete"], false);
        assert!(summary["incomplete_reason"].as_str().is_some_and(|why| why.contains("lost")), "{summary}");
        let lost: Vec<&Value> = all.iter().filter(|record| record["error"]["type"] == "lost_worker").collect();
        assert!(!lost.is_empty());
        let states: Vec<&str> =
            summary["nodes"].as_array().unwrap().iter().filter_map(|node| node["state"].as_str()).collect();
        assert!(states.contains(&"lost"), "{states:?}");
        // The other node has sent its whole share, if it may go on.
        if policy == "continue" {
            let finished =
                summary["nodes"].as_array().unwrap().iter().find(|node| node["state"] == "finished").unwrap();
            assert_eq!(finished["records"], 30);
        }
    }
}

#[test]
fn a_restart_of_the_nats_server_loses_nothing() {
    let Some(mut nats) = NatsServer::start() else { return };
    let server = sim("ttft=100&itl=0&osl=1");
    let nodes = [node(&nats), node(&nats)];
    let run = coordinator(&server, &nats, 2, "--concurrency 4 --request-count 120").start();
    wait_for("requests", || (requests(&server).len() > 20).then_some(()));
    nats.kill_and_restart();
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(distinct_records(&ended).len(), 120);
    for node in nodes {
        assert_eq!(node.end().code, Some(0));
    }
}

#[test]
fn another_coordinator_takes_over() {
    let Some(nats) = NatsServer::start() else { return };
    let server = sim("ttft=100&itl=0&osl=1");
    let nodes = [node(&nats), node(&nats)];
    let run = coordinator(&server, &nats, 2, "--concurrency 4 --request-count 60 --run-id taken").start();
    wait_for("requests", || (requests(&server).len() > 20).then_some(()));
    run.signal(Signal::KILL);
    let words = format!("attach taken --artifact-dir out --node-timeout 20 --nats {}", nats.url());
    let ended = Program::new(&words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(distinct_records(&ended).len(), 60);
    assert_eq!(summary(&ended)["is_complete"], true);
    for node in nodes {
        assert_eq!(node.end().code, Some(0));
    }
}

#[test]
fn credentials_open_the_connection_and_are_nowhere_to_be_seen() {
    let Some(nats) = NatsServer::start_with(&["--user", "me", "--pass", "hush-hush"]) else { return };
    let server = sim("ttft=0&itl=0");
    let refused = coordinator(&server, &nats, 1, "--request-count 4").run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("cannot connect to NATS"), "{}", refused.stderr);
    let with = |program: Program| program.env("AIPERF_NATS_USER", "me").env("AIPERF_NATS_PASSWORD", "hush-hush");
    let node = with(Program::new("node --spool spool --join").with(&nats.url())).start();
    let words = "--request-count 4 --api-key sk-secret-key --header Authorization:hush-hush";
    let ended = with(coordinator(&server, &nats, 1, words)).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let node = node.end();
    let mut texts = vec![ended.stdout.clone(), ended.stderr.clone(), node.stdout, node.stderr];
    let mut folders = vec![ended.artifacts.path("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
            }
        }
    }
    assert!(texts.iter().all(|text| !text.contains("hush-hush") && !text.contains("sk-secret-key")));
}

#[test]
fn what_a_coordinator_cannot_do_is_refused_by_name() {
    let profile =
        |words: &str| Program::profile("--url http://127.0.0.1:1 --model m --tokenizer builtin").with(words).run();
    profile("--nodes 2").was_refused_with(&["--nodes needs --nats"]);
    profile("--nats nats://h").was_refused_with(&["--nats needs --nodes"]);
    profile("--concurrency 4 --nodes 2 --nats nats://me:pw@h").was_refused_with(&["AIPERF_NATS_PASSWORD"]);
    profile("--concurrency 4 --nodes 2 --nats h:4222").was_refused_with(&["nats://"]);
    profile("--nodes 3 --nats nats://h --concurrency 2").was_refused_with(&["--concurrency", "use at most 2 nodes"]);
    let shares = "--concurrency 4 --random-seed 1 --node-index 1 --node-count 2";
    profile(&format!("--nodes 2 --nats nats://h {shares}")).was_refused_with(&["--node-index", "--nodes"]);
}
