//! Pages of runs with records that are made here: what charts are drawn from is compared with numbers computed from the same
//! records in another way.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;

use aiperf_artifact::Folder;
use aiperf_html_report::{RunPageOptions, run_page};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

const SECOND: u64 = 1_000_000_000;
const START: u64 = 1_700_000_000 * SECOND;

/// One request: when it was due and sent, what it measured, and how it ended.
#[derive(Debug, Clone)]
struct Sent {
    due_ms: f64,
    start_ms: f64,
    ttft_ms: f64,
    itl_ms: f64,
    tokens: u32,
    input: u32,
    error: Option<(u16, String)>,
}

impl Sent {
    fn latency_ms(&self) -> f64 {
        self.ttft_ms + self.itl_ms * f64::from(self.tokens - 1)
    }

    fn end_ms(&self) -> f64 {
        self.start_ms + self.latency_ms()
    }

    fn line(&self) -> String {
        let at = |ms: f64| START + (ms * 1e6).round() as u64;
        let metadata = json!({
            "x_request_id": "r", "credit_issued_ns": at(self.due_ms), "request_start_ns": at(self.start_ms),
            "request_ack_ns": at(self.start_ms + self.ttft_ms / 2.0), "request_end_ns": at(self.end_ms()),
            "benchmark_phase": "profiling", "phase_index": 0, "phase_name": "profiling",
        });
        let value = |value: f64, unit: &str| json!({"value": value, "unit": unit});
        let line = match &self.error {
            Some((code, message)) => json!({
                "metadata": metadata,
                "metrics": {"schedule_lag": value(self.start_ms - self.due_ms, "ms")},
                "error": {"code": code, "type": "Error", "message": message},
            }),
            None => json!({
                "metadata": metadata,
                "metrics": {
                    "time_to_first_token": value(self.ttft_ms, "ms"),
                    "inter_token_latency": value(self.itl_ms, "ms"),
                    "request_latency": value(self.latency_ms(), "ms"),
                    "schedule_lag": value(self.start_ms - self.due_ms, "ms"),
                    "time_to_first_token_from_due": value(self.ttft_ms + self.start_ms - self.due_ms, "ms"),
                    "inter_chunk_latency": {"value": vec![self.itl_ms; self.tokens as usize - 1], "unit": "ms"},
                    "input_sequence_length": value(f64::from(self.input), "tokens"),
                    "output_sequence_length": value(f64::from(self.tokens), "tokens"),
                },
            }),
        };
        line.to_string()
    }
}

/// Numbers that look random and are the same each time.
fn requests(count: usize) -> Vec<Sent> {
    let mut state = 12_345_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    (0..count)
        .map(|index| {
            let due_ms = index as f64 * 40.0 + 10.0;
            let failed = next() < 0.05;
            Sent {
                due_ms,
                start_ms: due_ms + (next() * 3.0 * 1e6).round() / 1e6,
                ttft_ms: (20.0 + 180.0 * next() * next() * 1e6).round() / 1e6 + 20.0,
                itl_ms: ((6.0 + 6.0 * next()) * 1e6).round() / 1e6,
                // Few chunks in a large run: reading them is what takes time.
                tokens: 2 + (next() * if count > 1_000 { 2.0 } else { 30.0 }) as u32,
                input: 100 + (next() * 900.0) as u32,
                error: failed.then(|| (if next() < 0.5 { 500 } else { 429 }, "refused".to_owned())),
            }
        })
        .collect()
}

fn write_run(dir: &Path, sent: &[Sent], summary: &Value) -> Folder {
    let mut lines = String::new();
    for one in sent {
        writeln!(lines, "{}", one.line()).unwrap();
    }
    fs::write(dir.join("profile_export.jsonl"), lines).unwrap();
    fs::write(dir.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
    Folder::open(dir).unwrap()
}

fn summary(seconds: u64) -> Value {
    json!({
        "benchmark_id": "b", "is_complete": true, "validity": [],
        "input_config": {
            "models": {"items": [{"name": "m"}]},
            "endpoint": {"type": "chat", "urls": ["http://server"], "streaming": true},
            "slos": {"time_to_first_token": 60.0, "inter_token_latency": 9.0},
        },
        "phase_accounting": [{"phase_name": "profiling", "start_ns": START, "end_ns": START + seconds * SECOND}],
        "steady_state": {"reached": false, "reason": "too short"},
    })
}

/// The head and the columns of a page.
fn payload(page: &str) -> (Value, Vec<u8>) {
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(&STANDARD.decode(data).unwrap()[..]).read_to_end(&mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[4..4 + length]).unwrap(), bytes[4 + length..].to_vec())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn page_of(sent: &[Sent], seconds: u64) -> (Value, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let folder = write_run(dir.path(), sent, &summary(seconds));
    payload(&run_page(&folder, None, &RunPageOptions::default(), "1").unwrap())
}

#[test]
fn load_is_counted_by_due_time_start_and_end() {
    let sent = requests(400);
    let (head, _) = page_of(&sent, 17);
    assert_eq!(head["time"], json!({"seconds": 17.0, "step": 1.0, "slices": 17}));
    let slice = |ms: f64| ((ms / 1e3) as usize).min(16);
    let count = |at: &dyn Fn(&Sent) -> Option<f64>| {
        let mut counts = vec![0.0; 17];
        sent.iter().filter_map(at).for_each(|ms| counts[slice(ms)] += 1.0);
        counts
    };
    let load = &head["load"];
    assert_eq!(numbers(&load["planned"]), count(&|one| Some(one.due_ms)));
    assert_eq!(numbers(&load["sent"]), count(&|one| Some(one.start_ms)));
    assert_eq!(numbers(&load["finished"]), count(&|one| one.error.is_none().then(|| one.end_ms())));
    assert_eq!(numbers(&load["failed"]), count(&|one| one.error.is_some().then(|| one.end_ms())));
    // In flight, by adding up hundredths of a second in which each request was there.
    let mut levels = [0.0; 17];
    for (step, level) in levels.iter_mut().enumerate() {
        for part in 0..1000 {
            let ms = step as f64 * 1e3 + f64::from(part) + 0.5;
            *level += sent.iter().filter(|one| one.start_ms <= ms && ms < one.end_ms()).count() as f64 / 1e3;
        }
    }
    for (found, counted) in numbers(&load["in_flight"]).iter().zip(levels) {
        assert!((found - counted).abs() < 0.05, "{found} {counted}");
    }
}

#[test]
fn columns_hold_every_successful_request_in_its_slice() {
    let sent = requests(400);
    let (head, columns) = page_of(&sent, 17);
    let requests = &head["requests"];
    let good: Vec<&Sent> = sent.iter().filter(|one| one.error.is_none()).collect();
    assert_eq!((&requests["rows"], &requests["exact"]), (&json!(good.len()), &json!(true)));
    let place = &requests["metrics"][0];
    assert_eq!(place["tag"], "time_to_first_token");
    let (at, bytes) =
        (place["column"]["at"].as_u64().unwrap() as usize, place["column"]["bytes"].as_u64().unwrap() as usize);
    let mut nanos = Vec::new();
    let (mut value, mut shift) = (0_u64, 0);
    for byte in &columns[at..at + bytes] {
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            nanos.push(value - 1);
            (value, shift) = (0, 0);
        }
    }
    // Requests are sent in order here, so slices one after the other are the order of sending.
    let expected: Vec<u64> = good.iter().map(|one| (one.ttft_ms * 1e6).round() as u64).collect();
    assert_eq!(nanos, expected);
    let verdict = &head["verdict"];
    let meets = |one: &&&Sent| one.ttft_ms <= 60.0 && one.itl_ms <= 9.0;
    let count = good.iter().filter(meets).count();
    assert_eq!(verdict["good"], count);
    assert!((verdict["goodput"].as_f64().unwrap() - count as f64 / 17.0).abs() < 1e-4);
    assert_eq!(verdict["failures"], sent.len() - good.len());
}

#[test]
fn tails_grids_gaps_and_errors_agree_with_the_records() {
    let sent = requests(400);
    let (head, _) = page_of(&sent, 17);
    let good: Vec<&Sent> = sent.iter().filter(|one| one.error.is_none()).collect();
    // Survival: about the stated share of requests lies above each point.
    for curve in head["survival"].as_array().unwrap() {
        let value: fn(&Sent) -> f64 = match curve["tag"].as_str().unwrap() {
            "time_to_first_token" => |one| one.ttft_ms,
            "request_latency" => |one| one.latency_ms(),
            _ => |one| one.ttft_ms + one.start_ms - one.due_ms,
        };
        for point in curve["points"].as_array().unwrap() {
            let (share, at) = (point[0].as_f64().unwrap(), point[1].as_f64().unwrap());
            let above = good.iter().filter(|one| value(one) > at).count() as f64 / good.len() as f64;
            assert!((above - share).abs() <= 1.5 / good.len() as f64, "{share} {above}");
        }
    }
    let cells =
        |grid: &Value| -> u64 { grid["cells"].as_array().unwrap().iter().map(|cell| cell[2].as_u64().unwrap()).sum() };
    assert_eq!(cells(&head["ttft_by_input"]), good.len() as u64);
    assert_eq!(cells(&head["itl_by_streams"]), good.len() as u64);
    assert_eq!(cells(&head["gaps"]), good.iter().map(|one| u64::from(one.tokens) - 1).sum::<u64>());
    let failed = |code: u16| sent.iter().filter(|one| one.error.as_ref().is_some_and(|error| error.0 == code)).count();
    for row in head["errors"]["rows"].as_array().unwrap() {
        assert_eq!(row["count"], failed(row["code"].as_u64().unwrap() as u16));
    }
    let achieved: f64 = numbers(&head["lengths"]["output"]["achieved"]).iter().sum();
    assert!((achieved - good.len() as f64).abs() < 1e-9);
    // Around the median of the time to first token, half of it passes before the headers come.
    let parts = numbers(&head["first_token"]["bars"][0]["parts"]);
    assert!((parts[1] - parts[2]).abs() < 0.01 * parts[1], "{parts:?}");
}

#[test]
fn a_large_run_is_rounded_and_stays_small() {
    let dir = tempfile::tempdir().unwrap();
    let sent = requests(42_000);
    let folder = write_run(dir.path(), &sent, &summary(1_700));
    let page = run_page(&folder, None, &RunPageOptions::default(), "1").unwrap();
    assert!(page.len() < 1_400_000, "{}", page.len());
    let (head, _) = payload(&page);
    assert_eq!(head["requests"]["exact"], false);
    let error = head["requests"]["relative_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.021, "{error}");
    assert_eq!(head["timeline"]["every"], 2);
    // Lines over time use every request, and its value as it was measured.
    let step = head["time"]["step"].as_f64().unwrap();
    let first: Vec<&Sent> = sent.iter().filter(|one| one.error.is_none() && one.start_ms < step * 1e3).collect();
    assert_eq!(head["requests"]["slice_requests"][0], first.len());
    let mut values: Vec<f64> = first.iter().map(|one| one.ttft_ms).collect();
    values.sort_by(f64::total_cmp);
    let rank = 0.9 * (values.len() - 1) as f64;
    let below = values[rank as usize];
    let expected = below + (values[rank as usize + 1] - below) * rank.fract();
    let found = head["requests"]["metrics"][0]["percentiles"][1][0].as_f64().unwrap();
    assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    // The count at the limits of the run is exact all the same.
    let meets = |one: &&Sent| one.error.is_none() && one.ttft_ms <= 60.0 && one.itl_ms <= 9.0;
    assert_eq!(head["verdict"]["good"], sent.iter().filter(meets).count());
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let folder = write_run(dir.path(), &requests(300), &summary(13));
    let page = || run_page(&folder, None, &RunPageOptions::default(), "1").unwrap();
    assert_eq!(page(), page());
}

#[test]
fn prompts_are_in_the_file_only_if_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let folder = write_run(dir.path(), &requests(20), &summary(2));
    fs::write(dir.path().join("inputs.json"), r#"{"data":[{"payloads":["a secret question"]}]}"#).unwrap();
    fs::write(dir.path().join("outputs.json"), r#"{"data":["a secret answer"]}"#).unwrap();
    let page =
        |include_text| run_page(&folder, None, &RunPageOptions { include_text, ..Default::default() }, "1").unwrap();
    let (without, _) = payload(&page(false));
    assert!(!without.to_string().contains("secret") && without["text"].is_null());
    let (with, _) = payload(&page(true));
    assert!(
        with["text"].to_string().contains("a secret question") && with["text"].to_string().contains("a secret answer")
    );
}

#[test]
fn other_limits_count_other_requests_and_unknown_metrics_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let sent = requests(300);
    let folder = write_run(dir.path(), &sent, &summary(13));
    let with = |limits: &[(&str, f64)]| {
        let goodput = Some(limits.iter().map(|(tag, limit)| ((*tag).to_owned(), *limit)).collect());
        run_page(&folder, None, &RunPageOptions { goodput, include_text: false }, "1")
    };
    let (head, _) = payload(&with(&[("request_latency", 150.0)]).unwrap());
    let expected = sent.iter().filter(|one| one.error.is_none() && one.latency_ms() <= 150.0).count();
    assert_eq!(head["verdict"]["good"], expected);
    let refused = with(&[("request_latencyy", 1.0)]).unwrap_err().to_string();
    assert!(refused.contains("request_latencyy") && refused.contains("request_latency"), "{refused}");
}
