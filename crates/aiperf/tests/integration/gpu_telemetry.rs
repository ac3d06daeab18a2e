//! GPU telemetry from the page of a DCGM exporter, with energy that is known.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use aiperf_sim::Sim;
use serde_json::{Value, json};

use crate::support::{Artifacts, Program, TestReply, TestServer, in_one, sim};

/// Watts of the two GPUs.
const WATTS: [f64; 2] = [300.0, 200.0];

/// An exporter whose page is renewed every `renewal` seconds. Its GPUs draw the same power all the time.
fn exporter(renewal: f64) -> TestServer {
    let began = Instant::now();
    TestServer::start(move |_, asked| -> TestReply {
        if asked.target != "/metrics" {
            return in_one("404 Not Found", "", b"");
        }
        let renewals = (began.elapsed().as_secs_f64() / renewal).floor();
        let seconds = renewals * renewal;
        let mut page = String::new();
        for (gpu, watts) in WATTS.iter().enumerate() {
            let labels = format!(
                "gpu=\"{gpu}\",UUID=\"GPU-{gpu}\",pci_bus_id=\"00000000:0{gpu}:00.0\",device=\"nvidia{gpu}\",\
                 modelName=\"NVIDIA H200\",Hostname=\"node1\""
            );
            for (name, value) in [
                ("DEV_POWER_USAGE", *watts),
                ("DEV_TOTAL_ENERGY_CONSUMPTION", 5e9 + watts * seconds * 1e3),
                ("DEV_GPU_UTIL", 90.0),
                ("DEV_MEM_COPY_UTIL", 40.0),
                ("DEV_FB_USED", 70_000.0),
                ("DEV_GPU_TEMP", 60.0),
                ("PROF_SM_ACTIVE", 0.8),
                ("DEV_DEC_UTIL", 0.0),
                ("DEV_ENC_UTIL", 0.0),
                ("DEV_XID_ERRORS", 0.0),
                ("DEV_POWER_VIOLATION", 0.0),
                ("DEV_MEMORY_TEMP", 50.0 + renewals),
            ] {
                writeln!(page, "DCGM_FI_{name}{{{labels}}} {value}").unwrap();
            }
        }
        in_one("200 OK", "Content-Type: text/plain; version=0.0.4\r\n", page.as_bytes())
    })
}

fn run(exporter: &TestServer, words: &str) -> Artifacts {
    let sim = sim("ttft=5&itl=5&osl=10");
    Program::against(&sim, &format!("--streaming --concurrency 2 --osl 10 --gpu-telemetry {}", exporter.url()))
        .with(words)
        .succeed()
}

fn readings(artifacts: &Artifacts) -> Vec<Value> {
    artifacts.text("gpu_telemetry_export.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn energy_covers_exactly_the_profiling_phase() {
    let artifacts = run(&exporter(0.05), "--benchmark-duration 4 --cost-per-gpu-hour 1.8 --random-seed 1");
    let summary = artifacts.summary();
    let phase = &summary["phase_accounting"][0];
    let seconds = (phase["end_ns"].as_u64().unwrap() - phase["start_ns"].as_u64().unwrap()) as f64 / 1e9;
    let truth = seconds * (WATTS[0] + WATTS[1]);
    let average = |tag: &str| summary[tag]["avg"].as_f64().unwrap_or_else(|| panic!("{tag}: {summary:#}"));
    let energy = &summary["telemetry_data"]["summary"]["energy"]["nvidia"];
    let error = energy["error_percent"].as_f64().unwrap();
    let off = (average("nvidia_total_gpu_energy") / truth - 1.0).abs() * 100.0;
    assert!(off <= error + 1e-6 && error <= 5.0, "off by {off} %, stated {error} %");
    assert_eq!(energy["gpus"], 2);
    assert!((average("nvidia_average_gpu_power") - 500.0).abs() < 25.0);
    assert!((average("nvidia_total_gpu_power") - 500.0).abs() < 1e-6);
    assert!((average("nvidia_idle_gpu_power") - 500.0).abs() < 1e-6);
    let tokens = average("total_osl");
    let per_joule = average("nvidia_output_tokens_per_joule");
    assert!((per_joule - tokens / average("nvidia_total_gpu_energy")).abs() < 1e-9);
    let interval = &summary["nvidia_output_tokens_per_joule"]["ci"];
    let throughput = &summary["output_token_throughput"]["ci"];
    // A slow machine has too few samples for either.
    assert_eq!(interval["avg"].is_array(), throughput["avg"].is_array(), "{interval} and {throughput}");
    if let (Some(low), Some(high)) = (interval["avg"][0].as_f64(), interval["avg"][1].as_f64()) {
        assert!(low < per_joule && per_joule < high, "{interval}");
    }
    // Two GPUs at 1.80 an hour are 0.001 a second.
    let cost = average("cost_per_thousand_requests");
    assert!((cost - 1.0 / average("request_throughput")).abs() < 1e-9, "{cost}");
    let cost_interval = &summary["cost_per_million_output_tokens"]["ci"];
    assert_eq!(cost_interval["avg"].is_array(), throughput["avg"].is_array(), "{cost_interval} and {throughput}");
}

#[test]
fn files_have_the_fields_units_and_rows_of_the_reference() {
    let artifacts = run(&exporter(0.05), "--request-count 20");
    let lines = readings(&artifacts);
    let keys = |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        keys(&lines[0]),
        [
            "gpu_index",
            "gpu_uuid",
            "gpu_model_name",
            "pci_bus_id",
            "device",
            "hostname",
            "platform",
            "timestamp_ns",
            "telemetry_source_url",
            "telemetry_data"
        ]
    );
    assert_eq!((&lines[0]["gpu_index"], &lines[1]["gpu_index"]), (&json!(0), &json!(1)));
    let fields = [
        ("nvidia_power_usage", "W", "NVIDIA GPU Power Usage (W)"),
        ("nvidia_energy_consumption", "MJ", "NVIDIA Energy Consumption (MJ)"),
        ("nvidia_gpu_utilization", "%", "NVIDIA GPU Utilization (%)"),
        ("nvidia_memory_utilization", "%", "NVIDIA Memory Utilization (%)"),
        ("nvidia_memory_used", "GB", "NVIDIA GPU Memory Used (GB)"),
        ("nvidia_temperature", "°C", "NVIDIA GPU Temperature (°C)"),
        ("nvidia_sm_utilization", "%", "NVIDIA SM Utilization (%)"),
        ("nvidia_decoder_utilization", "%", "NVIDIA Decoder Utilization (%)"),
        ("nvidia_encoder_utilization", "%", "NVIDIA Encoder Utilization (%)"),
        ("nvidia_xid_errors", "count", "NVIDIA XID Errors (count)"),
        ("nvidia_power_violation", "us", "NVIDIA Power Violation (us)"),
    ];
    assert_eq!(keys(&lines[0]["telemetry_data"]), fields.map(|(key, ..)| key));
    let summary = artifacts.summary();
    let (_, endpoint) = summary["telemetry_data"]["endpoints"].as_object().unwrap().iter().next().unwrap();
    let metrics = &endpoint["gpus"]["gpu_0"]["metrics"];
    assert_eq!(keys(metrics), fields.map(|(key, ..)| key));
    let csv = artifacts.text("profile_export_aiperf.csv");
    for (key, unit, row) in fields {
        assert_eq!(metrics[key]["unit"], unit, "{key}");
        assert!(csv.contains(&format!(",GPU-1,nvidia,{row},")), "{row}: {csv}");
    }
    assert!((metrics["nvidia_memory_used"]["avg"].as_f64().unwrap() - 73.400_32).abs() < 1e-9);
    assert_eq!(metrics["nvidia_sm_utilization"]["p50"], 80.0);
    let console = artifacts.text("profile_export_console.txt");
    assert!(console.contains("GPU 0 | NVIDIA H200") && console.contains("GPU Power Efficiency (NVIDIA)"), "{console}");
    let section: Vec<&str> = csv.lines().filter(|line| line.starts_with("Endpoint,")).collect();
    assert!(section[0].ends_with(",std,Hostname"), "{section:?}");
}

/// What the simulator says was true in a window of the wall clock.
fn truth(sim: &Sim, start: u64, end: u64) -> Value {
    let mut stream = TcpStream::connect(sim.addr()).unwrap();
    let target = format!("/sim/window?start_ns={start}&end_ns={end}");
    write!(stream, "GET {target} HTTP/1.1\r\nHost: sim\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn energy_is_that_of_the_simulators_gpus_within_the_stated_error() {
    let sim = sim("ttft=40&itl=10&osl=40&gpus=2&gpu_idle=80&gpu_busy=700&gpu_full=4&gpu_refresh=0.1");
    let url = format!("{}/dcgm", sim.url());
    for (load, seconds) in [("--concurrency 4", 8), ("--request-rate 5", 12)] {
        let artifacts = Program::against(&sim, &format!("--streaming --osl 40 --benchmark-duration {seconds} {load}"))
            .with(&format!("--gpu-telemetry {url} --random-seed 3"))
            .succeed();
        let summary = artifacts.summary();
        let phase = &summary["phase_accounting"][0];
        let edge = |name: &str| phase[name].as_u64().unwrap();
        let truth = truth(&sim, edge("start_ns"), edge("end_ns"))["joules"].as_f64().unwrap();
        let energy = &summary["telemetry_data"]["summary"]["energy"]["nvidia"];
        // A machine that is too busy to read the page in time has no figure, and says so. That there is one if readings come in time
        // is shown on a clock that does not depend on the machine: `energy_of_a_run` of the telemetry crate.
        let Some(ours) = summary["nvidia_total_gpu_energy"]["avg"].as_f64() else {
            assert!(energy["refused"].as_str().is_some_and(|why| why.contains("error")), "{energy}");
            continue;
        };
        let stated = energy["error_percent"].as_f64().unwrap();
        let off = (ours / truth - 1.0).abs() * 100.0;
        assert!(off <= stated, "{load}: {ours} J instead of {truth} J is off by {off} %, stated {stated} %");
        assert_eq!(energy["method"], "energy_counter", "{energy}");
        let idle = summary["nvidia_idle_gpu_power"]["avg"].as_f64().unwrap();
        assert!((idle - 160.0).abs() < 1.0, "{idle}");
    }
}

#[test]
fn a_page_that_is_renewed_too_seldom_gives_no_energy_and_says_why() {
    let artifacts = run(&exporter(30.0), "--benchmark-duration 2");
    let summary = artifacts.summary();
    for tag in ["nvidia_total_gpu_energy", "nvidia_output_tokens_per_joule", "nvidia_total_gpu_power"] {
        assert!(summary.get(tag).is_none(), "{tag}");
    }
    assert!(summary["telemetry_data"]["summary"]["energy"]["nvidia"]["refused"].is_string(), "{summary:#}");
    assert_eq!(summary["nvidia_idle_gpu_power"]["avg"], 500.0);
    let console = artifacts.text("profile_export_console.txt");
    assert!(console.contains("No energy figure for NVIDIA GPUs"), "{console}");
}

#[test]
fn further_fields_come_from_a_file() {
    let sim = sim("ttft=5&itl=5&osl=10");
    let exporter = exporter(0.05);
    let artifacts = Program::against(&sim, &format!("--request-count 8 --gpu-telemetry {} extra.csv", exporter.url()))
        .file("extra.csv", "# more\nDCGM_FI_DEV_MEMORY_TEMP, gauge, Memory Temperature (in C).\n")
        .succeed();
    assert!(readings(&artifacts)[0]["telemetry_data"]["nvidia_memory_temp"].as_f64().unwrap() >= 50.0);
    assert!(artifacts.text("profile_export_aiperf.csv").contains("Memory Temperature (°C)"));
}

#[test]
fn tensorrt_llm_reports_the_energy_of_all_its_gpus() {
    let began = Instant::now();
    let server = TestServer::start(move |_, _| -> TestReply {
        let seconds = began.elapsed().as_secs_f64();
        let page = json!({"total_energy_j": 900.0 * seconds, "query_time": seconds}).to_string();
        in_one("200 OK", "Content-Type: application/json\r\n", page.as_bytes())
    });
    let sim = sim("ttft=5&itl=5&osl=10");
    let words = format!("--concurrency 2 --benchmark-duration 6 --gpu-telemetry {}/energy_metrics", server.url());
    let artifacts = Program::against(&sim, &words).with("--cost-per-gpu-hour 2").succeed();
    let summary = artifacts.summary();
    let energy = &summary["telemetry_data"]["summary"]["energy"]["nvidia"];
    let phase = &summary["phase_accounting"][0];
    let seconds = (phase["end_ns"].as_u64().unwrap() - phase["start_ns"].as_u64().unwrap()) as f64 / 1e9;
    // A machine that is too busy to read the page in time has no figure, and says so; see `energy_of_a_run` of the telemetry crate.
    let Some(joules) = energy["joules"].as_f64() else {
        return assert!(energy["refused"].as_str().is_some_and(|why| why.contains("error")), "{energy}");
    };
    let off = (joules / (seconds * 900.0) - 1.0).abs() * 100.0;
    assert!(off <= energy["error_percent"].as_f64().unwrap(), "off by {off} %: {energy}");
    assert_eq!((&energy["gpus"], &energy["method"]), (&json!(0), &json!("energy_counter")));
    assert!(summary.get("cost_per_thousand_requests").is_none());
    assert!(artifacts.text("profile_export_console.txt").contains("Give their number with --gpus"));
}

#[test]
fn a_source_that_is_missing_is_named_and_the_run_goes_on() {
    let sim = sim("ttft=5&itl=5&osl=10");
    let ended = Program::against(&sim, "--request-count 3 --gpu-telemetry http://localhost:1/metrics").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("No GPU telemetry from http://localhost:1/metrics"), "{}", ended.stderr);
    let telemetry = &ended.artifacts.summary()["telemetry_data"];
    assert_eq!(telemetry["summary"]["endpoints_successful"], json!([]));
    assert_eq!(telemetry["error_summary"][0]["count"], 1);
}

#[test]
fn a_rebuilt_summary_keeps_gpus_energy_and_cost() {
    let artifacts = run(&exporter(0.05), "--benchmark-duration 3 --cost-per-gpu-hour 1.8");
    let before = artifacts.summary();
    let folder = artifacts.path("");
    let ended = Program::new("report").word(&folder).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for row in ["GPU 1 | NVIDIA H200", "NVIDIA GPU Power Usage (W)", "Energy per Output Token"] {
        assert!(ended.stdout.contains(row), "no {row} in {}", ended.stdout);
    }
    let after = artifacts.summary();
    assert_eq!(before["telemetry_data"], after["telemetry_data"]);
    for tag in ["nvidia_total_gpu_energy", "nvidia_energy_per_request", "cost_per_thousand_requests"] {
        let (old, new) = (before[tag]["avg"].as_f64().unwrap(), after[tag]["avg"].as_f64().unwrap());
        assert!((old / new - 1.0).abs() < 1e-6, "{tag}: {old} and {new}");
    }
    assert!(artifacts.text("profile_export_aiperf.csv").contains("NVIDIA GPU Utilization (%)"));
    let checked = Program::new("validate").word(&folder).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}
