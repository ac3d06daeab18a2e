//! Runs on several nodes through a real NATS server: `aiperf node`, `aiperf profile --nodes` and `aiperf attach`.

use std::collections::HashSet;
use std::path::Path;

use aiperf_sim::Sim;
use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::live_api;
use crate::support::{Authority, Ended, NatsServer, Program, Running, requests, sim, wait_for};

const WORDS: &str = "--random-seed 42 --isl-stddev 6 --osl 4 --osl-stddev 2 --num-dataset-entries 17";
/// A node of a busy machine may be silent for a while.
const PATIENT: &str = "--node-timeout 20";

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
    Program::against(&alone, WORDS).with(words).succeed();
    let server = sim("ttft=0&itl=0");
    let nodes = [node(&nats), node(&nats)];
    let ended = coordinator(&server, &nats, 2, words).with(PATIENT).run();
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
    let checked = Program::new("validate").word(ended.artifacts.path("")).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    let command = summary["run_info"]["cli_command"].as_str().unwrap();
    assert!(command.contains("--nodes 2") && !command.contains("--node-index"), "{command}");
}

#[test]
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
fn a_spare_node_sends_the_rest_of_the_share_of_a_lost_one() {
    let Some(nats) = NatsServer::start() else { return };
    let server = sim("ttft=100&itl=0&osl=1");
    let mut nodes = vec![node(&nats), node(&nats)];
    let words = "--concurrency 4 --request-count 120 --warmup-request-count 4 --node-timeout 3 --on-node-loss replace";
    let run = coordinator(&server, &nats, 2, words).start();
    wait_for("requests", || (requests(&server).len() > 30).then_some(()));
    let spare = node(&nats);
    nodes.pop().unwrap().signal(Signal::KILL);
    let ended = run.end();
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    let (all, summary) = (distinct_records(&ended), summary(&ended));
    // Each request of the run has one record: of the node that sent it, of its replacement, or `lost_worker`.
    let count = |phase: &str| all.iter().filter(|record| record["metadata"]["benchmark_phase"] == phase).count();
    assert_eq!((count("warmup"), count("profiling")), (4, 120), "{}", ended.stderr);
    let lost = all.iter().filter(|record| record["error"]["type"] == "lost_worker").count();
    assert!((1..60).contains(&lost), "{lost} of a share of 62");
    let rows = summary["nodes"].as_array().unwrap();
    let replaced = rows.iter().find(|node| node["state"] == "lost").unwrap();
    assert_eq!(replaced["replaced_by"], "node-2", "{replaced}");
    assert!(summary["incomplete_reason"].as_str().is_some_and(|why| why.contains("node-2 sent the rest")), "{summary}");
    let spare = spare.end();
    assert_eq!(spare.code, Some(0), "{}", spare.stderr);
}

/// What a run is expected to have at its end in which a node was killed.
struct AfterKill<'a> {
    ended: &'a Ended,
    server: &'a Sim,
    known_by: &'a str,
}

impl AfterKill<'_> {
    fn lost_row(&self) -> Value {
        let rows = summary(self.ended)["nodes"].clone();
        let row = rows.as_array().unwrap().iter().find(|node| node["state"] == "lost").cloned().unwrap();
        assert_eq!(row["loss"]["known_by"], self.known_by, "{row}");
        row
    }

    /// Each request that the server saw has one record, and each record is of one request, except for those that may not have left the
    /// node.
    fn is_exact(&self) {
        let unsent = self.lost_row()["loss"]["unsent_at_most"].as_u64().unwrap() as usize;
        let all = distinct_records(self.ended);
        // The server notices a little later that a client is gone.
        let seen = wait_for("the requests of the killed node", || {
            let seen = self.server.truth();
            (seen.len() + unsent >= all.len()).then_some(seen)
        });
        assert!(seen.len() <= all.len(), "{} requests and {} records", seen.len(), all.len());
        let ids: HashSet<&str> = seen.iter().filter_map(|truth| truth.request_id.as_deref()).collect();
        assert_eq!(ids.len(), seen.len(), "a request came twice");
        let (lost, measured): (Vec<&Value>, Vec<&Value>) =
            all.iter().partition(|record| record["error"]["type"] == "lost_worker");
        assert!(measured.iter().all(|record| ids.contains(record["metadata"]["x_request_id"].as_str().unwrap())));
        assert!((seen.len() - measured.len()..=seen.len() - measured.len() + unsent).contains(&lost.len()));
        let why = summary(self.ended)["incomplete_reason"].as_str().unwrap().to_owned();
        assert!(why.contains("counted exactly"), "{why}");
    }
}

/// Whether each of the first is among the second as often as in the first.
fn are_among(few: &[String], many: &[String]) -> bool {
    let mut left = many.to_vec();
    few.iter().all(|one| left.iter().position(|other| other == one).map(|place| left.swap_remove(place)).is_some())
}

/// Processes that a process has started and that are alive.
fn children(parent: u32) -> Vec<Pid> {
    let processes =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let of_parent = |process: &String| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|id| id.trim() == parent.to_string()))
    };
    processes.filter(of_parent).filter_map(|process| Pid::from_raw(process.parse().ok()?)).collect()
}

#[test]
fn requests_of_a_killed_node_are_accounted_for_exactly() {
    for policy in ["continue", "replace"] {
        let Some(nats) = NatsServer::start() else { return };
        let words = "--concurrency 4 --request-count 100 --warmup-request-count 4";
        let alone = sim("ttft=0&itl=0&osl=1");
        Program::against(&alone, WORDS).with(words).succeed();
        let server = sim("ttft=80&itl=0&osl=1");
        let mut nodes = vec![node(&nats), node(&nats)];
        // Silence says nothing here: a lost node is named because its reporter says so.
        let words = format!("{words} --node-timeout 60 --on-node-loss {policy}");
        let run = coordinator(&server, &nats, 2, &words).start();
        wait_for("requests", || (requests(&server).len() > 30).then_some(()));
        let spare = (policy == "replace").then(|| node(&nats));
        nodes.pop().unwrap().signal(Signal::KILL);
        let ended = run.end();
        assert_eq!(ended.code, Some(5), "{policy}: {}", ended.stderr);
        assert!(ended.stderr.contains("its process was killed"), "{}", ended.stderr);
        let after = AfterKill { ended: &ended, server: &server, known_by: "journal" };
        after.is_exact();
        // Nothing was sent that one node would not have sent, and nothing twice.
        assert!(are_among(&bodies(&server), &bodies(&alone)), "{policy}");
        if policy == "replace" {
            assert_eq!(distinct_records(&ended).len(), 104);
        }
        for node in nodes.into_iter().chain(spare) {
            let node = node.end();
            assert_eq!(node.code, Some(0), "{}", node.stderr);
        }
    }
}

#[test]
fn a_node_that_is_killed_with_its_reporter_is_counted_by_its_last_heartbeat() {
    let Some(nats) = NatsServer::start() else { return };
    let server = sim("ttft=100&itl=0&osl=1");
    let mut nodes = vec![node(&nats), node(&nats)];
    let words = "--concurrency 4 --request-count 60 --node-timeout 3 --on-node-loss continue";
    let run = coordinator(&server, &nats, 2, words).start();
    wait_for("requests", || (requests(&server).len() > 20).then_some(()));
    let killed = nodes.pop().unwrap();
    let reporters = children(killed.id());
    assert_eq!(reporters.len(), 1);
    for reporter in reporters {
        rustix::process::kill_process(reporter, Signal::KILL).unwrap();
    }
    killed.signal(Signal::KILL);
    let ended = run.end();
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    let row = AfterKill { ended: &ended, server: &server, known_by: "last_heartbeat" }.lost_row();
    assert!(row["loss"]["last_heard_ns"].as_u64().is_some_and(|at| at > 0), "{row}");
    let why = summary(&ended)["incomplete_reason"].as_str().unwrap().to_owned();
    assert!(why.contains("counted by its last heartbeat") && why.contains("may be missing"), "{why}");
    assert!(ended.stderr.contains("by its last heartbeat"), "{}", ended.stderr);
    distinct_records(&ended);
}

#[test]
fn a_node_that_is_started_again_sends_what_the_killed_one_has_left() {
    let Some(nats) = NatsServer::start() else { return };
    let (server, spool) = (sim("ttft=80&itl=0&osl=1"), tempfile::tempdir().unwrap());
    let with_spool = || Program::new("node --join").with(&nats.url()).with("--spool").word(spool.path()).start();
    let (killed, other) = (with_spool(), node(&nats));
    let words = "--concurrency 4 --request-count 100 --node-timeout 60 --on-node-loss continue";
    let run = coordinator(&server, &nats, 2, words).start();
    wait_for("requests", || (requests(&server).len() > 30).then_some(()));
    for reporter in children(killed.id()) {
        rustix::process::kill_process(reporter, Signal::KILL).unwrap();
    }
    killed.signal(Signal::KILL);
    killed.end();
    // It waits for a run and finds the folder of the one before it. Another run is not announced: it is interrupted.
    let again = with_spool();
    let ended = run.end();
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    AfterKill { ended: &ended, server: &server, known_by: "journal" }.is_exact();
    again.signal(Signal::INT);
    let again = again.end();
    assert!(again.stderr.contains("the stream has its records now"), "{}", again.stderr);
    assert_eq!(other.end().code, Some(0));
}

#[test]
fn the_live_interface_of_the_coordinator_shows_the_whole_run_and_its_nodes() {
    let Some(nats) = NatsServer::start() else { return };
    let server = sim("ttft=50&itl=0&osl=1");
    let nodes = [node(&nats), node(&nats)];
    let words = "--concurrency 4 --request-count 100 --api-port 0 --api-linger 30";
    let run = coordinator(&server, &nats, 2, words).with(PATIENT).start();
    let address = live_api::address(&run);
    let place = live_api::place(&address);
    let snapshot = wait_for("the result", || {
        let snapshot = live_api::get(place, "/api/snapshot")?;
        snapshot["result"].is_object().then_some(snapshot)
    });
    // Every record of both nodes was counted.
    assert_eq!(snapshot["phases"][0]["completed"], 100, "{snapshot}");
    let latency = snapshot["metrics"].as_array().unwrap().iter().find(|row| row["tag"] == "request_latency").unwrap();
    let names: Vec<&str> =
        snapshot["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
    assert_eq!(names, ["node-0", "node-1"]);
    let workers = live_api::get(place, "/api/workers").unwrap();
    assert_eq!(workers["workers"].as_object().unwrap().len(), 2, "{workers}");
    let live = latency["p99"].as_f64().unwrap();
    assert_eq!(live_api::ask(place, "POST", "/api/shutdown").unwrap().0, 200);
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // Live percentiles are exact to 1 %.
    let exact = summary(&ended)["request_latency"]["p99"].as_f64().unwrap();
    assert!((live / exact - 1.0).abs() < 0.02, "{live} of {exact}");
    for node in nodes {
        assert_eq!(node.end().code, Some(0));
    }
}

#[test]
fn a_restart_of_the_nats_server_loses_nothing() {
    let Some(mut nats) = NatsServer::start() else { return };
    let server = sim("ttft=100&itl=0&osl=1");
    let nodes = [node(&nats), node(&nats)];
    let run = coordinator(&server, &nats, 2, "--concurrency 4 --request-count 120").with(PATIENT).start();
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
    let run = coordinator(&server, &nats, 2, "--concurrency 4 --request-count 60 --run-id taken").with(PATIENT).start();
    wait_for("requests", || (requests(&server).len() > 20).then_some(()));
    run.signal(Signal::KILL);
    let words = format!("attach taken --artifact-dir out --node-timeout 20 --nats {}", nats.url());
    let ended = Program::new(&words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(distinct_records(&ended).len(), 60);
    let summary = summary(&ended);
    assert_eq!(summary["is_complete"], true);
    // The configuration is that of the whole run, not that of one node.
    assert_eq!(summary["input_config"]["phases"][0]["requests"], 60, "{}", summary["input_config"]);
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
    let ended = with(coordinator(&server, &nats, 1, words).with(PATIENT)).run();
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

/// A run of one node whose processes have these variables; `code` is the coordinator's.
fn sign_in(nats: &NatsServer, variables: &[(&str, &Path)], code: i32) -> Ended {
    let with = |program: Program| variables.iter().fold(program, |program, (name, value)| program.env(name, value));
    let server = sim("ttft=0&itl=0");
    let node = (code == 0).then(|| with(Program::new("node --spool spool --join").with(&nats.url())).start());
    let ended = with(coordinator(&server, nats, 1, "--request-count 4").with(PATIENT)).run();
    assert_eq!(ended.code, Some(code), "{}", ended.stderr);
    if let Some(node) = node {
        let node = node.end();
        assert_eq!(node.code, Some(0), "{}", node.stderr);
        assert_eq!(distinct_records(&ended).len(), 4);
    }
    ended
}

#[test]
fn a_key_or_a_credentials_file_opens_the_connection() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/support/nats");
    let config = |name: &str| files.join(name).display().to_string();
    for (server, variable, file) in
        [("nkey.conf", "AIPERF_NATS_NKEY_FILE", "user.nk"), ("jwt.conf", "AIPERF_NATS_CREDS", "user.creds")]
    {
        let Some(nats) = NatsServer::start_with(&["-c", &config(server)]) else { return };
        let refused = sign_in(&nats, &[], 1);
        assert!(refused.stderr.contains("cannot connect to NATS"), "{}", refused.stderr);
        sign_in(&nats, &[(variable, &files.join(file))], 0);
    }
}

#[test]
fn certificates_of_both_sides_open_the_connection() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let place = |name: &str| folder.path().join(name);
    let (certificate, key) = authority.sign("127.0.0.1");
    let (own_certificate, own_key) = authority.sign("node");
    let files = [
        ("ca.pem", &authority.pem()),
        ("server.pem", &certificate),
        ("server.key", &key),
        ("node.pem", &own_certificate),
        ("node.key", &own_key),
    ];
    for (name, content) in files {
        std::fs::write(place(name), content).unwrap();
    }
    let paths = ["server.pem", "server.key", "ca.pem"].map(|name| place(name).display().to_string());
    let words = ["--tls", "--tlscert", &paths[0], "--tlskey", &paths[1], "--tlsverify", "--tlscacert", &paths[2]];
    let Some(nats) = NatsServer::start_with(&words) else { return };
    let ca = place("ca.pem");
    let stranger = sign_in(&nats, &[("AIPERF_NATS_CA", &ca)], 1);
    assert!(stranger.stderr.contains("cannot connect to NATS"), "{}", stranger.stderr);
    let (certificate, key) = (place("node.pem"), place("node.key"));
    let own = [("AIPERF_NATS_CA", &*ca), ("AIPERF_NATS_CERT", &*certificate), ("AIPERF_NATS_KEY", &*key)];
    sign_in(&nats, &own, 0);
}

#[test]
fn nodes_get_the_data_file_and_the_secrets_of_a_configuration_file() {
    let Some(nats) = NatsServer::start() else { return };
    let server = sim("ttft=0&itl=0");
    let config = format!(
        "benchmark:\n  model: test-model\n  endpoint: {{url: {}, api_key: sk-in-the-file}}\n  tokenizer: {{name: builtin}}\n  \
         dataset: {{type: file, path: data/rows.jsonl, format: single_turn}}\n  profiling: {{type: concurrency, concurrency: 2, requests: 4}}\n  \
         runtime: {{onNodeLoss: continue, node_timeout: 30}}\n",
        server.url()
    );
    let rows: Vec<String> = (0..4).map(|row| format!("{{\"text\": \"row number {row}\"}}")).collect();
    let nodes = [node(&nats), node(&nats)];
    let words = format!("-f plan.yaml --nodes 2 --nats {} {PATIENT}", nats.url());
    let run = Program::profile(&words).file("plan.yaml", &config).file("data/rows.jsonl", &rows.join("\n"));
    let ended = run.run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let sent = bodies(&server);
    assert!(
        (0..4).all(|row| sent.iter().filter(|body| body.contains(&format!("row number {row}"))).count() == 1),
        "{sent:?}"
    );
    assert!(server.truth().iter().all(|truth| truth.headers.iter().any(|(_, value)| value.contains("sk-in-the-file"))));
    for node in nodes {
        assert_eq!(node.end().code, Some(0));
    }
    assert!(!nats.holds("sk-in-the-file"), "the secret is in the files of the NATS server");
}

#[test]
fn what_a_coordinator_cannot_do_is_refused_by_name() {
    let profile =
        |words: &str| Program::profile("--url http://127.0.0.1:1 --model m --tokenizer builtin").with(words).run();
    profile("--nodes 2").was_refused_with(&["--nodes needs --nats"]);
    profile("--nats nats://h").was_refused_with(&["--nats needs --nodes"]);
    profile("--concurrency 4 --nodes 2 --nats nats://me:pw@h").was_refused_with(&["AIPERF_NATS_PASSWORD"]);
    profile("--concurrency 4 --nodes 2 --nats h:4222").was_refused_with(&["nats://"]);
    let replacing = |load: &str| profile(&format!("--nodes 2 --nats nats://h --on-node-loss replace {load}"));
    replacing("--request-rate 5 --request-count 9").was_refused_with(&["--on-node-loss", "needs --concurrency"]);
    replacing("--concurrency 4 --benchmark-duration 9").was_refused_with(&["--on-node-loss", "no duration"]);
    replacing("--concurrency 4 --request-count 9 --request-cancellation-rate 5")
        .was_refused_with(&["--request-cancellation-rate"]);
    profile("--nodes 3 --nats nats://h --concurrency 2").was_refused_with(&["--concurrency", "use at most 2 nodes"]);
    let shares = "--concurrency 4 --random-seed 1 --node-index 1 --node-count 2";
    profile(&format!("--nodes 2 --nats nats://h {shares}")).was_refused_with(&["--node-index", "--nodes"]);
}
