//! The live interface of a real run: what it says while the run goes on and after it, and how clients end the run.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aiperf_test_tools::available;
use serde_json::Value;

use crate::support::{Program, Running, sim, wait_for};

/// The address that the program printed.
pub(crate) fn address(run: &Running) -> String {
    wait_for("the address of the live page", || {
        let text = run.stderr();
        let line = text.lines().find_map(|line| line.strip_prefix("Live page: "))?;
        text.contains('\n').then(|| line.to_owned())
    })
}

pub(crate) fn place(address: &str) -> &str {
    address.trim_start_matches("http://").split('/').next().unwrap()
}

/// Status and body.
pub(crate) fn ask(place: &str, method: &str, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(place).ok()?;
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n").ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

pub(crate) fn get(place: &str, path: &str) -> Option<Value> {
    let (status, body) = ask(place, "GET", path)?;
    (status == 200).then(|| serde_json::from_str(&body).unwrap())
}

pub(crate) fn completed(place: &str) -> Option<u64> {
    get(place, "/api/progress")?["phases"]["profiling"]["requests_completed"].as_u64()
}

#[test]
fn a_run_is_served_while_it_goes_on_and_its_files_after_it() {
    let sim = sim("ttft=20&itl=2&error_every=9");
    let run =
        Program::against(&sim, "--streaming --osl 10 --concurrency 4 --benchmark-duration 3 --warmup-request-count 5")
            .with("--goodput time_to_first_token:500 --api-port 0 --api-linger 600")
            .start();
    let address = address(&run);
    let place = place(&address);
    let first = wait_for("requests", || completed(place).filter(|count| *count > 0));
    wait_for("more requests", || completed(place).filter(|count| *count > first));
    let metrics = wait_for("metrics", || {
        let metrics = get(place, "/api/metrics")?;
        metrics["metrics"]["time_to_first_token"].is_object().then_some(metrics)
    });
    let ttft = metrics["metrics"]["time_to_first_token"]["min"].as_f64().unwrap();
    assert!(ttft >= 20.0, "the server takes 20 ms, the interface says {ttft}");
    assert_eq!(ask(place, "GET", "/api/results/files/profile_export_aiperf.json").unwrap().0, 404);
    let list = wait_for("the end", || get(place, "/api/results/list").filter(|list| list["ready"] == true));
    let names: Vec<&str> =
        list["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"profile_export_aiperf.json") && names.contains(&"profile_export.jsonl"), "{names:?}");
    let (status, served) = ask(place, "GET", "/api/results/files/profile_export_aiperf.json").unwrap();
    let written = std::fs::read_to_string(run.out().join("profile_export_aiperf.json")).unwrap();
    assert_eq!((status, &served), (200, &written));
    // What was shown live is what the files say.
    let progress = get(place, "/api/progress").unwrap();
    let profiling = &progress["phases"]["profiling"];
    let summary: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(profiling["success_records"].as_f64(), summary["request_count"]["avg"].as_f64(), "{profiling}");
    assert_eq!(profiling["error_records"].as_f64(), summary["error_request_count"]["avg"].as_f64(), "{profiling}");
    assert_eq!(progress["phases"]["warmup"]["success_records"], 5, "{progress}");
    assert_eq!(ask(place, "POST", "/api/shutdown").unwrap().0, 200);
    assert_eq!(run.end().code, Some(0));
}

#[test]
fn a_client_can_cancel_the_run_and_still_gets_its_files() {
    let sim = sim("ttft=20&itl=2");
    let run = Program::against(&sim, "--streaming --osl 10 --concurrency 2 --benchmark-duration 600")
        .with("--api-port 0 --api-linger 600")
        .start();
    let address = address(&run);
    let place = place(&address);
    wait_for("requests", || completed(place).filter(|count| *count > 3));
    assert_eq!(ask(place, "POST", "/api/cancel").unwrap().0, 202);
    let results = wait_for("the end", || get(place, "/api/results").filter(|results| results["status"] != "running"));
    assert_eq!((&results["status"], &results["results"]["was_cancelled"]), (&"cancelled".into(), &true.into()));
    assert_eq!(ask(place, "GET", "/api/results/files/profile_export_aiperf.json").unwrap().0, 200);
    assert_eq!(ask(place, "POST", "/api/cancel").unwrap().0, 409);
    assert_eq!(ask(place, "POST", "/api/shutdown").unwrap().0, 200);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert_eq!(ended.artifacts.summary()["was_cancelled"], true);
}

#[test]
fn nothing_waits_for_clients_that_are_not_there() {
    let sim = sim("ttft=0&itl=0");
    let ended = Program::against(&sim, "--osl 2 --request-count 5 --api-port 0").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!ended.stderr.contains("The live page stays"), "{}", ended.stderr);
    let config = &ended.artifacts.summary()["input_config"]["runtime"];
    assert_eq!(config["api_port"], 0, "{config}");
}

#[test]
fn wrong_settings_are_refused_before_anything_is_sent() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let profile = |words: &str| Program::profile("--url sim: --model m --request-count 3").with(words).run();
    profile(&format!("--api-port {port}")).was_refused_with(&["--api-port", "another port"]);
    profile("--api-host 127.0.0.1").was_refused_with(&["--api-host", "--api-port"]);
    profile("--api-linger 5").was_refused_with(&["--api-linger", "--api-port"]);
    let short = profile("--api-port 0 --api-token abc");
    short.was_refused_with(&["--api-token", "8 or more"]);
    assert!(!short.stderr.contains("abc"), "{}", short.stderr);
    profile("--api-port 0 --api-host 192.0.2.1").was_refused_with(&["192.0.2.1"]);
}

#[test]
fn the_token_is_in_no_file() {
    let sim = sim("ttft=0&itl=0");
    let secret = "sesame-sesame-sesame";
    let ended = Program::against(&sim, "--osl 2 --request-count 5 --export-level raw --api-port 0 --api-host 0.0.0.0")
        .env("AIPERF_API_TOKEN", secret)
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains(&format!("?token={secret}")), "{}", ended.stderr);
    let mut folders = vec![ended.artifacts.path("")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(secret), "{} contains the token", path.display());
            }
        }
    }
    assert!(!ended.stdout.contains(secret));
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_script_that_uses_all_of_the_references_interface_reads_ours() {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !available(&[&[&python, "--version"]]) {
        return;
    }
    let sim = sim("ttft=20&itl=2&error_every=9");
    let run =
        Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --isl 20 --streaming --osl 10")
            .with(&format!("--url {} --concurrency 4 --benchmark-duration 4 --warmup-request-count 5", sim.url()))
            .with("--api-port 0 --api-linger 600")
            .start();
    let address = address(&run);
    let script = repository().join("conformance/live_client/read_everything.py");
    let read = Command::new(python).arg(script).arg(address.trim_end_matches('/')).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    // Its last message comes before the files are written.
    wait_for("the end", || ask(place(&address), "POST", "/api/shutdown").filter(|(status, _)| *status == 200));
    assert_eq!(run.end().code, Some(0));
}

/// A program of the test that is killed when the test ends.
struct Helper(std::process::Child);

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn prometheus_scrapes_the_run() {
    if !available(&[&["prometheus", "--version"], &["promtool", "--version"]]) {
        return;
    }
    let sim = sim("ttft=20&itl=2");
    let run = Program::against(&sim, "--streaming --osl 10 --concurrency 2 --benchmark-duration 600")
        .with("--api-port 0")
        .start();
    let address = address(&run);
    let target = place(&address);
    wait_for("requests", || completed(target).filter(|count| *count > 3));
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: aiperf\n  static_configs: [{{targets: ['{target}']}}]\n"
    );
    std::fs::write(folder.path().join("prometheus.yml"), config).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new("prometheus");
    command.arg(format!("--config.file={}", folder.path().join("prometheus.yml").display()));
    command.arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()));
    command.arg(format!("--web.listen-address={free}")).stdout(Stdio::null()).stderr(Stdio::null());
    let _prometheus = Helper(command.spawn().unwrap());
    let free = free.to_string();
    for (query, least) in [("aiperf_requests_in_flight", 1.0), ("aiperf_time_to_first_token_avg_ms", 20.0)] {
        wait_for(query, || {
            let (status, body) = ask(&free, "GET", &format!("/api/v1/query?query={query}"))?;
            let body = body.lines().find(|line| line.starts_with('{')).unwrap_or_default().to_owned();
            let answer: Value = serde_json::from_str(&body).ok().filter(|_| status == 200)?;
            let value: f64 = answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()?;
            (value >= least).then_some(())
        });
    }
    // Names are AIPerf's, so that promtool's advice about names is of no interest here: a page that it cannot parse is.
    let page = ask(target, "GET", "/metrics").unwrap().1;
    let mut check = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    check.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let said = check.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.contains("error while linting") && !said.contains("parsing"), "{said}");
    assert_eq!(ask(target, "POST", "/api/cancel").unwrap().0, 202);
    assert_eq!(run.end().code, Some(130));
}
