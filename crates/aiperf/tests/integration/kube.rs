//! `aiperf kube` without a cluster, and against canned answers of an API server. `cluster/kubernetes/run` uses a real one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use aiperf_test_server::{ReceivedRequest, TestReply, TestServer};
use serde_json::{Value, json};

fn kube(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aiperf"));
    // Nothing of the user's own cluster.
    command.env_remove("KUBECONFIG").env("HOME", folder).env("KUBERNETES_SERVICE_HOST", "");
    command.arg("kube").args(words).current_dir(folder).output().expect("the program starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn error(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

const GENERATE: [&str; 9] =
    ["generate", "--image", "registry/aiperf:1", "--model", "m", "--url", "http://server:8000", "--name", "my-run"];

/// The documents of a stream.
fn documents(yaml: &str) -> Vec<Value> {
    yaml.split("---\n").map(|text| aiperf_config_file::yaml_value(text).unwrap()).collect()
}

#[test]
fn a_job_file_can_be_made_checked_shown_and_deployed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| text(&kube(folder.path(), words));
    run(&[
        "init",
        "-t",
        "minimal",
        "--model",
        "org/m",
        "--url",
        "http://server:8000",
        "--job-name",
        "first",
        "-o",
        "job.yaml",
    ]);
    assert_eq!(run(&["validate", "job.yaml"]), "Valid: job.yaml\n");
    let shown = run(&["show", "-f", "job.yaml"]);
    assert!(shown.starts_with("apiVersion: aiperf.nvidia.com/v1alpha1\nkind: AIPerfJob\n"), "{shown}");
    let objects = documents(&run(&["generate", "-f", "job.yaml", "--image", "registry/aiperf:1", "-n", "bench"]));
    let kinds: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
    assert_eq!(kinds, ["ConfigMap", "Secret", "Job"]);
    assert_eq!(objects[2]["metadata"]["name"], "first");
    assert_eq!(objects[2]["metadata"]["annotations"]["aiperf/model"], "org/m");
    // The pods get the file that was made, which this program reads again.
    fs::write(folder.path().join("pod.yaml"), objects[0]["data"]["aiperf.yaml"].as_str().unwrap()).unwrap();
    assert_eq!(run(&["validate", "pod.yaml"]), "Valid: pod.yaml\n");
}

#[test]
fn a_mistake_in_a_file_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    text(&kube(folder.path(), &["init", "-t", "minimal", "-o", "job.yaml"]));
    let file = folder.path().join("job.yaml");
    let broken = fs::read_to_string(&file).unwrap().replace("requests:", "request:");
    fs::write(&file, broken).unwrap();
    let answer = error(&kube(folder.path(), &["validate", "job.yaml"]));
    assert!(answer.contains("job.yaml:") && answer.contains("request"), "{answer}");
    let output = kube(folder.path(), &["validate", "job.yaml", "-o", "json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["valid"], output.status.code()), (&json!(false), Some(1)));
}

#[test]
fn secrets_and_files_of_this_machine_reach_the_pods() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("prompts.jsonl"), "{\"text\": \"Hello\"}\n").unwrap();
    let more = ["--api-key", "sk-secret-1", "--input-file", "prompts.jsonl", "--custom-dataset-type", "single_turn"];
    let output = kube(folder.path(), &[&GENERATE[..], &more].concat());
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("the Secret in the output has 1 value(s)"), "{warning}");
    let objects = documents(&text(&output));
    assert_eq!(objects[0]["data"]["file-0"], "{\"text\": \"Hello\"}\n");
    let config = objects[0]["data"]["aiperf.yaml"].as_str().unwrap();
    assert!(config.contains("/etc/aiperf/files/prompts.jsonl") && config.contains("${CONFIG_SECRET_1}"), "{config}");
    assert_eq!(objects[1]["stringData"]["CONFIG_SECRET_1"], "sk-secret-1");
    for object in objects.iter().filter(|object| object["kind"] != "Secret") {
        assert!(!object.to_string().contains("sk-secret-1"));
    }
}

#[test]
fn wrong_options_are_refused_before_anything_is_created() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |more: &[&str]| error(&kube(folder.path(), &[&GENERATE[..], more].concat()));
    let apart = ["--nodes", "4", "--concurrency", "8", "--coordination", "none"];
    assert!(refused(&apart).contains("--nodes needs --random-seed"));
    assert!(refused(&["--nodes", "4", "--concurrency", "2"]).contains("use at most 2 nodes"));
    assert!(
        refused(&["--nats", "nats://me:hush@site", "--nodes", "2", "--concurrency", "2"])
            .contains("leave the credentials out of the URL")
    );
    assert!(refused(&["--on-node-loss", "continue"]).contains("--on-node-loss needs --nodes"));
    assert!(refused(&["--operator"]).contains("aiperf needs no operator"));
    assert!(refused(&["--tolerations", "k=v"]).contains("write a JSON object"));
    assert!(refused(&["--name", "My_Run"]).contains("given more than once"));
    let with_password = ["generate", "--image", "i", "--model", "m", "--url", "http://me:hush@server:8000"];
    let answer = error(&kube(folder.path(), &with_password));
    assert!(answer.contains("contains a user name or password") && !answer.contains("hush"), "{answer}");
    let without_image = kube(folder.path(), &["generate", "--model", "m", "--url", "http://server:8000"]);
    assert!(error(&without_image).contains("--image is missing"));
    let service = Command::new(env!("CARGO_BIN_EXE_aiperf")).args(["service", "worker"]).output().unwrap();
    assert!(error(&service).contains("one process"), "{service:?}");
}

#[test]
fn several_nodes_have_a_coordinator_that_serves_their_results() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--nodes", "4", "--concurrency", "8", "--on-node-loss", "continue"];
    let objects = documents(&text(&kube(folder.path(), &[&GENERATE[..], &more].concat())));
    let kinds: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
    assert_eq!(kinds, ["ConfigMap", "Secret", "Service", "Deployment", "Job", "Job"]);
    let config = objects[0]["data"]["aiperf.yaml"].as_str().unwrap();
    assert!(config.contains("onNodeLoss: continue"), "{config}");
    let container = &objects[5]["spec"]["template"]["spec"]["containers"][0];
    let words: Vec<&str> = container["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let has = |words: &[&str], pair: [&str; 2]| words.windows(2).any(|words| words == pair);
    for pair in [["--nodes", "4"], ["--nats", "nats://my-run-nats:4222"], ["--api-port", "9090"]] {
        assert!(has(&words, pair), "{words:?}");
    }
    // Kubernetes must not end the other nodes when one is lost: the policy of the run decides.
    assert_eq!((&objects[4]["spec"]["backoffLimit"], &objects[5]["spec"]["backoffLimit"]), (&json!(6), &json!(0)));
    let token = objects[1]["stringData"]["api-token"].as_str().unwrap();
    assert!(token.starts_with('t'), "{token}");
    for object in objects.iter().filter(|object| object["kind"] != "Secret") {
        assert!(!object.to_string().contains(token));
    }
}

/// An API server with canned answers, and the configuration of a client.
fn server(folder: &Path, answer: fn(&ReceivedRequest) -> (u16, Value)) -> TestServer {
    let server = TestServer::start(move |_, request| {
        let (status, body) = answer(request);
        let body = match &body {
            Value::String(text) => text.clone(),
            body => body.to_string(),
        };
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        TestReply::new(head + &body)
    });
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": server.url()}}],
        "users": [{"name": "test", "user": {"token": "user-token"}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "bench"}}],
    });
    fs::write(folder.join("kubeconfig"), config.to_string()).unwrap();
    server
}

fn not_found() -> (u16, Value) {
    (404, json!({"kind": "Status", "status": "Failure", "message": "not found", "reason": "NotFound", "code": 404}))
}

fn job(name: &str, status: &Value) -> Value {
    json!({
        "metadata": {
            "name": name, "namespace": "bench", "uid": "u1", "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app.kubernetes.io/managed-by": "aiperf", "app.kubernetes.io/instance": name},
            "annotations": {"aiperf/nodes": "1", "aiperf/coordination": "none", "aiperf/model": "m"},
        },
        "spec": {"completionMode": "Indexed"},
        "status": status,
    })
}

/// A finished run, and one that goes on with one pod.
fn two_runs(request: &ReceivedRequest) -> (u16, Value) {
    let path = request.target.split('?').next().unwrap_or_default();
    let done = json!({"conditions": [{"type": "Complete", "status": "True"}]});
    let of_done = request.target.contains("instance%3Ddone");
    match (request.method.as_str(), path) {
        ("GET", "/apis/batch/v1/jobs" | "/apis/batch/v1/namespaces/bench/jobs") if of_done => {
            (200, json!({"items": [job("done", &done)]}))
        }
        ("GET", "/apis/batch/v1/jobs" | "/apis/batch/v1/namespaces/bench/jobs") => {
            (200, json!({"items": [job("done", &done), job("busy", &json!({"active": 1}))]}))
        }
        ("GET", "/api/v1/namespaces/bench/pods") => (
            200,
            json!({"items": [{
                "metadata": {"name": "busy-0-abcde", "labels": {"app.kubernetes.io/component": "node"},
                    "annotations": {"batch.kubernetes.io/job-completion-index": "0"}},
                "spec": {"nodeName": "machine-1"},
                "status": {"phase": "Running"},
            }]}),
        ),
        ("GET", "/api/v1/namespaces/bench/secrets/busy-credentials") => {
            (200, json!({"data": {"api-token": "dG9rZW4tMTIz"}}))
        }
        ("GET", "/api/v1/namespaces/bench/pods/busy-0-abcde/log") => (200, json!("line 1\nline 2\n")),
        ("POST", "/api/v1/namespaces/bench/pods/busy-0-abcde:9090/proxy/api/cancel") => {
            (202, json!({"status": "cancelling"}))
        }
        ("GET", path) if path.ends_with("/configmaps") && of_done => {
            (200, json!({"items": [{"metadata": {"name": "done-config"}}]}))
        }
        ("GET", path) if path.contains("jobset") => not_found(),
        ("GET", _) => (200, json!({"items": []})),
        ("DELETE", _) => (200, json!({"kind": "Status", "status": "Success"})),
        _ => not_found(),
    }
}

#[test]
fn runs_are_listed_with_their_states() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), two_runs);
    let run = |words: &[&str]| text(&kube(folder.path(), &[words, &["--kubeconfig", "kubeconfig"]].concat()));
    let table = run(&["list"]);
    assert!(table.contains("busy  bench      Running    1"), "{table}");
    assert!(table.contains("done  bench      Completed  1"), "{table}");
    assert!(!run(&["list", "--running"]).contains("done"));
    let requests = server.received();
    assert!(requests.iter().all(|request| request.header("authorization").as_deref() == Some("Bearer user-token")));
    assert!(
        requests[0].target.starts_with("/apis/batch/v1/jobs?labelSelector=app.kubernetes.io%2Fmanaged-by%3Daiperf")
    );
}

#[test]
fn a_run_is_cancelled_through_its_pod() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), two_runs);
    let answer = text(&kube(folder.path(), &["cancel", "busy", "--kubeconfig", "kubeconfig"]));
    assert!(answer.starts_with("Cancelled run busy: 1 pod(s)"), "{answer}");
    let received = server.received();
    let cancel = received.iter().find(|request| request.method == "POST").unwrap();
    // The API server keeps the header `Authorization` for itself.
    assert_eq!(cancel.header("cookie").as_deref(), Some("aiperf_token_9090=token-123"));
    let answer = error(&kube(folder.path(), &["cancel", "done", "--kubeconfig", "kubeconfig"]));
    assert!(answer.contains("run done has already ended: Completed"), "{answer}");
}

/// A run of two nodes and their coordinator, which has its results.
fn coordinated_run(request: &ReceivedRequest) -> (u16, Value) {
    let path = request.target.split('?').next().unwrap_or_default();
    let pod = |name: &str, component: &str| {
        json!({
            "metadata": {"name": name, "labels": {"app.kubernetes.io/component": component},
                "annotations": {"batch.kubernetes.io/job-completion-index": "0"}},
            "status": {"phase": "Running"},
        })
    };
    let mut run = job("led", &json!({"active": 1}));
    run["metadata"]["annotations"]["aiperf/nodes"] = json!("2");
    run["metadata"]["annotations"]["aiperf/coordination"] = json!("nats");
    let proxy = "/api/v1/namespaces/bench/pods/led-0-abcde:9090/proxy";
    match (request.method.as_str(), path.strip_prefix(proxy).unwrap_or(path)) {
        ("GET", "/apis/batch/v1/namespaces/bench/jobs") => (200, json!({"items": [run]})),
        ("GET", "/api/v1/namespaces/bench/pods") => {
            (200, json!({"items": [pod("led-0-abcde", "coordinator"), pod("led-nodes-0-fghij", "node")]}))
        }
        ("GET", "/api/v1/namespaces/bench/secrets/led-credentials") => {
            (200, json!({"data": {"api-token": "dG9rZW4tMTIz"}}))
        }
        ("GET", "/api/results") => (200, json!({"status": "complete"})),
        ("GET", "/api/results/list") => (200, json!({"files": [{"name": "a.json"}, {"name": "node-0/b.jsonl"}]})),
        ("GET", "/api/results/files/a.json" | "/api/results/files/node-0/b.jsonl") => (200, json!("content")),
        ("POST", "/api/cancel") => (409, json!({"detail": "over"})),
        ("POST", "/api/shutdown") => (200, json!({"status": "ending"})),
        _ => not_found(),
    }
}

#[test]
fn a_coordinated_run_is_reached_through_its_coordinator() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), coordinated_run);
    let with = |words: &[&str]| kube(folder.path(), &[words, &["--kubeconfig", "kubeconfig"]].concat());
    let answer = text(&with(&["attach", "led"]));
    assert!(answer.contains("Run led: 1 of 1 pod(s) have their results."), "{answer}");
    let answer = error(&with(&["cancel", "led"]));
    assert!(answer.contains("run led has already ended and serves its results"), "{answer}");
    // What the coordinator has written is whole: nothing is merged.
    let answer = text(&with(&["results", "led", "--output", "out", "--shutdown"]));
    assert!(answer.starts_with("Downloaded 2 file(s) of 1 pod(s)"), "{answer}");
    assert_eq!(fs::read_to_string(folder.path().join("out/node-0/b.jsonl")).unwrap(), "content");
    assert!(!folder.path().join("out/merged").exists());
    assert!(server.received().iter().all(|request| !request.target.contains("fghij")));
}

#[test]
fn logs_are_printed_as_the_pods_wrote_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), two_runs);
    assert_eq!(
        text(&kube(folder.path(), &["logs", "busy", "--tail", "2", "--kubeconfig", "kubeconfig"])),
        "line 1\nline 2\n"
    );
    assert!(server.received().iter().any(|request| request.target.ends_with("/busy-0-abcde/log?tailLines=2")));
}

#[test]
fn only_ended_runs_are_deleted_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), two_runs);
    let with = |words: &[&str]| kube(folder.path(), &[words, &["--kubeconfig", "kubeconfig"]].concat());
    let answer = error(&with(&["delete", "busy"]));
    assert!(answer.contains("run busy has not ended"), "{answer}");
    let answer = error(&with(&["delete", "other"]));
    assert!(answer.contains("there is no run other in namespace bench; its runs are busy, done"), "{answer}");
    assert!(text(&with(&["cleanup", "--dry-run"])).starts_with("Would delete run done"));
    assert!(server.received().iter().all(|request| request.method == "GET"));
    let answer = text(&with(&["cleanup"]));
    assert!(answer.contains("Deleted run done: Job done, ConfigMap done-config"), "{answer}");
    assert!(answer.contains("Kept run busy"), "{answer}");
    let received = server.received();
    let deleted: Vec<&str> =
        received.iter().filter(|request| request.method == "DELETE").map(|request| request.target.as_str()).collect();
    assert_eq!(
        deleted,
        ["/apis/batch/v1/namespaces/bench/jobs/done", "/api/v1/namespaces/bench/configmaps/done-config"]
    );
}

#[test]
fn an_api_server_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let answer = error(&kube(folder.path(), &["list"]));
    assert!(answer.contains("no cluster is configured"), "{answer}");
    let server = server(folder.path(), |_| {
        (
            403,
            json!({"kind": "Status", "status": "Failure", "message": "jobs is forbidden", "reason": "Forbidden", "code": 403}),
        )
    });
    let answer = error(&kube(folder.path(), &["list", "--kubeconfig", "kubeconfig"]));
    assert!(answer.contains("the API server refused to list jobs: jobs is forbidden (403)"), "{answer}");
    drop(server);
}
