//! MLflow: a server that keeps what it is told, and a folder.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::short_run;
use crate::support::{AfterReply, Ended, Program, ReceivedRequest, TestReply, TestServer, in_one, sim, wait_for};

const API: &str = "/api/2.0/mlflow/";
const FILES: &str = "/api/2.0/mlflow-artifacts/artifacts/7/R/artifacts/";

fn answer(value: &Value) -> TestReply {
    in_one("200 OK", "Content-Type: application/json\r\n", value.to_string().as_bytes())
}

/// Answers as MLflow does; knows no experiment until one is created.
fn mlflow() -> TestServer {
    TestServer::start(|_, request: &ReceivedRequest| respond(request))
}

fn respond(request: &ReceivedRequest) -> TestReply {
    let call = request.target.strip_prefix(API).unwrap_or(&request.target);
    match call.split('?').next().unwrap() {
        "experiments/get-by-name" => {
            let error = json!({"error_code": "RESOURCE_DOES_NOT_EXIST"});
            in_one("404 Not Found", "", error.to_string().as_bytes())
        }
        "experiments/create" => answer(&json!({"experiment_id": "7"})),
        "runs/create" => {
            let name = serde_json::from_slice::<Value>(&request.body).unwrap()["run_name"].clone();
            answer(&stored_run(&name))
        }
        "runs/get" => answer(&stored_run(&json!("rn"))),
        _ => answer(&json!({})),
    }
}

fn stored_run(name: &Value) -> Value {
    json!({"run": {"info": {"run_id": "R", "run_name": name, "artifact_uri": "mlflow-artifacts:/7/R/artifacts"}}})
}

fn bodies(server: &TestServer, call: &str) -> Vec<Value> {
    let received = server.received();
    let calls = received.iter().filter(|request| request.target == format!("{API}{call}"));
    calls.map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
}

/// All items of one kind that were logged.
fn logged(server: &TestServer, kind: &str) -> Vec<Value> {
    let batches = bodies(server, "runs/log-batch");
    batches.iter().flat_map(|batch| batch[kind].as_array().cloned().unwrap_or_default()).collect()
}

fn value_of(items: &[Value], key: &str) -> Value {
    let found = items.iter().rfind(|item| item["key"] == key);
    found.unwrap_or_else(|| panic!("there is no {key}"))["value"].clone()
}

#[test]
fn a_run_is_stored_with_its_metrics_parameters_tags_and_files() {
    let (sim, server) = (sim("ttft=5&itl=1&osl=4"), mlflow());
    let uri = server.url().replace("http://", "http://me:geheim@");
    let options = format!(
        "--mlflow-tracking-uri {uri} --mlflow-experiment exp --mlflow-run-name rn --mlflow-tag a:b --mlflow-tag c:true \
         --mlflow-parent-run-id P"
    );
    let artifacts = short_run(&sim, &options).succeed();
    assert!(
        server
            .received()
            .iter()
            .all(|request| request.header("authorization").as_deref() == Some("Basic bWU6Z2VoZWlt"))
    );
    assert_eq!(bodies(&server, "experiments/create")[0]["name"], "exp");
    let created = bodies(&server, "runs/create").remove(0);
    let tags = created["tags"].as_array().unwrap().clone();
    assert_eq!((&created["run_name"], value_of(&tags, "mlflow.parentRunId")), (&json!("rn"), json!("P")));
    let metrics = logged(&server, "metrics");
    for (key, tag, stat) in [
        ("request_latency", "request_latency", "avg"),
        ("time_to_first_token.p99", "time_to_first_token", "p99"),
        ("request_count", "request_count", "avg"),
    ] {
        assert_eq!(value_of(&metrics, key).as_f64(), Some(artifacts.stat(tag, stat)), "{key}");
    }
    let params = logged(&server, "params");
    assert_eq!(
        (value_of(&params, "endpoint.type"), value_of(&params, "loadgen.concurrency")),
        (json!("chat"), json!("2"))
    );
    let tags = logged(&server, "tags");
    assert_eq!((value_of(&tags, "a"), value_of(&tags, "c")), (json!("b"), json!("true")));
    assert_eq!(value_of(&tags, "aiperf.was_cancelled"), "false");
    let received = server.received();
    let uploaded = |name: &str| received.iter().find(|request| request.target == format!("{FILES}exports/{name}"));
    let summary = uploaded("profile_export_aiperf.json").expect("the summary is uploaded");
    assert_eq!(
        (summary.method.as_str(), &summary.body),
        ("PUT", &artifacts.text("profile_export_aiperf.json").into_bytes())
    );
    assert!(uploaded("mlflow_export.json").is_some() && uploaded("profile_export.jsonl").is_some());
    assert_eq!(bodies(&server, "runs/update").pop().unwrap()["status"], "FINISHED");
    let export = artifacts.json("mlflow_export.json");
    assert!(export["tracking_uri"].as_str().unwrap().starts_with("http://<redacted>@"), "{export}");
    assert_eq!(
        (&export["run_id"], &export["parent_run_id"], &export["experiment"]),
        (&json!("R"), &json!("P"), &json!("exp"))
    );
    assert_eq!(export["benchmark_id"], artifacts.summary()["benchmark_id"]);
    for keys in ["metric_keys", "param_keys", "tag_keys", "uploaded_artifacts"] {
        assert!(!export[keys].as_array().unwrap().is_empty(), "{keys}");
    }
}

#[test]
fn live_metrics_come_while_the_run_lasts() {
    let (sim, server) = (sim("ttft=20&itl=10&osl=20"), mlflow());
    let load = "--streaming --osl 20 --concurrency 2 --benchmark-duration 5";
    let options = format!("{load} --mlflow-tracking-uri {}", server.url());
    let artifacts = Program::against(&sim, &options).succeed();
    let metrics = logged(&server, "metrics");
    assert!(value_of(&metrics, "live.aiperf.timing.requests.sent.profiling").as_f64() > Some(0.0));
    let export = artifacts.json("mlflow_export.json");
    assert_eq!((&export["reused_live_run"], bodies(&server, "runs/create").len()), (&json!(true), 1));
    assert!(export["stream_started_at_ns"].is_u64());
}

#[test]
fn only_files_that_match_are_uploaded() {
    let (sim, server) = (sim("ttft=1&itl=1&osl=2"), mlflow());
    let options = format!("--mlflow-tracking-uri {} --mlflow-artifact-glob *.csv", server.url());
    let export = short_run(&sim, &options).succeed().json("mlflow_export.json");
    let names = export["uploaded_artifacts"].as_array().unwrap();
    assert!(names.contains(&json!("profile_export_aiperf.csv")) && !names.contains(&json!("inputs.json")), "{names:?}");
}

#[test]
fn a_server_that_is_gone_or_refuses_does_not_fail_the_run() {
    let sim = sim("ttft=1&itl=1&osl=2");
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ended = short_run(&sim, &format!("--mlflow-tracking-uri http://{dead}")).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("not stored completely in MLflow"), "{}", ended.stderr);
    let refusing = TestServer::start(|_, _| in_one("403 Forbidden", "", b"go away"));
    let ended = short_run(&sim, &format!("--mlflow-tracking-uri {}", refusing.url())).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("HTTP 403 (go away)"), "{}", ended.stderr);
}

#[test]
fn a_server_that_dies_during_the_run_does_not_fail_it() {
    let sim = sim("ttft=20&itl=10&osl=20");
    let is_dead = AtomicBool::new(false);
    let dying = TestServer::start(move |_, request: &ReceivedRequest| {
        if is_dead.load(Relaxed) {
            return TestReply::new(b"").then(AfterReply::Close);
        }
        is_dead.store(request.target.ends_with("runs/log-batch"), Relaxed);
        respond(request)
    });
    let load = "--streaming --osl 20 --concurrency 2 --benchmark-duration 600";
    let run = Program::against(&sim, &format!("{load} --mlflow-tracking-uri {}", dying.url())).start();
    // One row of live metrics is stored. The run goes on and tries again.
    let tries = || bodies(&dying, "runs/log-batch").len();
    wait_for("a row that is lost", || (tries() >= 2).then_some(()));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("not stored completely in MLflow"), "{}", ended.stderr);
    let export = ended.artifacts.json("mlflow_export.json");
    assert_eq!((&export["run_id"], &export["live_streaming"]), (&json!("R"), &json!(true)), "{export}");
    assert!(ended.artifacts.summary()["request_count"]["avg"].as_f64() > Some(0.0));
}

#[test]
fn a_server_that_never_answers_delays_the_end_by_its_time_limit_at_most() {
    let (sim, silent) = (sim("ttft=1&itl=1&osl=2"), TestServer::start(|_, _| TestReply::silence()));
    let program = short_run(&sim, &format!("--mlflow-tracking-uri {}", silent.url()));
    let ended = program.env("AIPERF_MLFLOW_EXPORT_TIMEOUT_SECONDS", "1").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("not stored completely in MLflow"), "{}", ended.stderr);
}

#[test]
fn a_folder_gets_the_layout_of_mlflow_s_file_store() {
    let sim = sim("ttft=1&itl=1&osl=2");
    let folder = tempfile::tempdir().unwrap();
    let options = format!("--mlflow-tracking-uri file:{}", folder.path().display());
    let artifacts = short_run(&sim, &options).succeed();
    let run_id = artifacts.json("mlflow_export.json")["run_id"].as_str().unwrap().to_owned();
    let experiments: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let run = experiments[0].join(run_id);
    let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    assert!(read("meta.yaml").contains("status: 3\n"));
    assert!(std::fs::read_to_string(experiments[0].join("meta.yaml")).unwrap().contains("name: \"aiperf\""));
    let line = read("metrics/request_latency");
    // Read as the summary is: serde_json may round the last digit differently than the standard library.
    let value: f64 = serde_json::from_str(line.split(' ').nth(1).unwrap()).unwrap();
    assert_eq!(value.to_bits(), artifacts.average("request_latency").to_bits());
    assert_eq!((read("params/endpoint.type"), read("tags/mlflow.source.name")), ("chat".into(), "aiperf".into()));
    assert!(run.join("artifacts/exports/profile_export_aiperf.json").is_file());
}

/// `aiperf plot` on a folder with one run and this `mlflow_export.json`.
fn plot(words: &str, tracking_uri: &str) -> Ended {
    let record = |start: u64| {
        json!({
            "metadata": {"request_start_ns": start, "request_end_ns": start + 500_000_000, "benchmark_phase": "profiling"},
            "metrics": {"time_to_first_token": {"value": 100.0, "unit": "ms"}, "request_latency": {"value": 500.0, "unit": "ms"}},
        })
        .to_string()
    };
    let records: Vec<String> = (1..=5).map(|second| record(second * 1_000_000_000)).collect();
    let export = json!({
        "tracking_uri": tracking_uri, "experiment": "e", "run_id": "R", "run_name": "rn", "benchmark_id": "B",
        "parent_run_id": null, "live_streaming": true, "reused_live_run": true,
    });
    Program::new(&format!("plot out --preset ttft_over_time {words}"))
        .file("out/profile_export.jsonl", &records.join("\n"))
        .file("out/mlflow_export.json", &export.to_string())
        .run()
}

#[test]
fn pictures_that_are_drawn_later_go_to_the_same_mlflow_run() {
    let server = mlflow();
    let ended = plot("--mlflow-upload", &server.url());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Uploaded 2 pictures to the MLflow run R"), "{}", ended.stdout);
    let received = server.received();
    let uploads: Vec<_> = received.iter().filter(|request| request.method == "PUT").collect();
    let targets: Vec<&str> = uploads.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(targets, ["png", "svg"].map(|end| format!("{FILES}plots/ttft_over_time.{end}")));
    assert!(uploads[0].body.starts_with(b"\x89PNG"));
    assert!(received.iter().any(|request| request.target.ends_with("runs/get?run_id=R")), "{targets:?}");
}

#[test]
fn an_upload_of_pictures_that_cannot_work_fails_with_what_to_do() {
    let server = mlflow();
    let ended = plot("--mlflow-upload", "http://<redacted>@localhost:5000");
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(ended.stderr.contains("give --mlflow-tracking-uri"), "{}", ended.stderr);
    let ended =
        plot(&format!("--mlflow-upload --mlflow-tracking-uri {}", server.url()), "http://<redacted>@localhost:5000");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ended = plot("--mlflow-upload", &format!("http://{dead}"));
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(ended.stderr.contains("cannot reach"), "{}", ended.stderr);
    assert!(ended.artifacts.path("plots/ttft_over_time.png").exists(), "the pictures are there");
}
