//! HTML reports: written by the program, opened by a real browser with the network off.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Program, sim};

const NODE: &[&str] = &["node", "--version"];
const CHROMIUM: &[&str] = &["chromium", "--version"];

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../html-report/tests/browser").join(name)
}

/// What a browser finds in a page; `limits` are entered into the SLO editor.
fn opened(page: &Path, limits: &[&str]) -> Value {
    let done = Command::new("node").arg(script("check.mjs")).arg(page).args(limits).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn assert_quiet(found: &Value) {
    assert_eq!(found["problems"], serde_json::json!([]), "console errors");
    assert_eq!(found["requests"], serde_json::json!([]), "requests");
    assert_eq!((&found["scripts_in_text"], &found["was_attacked"]), (&0.into(), &false.into()));
}

fn report(folder: &Path, words: &str) -> crate::support::Ended {
    Program::new("report").word(folder).with(words).run()
}

fn assert_good(ended: &crate::support::Ended) {
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn the_slo_editor_of_a_page_counts_as_the_report_command_does() {
    let sim = sim("ttft=lognormal:20,10&itl=2&osl=6&error_every=9");
    let ended = Program::against(&sim, "--streaming --request-count 120 --concurrency 6 --osl 6 --html").run();
    assert_good(&ended);
    assert!(ended.stdout.contains("HTML Report:"), "{}", ended.stdout);
    let page = ended.artifacts.path("report.html");
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.contains("default-src 'none'"));
    let folder = ended.artifacts.path("");
    if !aiperf_test_tools::available(&[NODE, CHROMIUM]) {
        return;
    }
    let found = opened(&page, &["time_to_first_token=20", "request_latency=35"]);
    assert_quiet(&found);
    let limited = Program::new("report")
        .word(&folder)
        .with("--goodput time_to_first_token:20 request_latency:35 --output-dir")
        .word(folder.join("limited"))
        .run();
    assert_good(&limited);
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.join("limited/profile_export_aiperf.json")).unwrap()).unwrap();
    let number = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    assert_eq!(Some(number(&found["slo"]["good"])), summary["good_request_count"]["avg"].as_f64());
    let goodput = summary["goodput"]["avg"].as_f64().unwrap();
    assert!((number(&found["slo"]["goodput"]) / goodput - 1.0).abs() < 1e-6, "{} {goodput}", found["slo"]);
    let charts = found["charts"].as_array().unwrap();
    assert!(charts.len() >= 12 && charts.iter().all(|chart| chart["drawn"] == true), "{charts:?}");
}

#[test]
fn hostile_names_and_messages_are_text() {
    let attack = "<img src=x onerror=\"window.attacked=true\"></script><script>window.attacked=true</script>{data}";
    let sim = sim("ttft=5&itl=1&osl=3&error_every=4");
    let folder = tempfile::tempdir().unwrap();
    // A slash would be a folder below.
    let dir = folder.path().join("<img src=x onerror=window.attacked=true>");
    let ended =
        Program::new("profile --no-server-metrics --tokenizer builtin --isl 20 --streaming --request-count 12 --url")
            .word(sim.url())
            .with("--model")
            .word(attack.replace(' ', "\u{a0}"))
            .with("--artifact-dir")
            .word(&dir)
            .run();
    assert_good(&ended);
    let records = dir.join("profile_export.jsonl");
    let changed: String = fs::read_to_string(&records)
        .unwrap()
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            if record.get("error").is_some() {
                record["error"]["message"] = attack.into();
                record["error"]["type"] = attack.into();
            }
            format!("{record}\n")
        })
        .collect();
    fs::write(&records, changed).unwrap();
    assert_good(&report(&dir, "--html"));
    let page = fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(!page.contains("onerror"), "the title is escaped and everything else is compressed");
    if !aiperf_test_tools::available(&[NODE, CHROMIUM]) {
        return;
    }
    let found = opened(&dir.join("report.html"), &[]);
    assert_quiet(&found);
    assert!(found["text"].as_str().unwrap().contains("window.attacked=true</script>"), "the message is shown");
}

#[test]
fn sweeps_and_comparisons_have_pages() {
    let sim = sim("ttft=5&itl=1&osl=4");
    let ended = Program::against(&sim, "--streaming --request-count 8 --concurrency 1,2 --osl 4 --html").run();
    assert_good(&ended);
    let sweep = ended.artifacts.path("report.html");
    assert!(sweep.exists(), "{}", ended.stdout);
    let dir = ended.artifacts.path("");
    let refused = report(&dir, "--html --include-text");
    assert!(refused.code != Some(0) && refused.stderr.contains("name one of its runs"), "{}", refused.stderr);
    let comparison = dir.join("comparison.html");
    let compared = Program::new("compare")
        .word(dir.join("concurrency_1"))
        .word(dir.join("concurrency_2"))
        .with("--html")
        .word(&comparison)
        .run();
    assert_good(&compared);
    if !aiperf_test_tools::available(&[NODE, CHROMIUM]) {
        return;
    }
    for page in [sweep, comparison] {
        let found = opened(&page, &[]);
        assert_quiet(&found);
        assert!(found["charts"].as_array().unwrap().iter().all(|chart| chart["drawn"] == true), "{found}");
    }
}
