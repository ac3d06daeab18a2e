//! The server of the dashboard over real sockets: what it answers, whom it refuses, what it saves.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use aiperf_plot::{PlotOptions, Theme};
use aiperf_plot_dashboard::{BoardOptions, PlotDashboard};
use serde_json::{Value, json};

/// A run of a sweep.
fn write_run(folder: &Path, model: &str, concurrency: u64) {
    fs::create_dir_all(folder).unwrap();
    let latency = 10.0 * concurrency as f64;
    let summary = json!({
        "request_latency": {"unit": "ms", "avg": latency, "p99": latency * 2.0},
        "request_throughput": {"unit": "requests/sec", "avg": 5.0 * concurrency as f64},
        "time_to_first_token": {"unit": "ms", "avg": latency / 4.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 50.0 * concurrency as f64},
        "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 1e4 / latency},
        "input_config": {"models": {"items": [{"name": model}]}, "phases": [{"name": "profiling", "concurrency": concurrency}]},
    });
    fs::write(folder.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
    let lines: Vec<String> = (0..5u64)
        .map(|index| {
            let start = 1_000_000_000 * (index + 1);
            json!({
                "metadata": {"request_start_ns": start, "request_end_ns": start + 500_000_000, "benchmark_phase": "profiling"},
                "metrics": {"request_latency": {"value": 500.0, "unit": "ms"}, "time_to_first_token": {"value": 20.0 + index as f64, "unit": "ms"}},
            })
            .to_string()
        })
        .collect();
    fs::write(folder.join("profile_export.jsonl"), lines.join("\n") + "\n").unwrap();
}

struct Served {
    dashboard: PlotDashboard,
    folder: tempfile::TempDir,
}

fn served(host: &str) -> Served {
    let folder = tempfile::tempdir().unwrap();
    write_run(&folder.path().join("runs/c1"), "m", 1);
    write_run(&folder.path().join("runs/c2"), "m", 2);
    let plot = PlotOptions {
        paths: vec![folder.path().join("runs")],
        home: Some(folder.path().join("home")),
        ..PlotOptions::default()
    };
    let options = BoardOptions { plot, theme: Theme::Light, host: host.to_owned(), port: 0 };
    Served { dashboard: PlotDashboard::start(options).unwrap(), folder }
}

struct Answered {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Served {
    fn place(&self) -> String {
        let address = self.dashboard.page_address();
        address.trim_start_matches("http://").split('/').next().unwrap().to_owned()
    }

    fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answered {
        let place = self.place();
        let port = place.rsplit(':').next().unwrap();
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let has_host = headers.iter().any(|line| line.starts_with("Host:"));
        let host = if has_host { String::new() } else { format!("Host: {place}\r\n") };
        let more = headers.iter().fold(String::new(), |more, line| more + line + "\r\n");
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{more}{kind}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let headers = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        Answered { status, headers: headers.to_lowercase(), body: bytes[end + 4..].to_vec() }
    }

    fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, &[], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answered {
        self.ask("POST", path, &[], &body.to_string())
    }

    fn board(&self) -> Value {
        self.get("/api/board").json()
    }
}

fn chart(preset: &Value) -> Value {
    json!({"name": "c", "preset": preset, "width": 900.0, "height": 500.0})
}

fn tail() -> Value {
    json!({"type": "scatter_line", "x": "concurrency", "y": {"metric": "request_latency", "stat": "p99"}, "labels": ["concurrency"]})
}

#[test]
fn the_board_lists_runs_charts_and_choices() {
    let served = served("127.0.0.1");
    let board = served.board();
    assert_eq!(board["is_single"], false);
    assert_eq!(board["runs"].as_array().unwrap().len(), 2);
    assert_eq!(board["runs"][1]["parameters"]["concurrency"], "2");
    assert_eq!(board["defaults"][2], "ttft_vs_throughput");
    assert_eq!(board["plots"]["ttft_vs_throughput"]["type"], "scatter_line");
    assert_eq!(board["choices"]["parameters"][0], "concurrency");
    let names: Vec<&str> =
        board["choices"]["metrics"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"request_latency") && names.contains(&"concurrency"), "{names:?}");
    let run = served.get(&format!("/api/run?run={}", board["runs"][0]["id"].as_str().unwrap())).json();
    assert_eq!(run["name"], "c1");
    assert!(run["config"].as_str().unwrap().contains("concurrency: 1"), "{run}");
    assert_eq!(served.get("/api/run?run=none").status, 404);
}

#[test]
fn a_chart_shows_the_chosen_runs_and_says_where_its_points_are() {
    let served = served("127.0.0.1");
    let board = served.board();
    let answer = served.post("/api/chart", &chart(&tail()));
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    let answer = answer.json();
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[0]["title"], "c1");
    assert_eq!(points[0]["lines"][1], json!(["Request Latency, p99 (ms)", "20"]));
    assert_eq!(points[1]["runs"][0], board["runs"][1]["id"]);
    let svg = answer["svg"].as_str().unwrap();
    assert!(svg.contains("viewBox=\"0 0 900 500\""));
    let dots = svg.split("<g class=\"layer dots\"").nth(1).unwrap();
    let [left, top] = ["left", "top"].map(|name| points[0][name].as_f64().unwrap());
    let first: Vec<f64> = dots
        .split("d=\"M")
        .nth(1)
        .unwrap()
        .split('h')
        .next()
        .unwrap()
        .split(' ')
        .map(|text| text.parse().unwrap())
        .collect();
    assert!((first[0] - left).abs() < 0.01 && (first[1] - top).abs() < 0.01, "{first:?} {left} {top}");

    let mut one = chart(&tail());
    one["runs"] = json!([board["runs"][1]["id"]]);
    assert_eq!(served.post("/api/chart", &one).json()["points"].as_array().unwrap().len(), 1);
    one["runs"] = json!([]);
    assert_eq!(served.post("/api/chart", &one).json(), json!({"reason": "no run is selected"}));

    let mut part = chart(&tail());
    part["view"] = json!({"x": [1.5, 2.5], "y": [0.0, 100.0]});
    let part = served.post("/api/chart", &part).json();
    assert_eq!(part["points"].as_array().unwrap().len(), 1, "the other point is outside");
    assert_eq!(part["x"]["from"], 1.5);
}

#[test]
fn the_requests_of_a_run_have_their_own_charts() {
    let served = served("127.0.0.1");
    let id = served.board()["runs"][0]["id"].as_str().unwrap().to_owned();
    let board = served.get(&format!("/api/board?run={id}")).json();
    assert_eq!((board["is_single"].as_bool(), board["run_name"].as_str()), (Some(true), Some("c1")));
    let mut chart = chart(&board["plots"]["ttft_over_time"]);
    chart["run"] = json!(id);
    let answer = served.post("/api/chart", &chart).json();
    assert_eq!(answer["points"].as_array().unwrap().len(), 5);
    let points = served.post("/api/points", &chart).json();
    assert_eq!(points["rows"][4], json!(["4", "24"]));
}

#[test]
fn mistakes_are_refused_with_a_reason() {
    let served = served("127.0.0.1");
    let refused = |preset: Value| String::from_utf8(served.post("/api/chart", &chart(&preset)).body).unwrap();
    assert!(refused(json!({"type": "cake", "y": "request_latency"})).contains("the types are pareto"));
    assert!(refused(json!({"type": "scatter", "x": "concurrency", "y": "nothing"})).contains("the run has no nothing"));
    assert!(refused(json!({"type": "scatter", "color": 1})).contains("unknown field"));
    assert_eq!(served.ask("POST", "/api/chart", &[], "{").status, 400);
    assert_eq!(served.get("/nothing").status, 404);
    assert_eq!(served.get("/page/..%2f..%2fCargo.toml").status, 404);
    assert_eq!(served.get("/api/board?run=unknown").status, 422);
}

#[test]
fn exports_are_files_of_their_kind() {
    let served = served("127.0.0.1");
    let export = |format: &str, count: usize| {
        let charts = vec![chart(&tail()); count];
        served.post("/api/export", &json!({"format": format, "charts": charts, "width": 1200, "height": 800}))
    };
    let png = export("png", 1);
    assert!(
        png.headers.contains("content-type: image/png") && png.headers.contains("filename=\"c.png\""),
        "{}",
        png.headers
    );
    let side = |at: usize| u32::from_be_bytes(png.body[at..at + 4].try_into().unwrap());
    assert_eq!((side(16), side(20)), (1200, 800));
    assert!(export("svg", 1).body.starts_with(b"<svg "));
    let csv = String::from_utf8(export("csv", 1).body).unwrap();
    assert_eq!(csv.lines().nth(1).unwrap().split(',').nth(6), Some("20"), "{csv}");
    assert!(export("csv", 2).body.starts_with(b"PK"));
    let html = String::from_utf8(export("html", 2).body).unwrap();
    assert_eq!(html.matches("<svg xmlns").count(), 2);
    assert!(html.contains("default-src 'none'") && !html.contains("<script"));
    assert_eq!(export("png", 0).status, 422);
}

fn save_request(board: &Value, target: &Value) -> Value {
    let mut plots = board["plots"].clone();
    plots["tail"] = tail();
    json!({
        "is_single": false, "plots": plots, "defaults": ["tail", "ttft_vs_throughput"], "wide": ["tail"],
        "target": target, "revision": board["revision"],
    })
}

#[test]
fn charts_are_saved_to_the_preset_file_that_is_read_again() {
    let served = served("127.0.0.1");
    let board = served.board();
    let file = served.folder.path().join("runs/.aiperf-plot-config.yaml");
    assert_eq!(board["targets"][0], json!(file));
    let saved = served.post("/api/presets", &save_request(&board, &board["targets"][0]));
    assert_eq!(saved.status, 200, "{}", String::from_utf8_lossy(&saved.body));
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("    tail:\n      type: scatter_line\n") && text.contains("# Drawn for two or more runs"),
        "{text}"
    );
    let again = served.board();
    assert_eq!(again["defaults"], json!(["tail", "ttft_vs_throughput"]));
    assert_eq!((&again["wide"], &again["origin"]), (&json!(["tail"]), &json!(file)));
    // The same page saves again only what it has read.
    let late = served.post("/api/presets", &save_request(&board, &board["targets"][0]));
    assert_eq!(late.status, 409);
    // Another place than those offered is refused.
    let stray = served.folder.path().join("stray.yaml");
    let refused = served.post("/api/presets", &save_request(&again, &json!(stray)));
    assert_eq!((refused.status, stray.exists()), (422, false));
    // A chart that makes no sense is not saved.
    let mut wrong = save_request(&again, &json!(file));
    wrong["plots"]["tail"]["type"] = json!("cake");
    assert_eq!(served.post("/api/presets", &wrong).status, 422);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_preset_file_that_breaks_keeps_its_last_good_text() {
    let served = served("127.0.0.1");
    let file = served.folder.path().join("runs/.aiperf-plot-config.yaml");
    fs::write(&file, "visualization: 5\n").unwrap();
    let mut seen = served.board()["changes"].as_u64().unwrap();
    while served.board()["problem"].is_null() {
        seen = served.get(&format!("/api/changes?since={seen}")).json()["changes"].as_u64().unwrap();
    }
    let board = served.board();
    assert!(board["problem"].as_str().unwrap().contains(".aiperf-plot-config.yaml"), "{board}");
    assert_eq!(board["defaults"][2], "ttft_vs_throughput");
    let refused = served.post("/api/presets", &save_request(&board, &json!(file)));
    assert_eq!((refused.status, fs::read_to_string(&file).unwrap().as_str()), (500, "visualization: 5\n"));
}

#[test]
fn a_page_hears_of_a_new_run() {
    let served = served("127.0.0.1");
    let changes = served.board()["changes"].as_u64().unwrap();
    write_run(&served.folder.path().join("runs/c4"), "m", 4);
    let mut seen = changes;
    // The search comes round once a second; the answer comes with it.
    while served.board()["runs"].as_array().unwrap().len() < 3 {
        seen = served.get(&format!("/api/changes?since={seen}")).json()["changes"].as_u64().unwrap();
    }
    assert!(served.board()["changes"].as_u64().unwrap() > changes);
}

#[test]
fn other_sites_and_other_names_are_refused_and_answers_are_locked() {
    let served = served("127.0.0.1");
    assert_eq!(served.ask("GET", "/api/board", &["Host: evil.example"], "").status, 403);
    assert_eq!(served.ask("GET", "/api/board", &["Origin: http://evil.example"], "").status, 403);
    assert_eq!(served.ask("POST", "/api/presets", &["Origin: null"], "{}").status, 403);
    let page = served.get("/");
    assert!(
        page.headers.contains("content-security-policy: default-src 'none'; script-src 'self'"),
        "{}",
        page.headers
    );
    assert!(page.headers.contains("x-frame-options: deny") && page.headers.contains("nosniff"));
    assert!(served.get("/page/typeface-regular.ttf").body.len() > 10_000);
}

#[test]
fn an_address_that_others_can_reach_needs_the_token() {
    let served = served("0.0.0.0");
    let address = served.dashboard.page_address();
    let token = address.split("?token=").nth(1).unwrap();
    assert_eq!(served.get("/api/board").status, 401);
    assert_eq!(served.get("/").status, 401);
    let header = format!("Authorization: Bearer {token}");
    assert_eq!(served.ask("GET", "/api/board", &[&header], "").status, 200);
    let entered = served.get(&format!("/?token={token}"));
    assert!(entered.status == 303 && entered.headers.contains("httponly"), "{}", entered.headers);
}
