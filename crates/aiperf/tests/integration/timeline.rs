//! What is made of finished runs: a Perfetto trace, swim lanes, messages turn by turn.

use std::path::Path;
use std::process::Command;

use aiperf_test_tools::available;
use serde_json::Value;

use crate::support::{Artifacts, Program, sim};

fn run(words: &str) -> Artifacts {
    let sim = sim("ttft=5&itl=2");
    let ended = Program::new("profile --artifact-dir out --model test-model --tokenizer builtin --isl 20 --streaming")
        .with(&format!("--url {} --osl 8 --concurrency 2 --server-metrics-formats json jsonl", sim.url()))
        .with(words)
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.artifacts
}

/// Fields of a protobuf message: number and contents of those that have a length.
fn messages(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => drop(varint(&mut bytes)),
            1 => bytes = &bytes[8..],
            2 => {
                let length = varint(&mut bytes) as usize;
                found.push((key >> 3, &bytes[..length]));
                bytes = &bytes[length..];
            }
            5 => bytes = &bytes[4..],
            other => panic!("wire type {other}"),
        }
    }
    found
}

#[test]
fn a_trace_has_a_track_for_each_slot_and_counters() {
    let artifacts = run("--request-count 12");
    let file = artifacts.path("run.perfetto-trace");
    let ended = Program::new("report").word(artifacts.path("")).with("--trace-out").word(&file).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let bytes = std::fs::read(&file).unwrap();
    // `Trace.packet` is field 1; `TracePacket.track_descriptor` is field 60, its name field 2; `track_event` is field 11.
    let packets: Vec<_> = messages(&bytes).into_iter().map(|(field, packet)| (field, messages(packet))).collect();
    assert!(packets.iter().all(|(field, _)| *field == 1));
    let fields = |wanted: u64| packets.iter().flat_map(|(_, packet)| packet).filter(move |(field, _)| *field == wanted);
    let names: Vec<String> = fields(60)
        .flat_map(|(_, descriptor)| messages(descriptor))
        .filter(|(field, _)| *field == 2)
        .map(|(_, name)| String::from_utf8_lossy(name).into_owned())
        .collect();
    for wanted in ["requests in flight", "KV cache usage", "running requests", "slot 0", "slot 1"] {
        assert!(names.iter().any(|name| name.starts_with(wanted)), "no {wanted} in {names:?}");
    }
    let slices = fields(11)
        .flat_map(|(_, event)| messages(event))
        .filter(|(field, name)| *field == 23 && name.starts_with(b"session "));
    assert_eq!(slices.count(), 12, "one slice for each request");
    let Some(trace) = decoded(&file) else { return };
    assert_eq!(trace["unended"], 0);
    let records = artifacts.profiled();
    for record in &records {
        let start = record.number("request_start_ns");
        let is_request =
            |slice: &&Value| slice["start"] == start && slice["name"].as_str().unwrap().starts_with("session ");
        let slice = trace["slices"].as_array().unwrap().iter().find(is_request).unwrap();
        assert_eq!(slice["end"], record.number("request_end_ns"), "{slice}");
    }
    let in_flight = trace["counters"]["requests in flight"].as_array().unwrap();
    let most = in_flight.iter().map(|value| value.as_f64().unwrap()).fold(0.0, f64::max);
    assert!((1.0..=2.0).contains(&most), "{in_flight:?}");
}

/// What Perfetto's own message types make of the file. `AIPERF_TEST_PYTHON` names a Python with the package `perfetto`.
fn decoded(file: &Path) -> Option<Value> {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let types = "from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace";
    if !available(&[&[&python, "-c", types]]) {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/table_scripts/perfetto_trace.py");
    let output = Command::new(python).env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn sessions_are_drawn_and_messages_are_shown() {
    let artifacts =
        run("--conversation-num 4 --conversation-turn-mean 2 --conversation-turn-delay-mean 5 --export-level raw");
    let folder = artifacts.path("");
    let drawn = Program::new("analyze swim-lane").word(&folder).with("--html -c 3 --ramp 0.01").run();
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    assert!(drawn.stdout.contains("swim_lane.png") && drawn.stdout.contains("swim_lane.html"), "{}", drawn.stdout);
    assert!(std::fs::read(artifacts.path("swim_lane.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(artifacts.text("swim_lane.html").contains("\"concurrency\":3"));
    let shown = Program::new("analyze turn-messages --run-dirs")
        .word(&folder)
        .with("-n 2 --max-turns 1 --content-cap 10")
        .run();
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let page = artifacts.text("turn_messages.html");
    assert_eq!(page.matches("<details class=\"conversation\"").count(), 2, "{page}");
    assert!(page.contains("2 of 4 conversations") && page.contains("1 more turns are not shown"), "{page}");
    let checked = Program::new("validate").word(&folder).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn mistakes_are_named() {
    let artifacts = run("--request-count 2");
    let folder = artifacts.path("");
    Program::new("analyze turn-messages").word(&folder).run().was_refused_with(&["--export-level raw"]);
    Program::new("analyze swim-lane")
        .word(&folder)
        .word(&folder)
        .with("-o x.png")
        .run()
        .was_refused_with(&["--out", "2 folders"]);
    Program::new("analyze -m model --sweep-type concurrency").run().was_refused_with(&["aiperf genai-perf analyze"]);
    Program::new("analyze swim-lane no-such-folder").run().was_refused_with(&["no-such-folder"]);
}
