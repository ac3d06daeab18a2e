//! HTML reports: written by the program, opened by a real browser with the network off. `tests/browser/report_page.py` says what it
//! finds in a page; `tests/browser/report_points.py` computes the same numbers from the files of the runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aiperf_sim::Sim;
use aiperf_test_tools::available;
use serde_json::{Value, json};

use crate::support::{Ended, Program, sim};

/// Markup in a name or a message, and a place of the template.
const ATTACK: &str = "<img src=x onerror=\"window.attacked=true\"></script><script>window.attacked=true</script>{data}";

fn has_browser() -> bool {
    available(&[&["python3", "--version"], &["chromium", "--version"]])
}

/// What a script of `tests/browser` prints.
fn said(script: &str, words: &[&Path]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let mut command = Command::new("python3");
    let done = command.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).args(words).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{stdout}{stderr}");
    stdout.into_owned()
}

/// What a browser finds in a page; `limits` are entered into the SLO editor. Whatever the page is about, the browser reports no
/// error, the page asks for nothing, runs no script but its own, and fits a phone.
fn opened(page: &Path, limits: &[&str]) -> Value {
    let words: Vec<&Path> = [page].into_iter().chain(limits.iter().map(Path::new)).collect();
    let found: Value = serde_json::from_str(&said("report_page.py", &words)).unwrap();
    assert_eq!(found["problems"], json!([]), "console errors");
    assert_eq!(found["requests"], json!([]), "requests");
    assert_eq!((&found["elements_from_data"], &found["was_attacked"]), (&json!(0), &json!(false)));
    assert_eq!(found["foreign_script_ran"], false);
    assert!(found["policy_refused"].as_u64() > Some(0), "the policy refuses a script that is not the page's own");
    assert_eq!(found["wider_than_phone"], 0);
    assert_eq!(found["has_dark_colours"], true);
    let charts = found["charts"].as_array().unwrap();
    assert!(!charts.is_empty());
    for chart in charts {
        assert_eq!((&chart["drawn"], &chart["has_table"]), (&json!(true), &json!(true)), "{chart}");
        for drawing in chart["svg"].as_array().unwrap() {
            let names = drawing["names"].as_array().unwrap();
            assert!(!names.is_empty() && names.iter().all(|name| name != ""), "each axis has a name: {drawing}");
        }
    }
    let tables = found["tables"].as_object().unwrap();
    assert!(tables.values().all(|table| table["csv"].as_str().unwrap().lines().count() > 1), "{tables:?}");
    assert!(found["keys"]["value"].as_str().is_some_and(|text| !text.is_empty()), "{}", found["keys"]);
    found
}

/// Compares what is drawn with numbers that are computed from the files.
fn assert_points(kind: &str, found: &Value, folders: &[&Path]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), found.to_string()).unwrap();
    let words: Vec<&Path> = [Path::new(kind), file.path()].into_iter().chain(folders.iter().copied()).collect();
    said("report_points.py", &words);
}

fn assert_good(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
}

/// A run with server metrics, which other tests do without.
fn measured(sim: &Sim, dir: &Path, words: &str) -> Program {
    let model = "profile --model test-model --tokenizer builtin --isl 20 --streaming --url";
    Program::new(model).word(sim.url()).with("--artifact-dir").word(dir).with(words)
}

fn html(dir: &Path, output: &Path) -> PathBuf {
    assert_good(&Program::new("report").word(dir).with("--html --output-dir").word(output).run());
    output.join("report.html")
}

fn comparison(baseline: &Path, candidate: &Path, page: &Path) -> PathBuf {
    assert_good(&Program::new("compare").word(baseline).word(candidate).with("--html").word(page).run());
    page.to_owned()
}

#[test]
fn the_scripts_of_a_page_compute_what_they_should() {
    if has_browser() {
        said("report_scripts.py", &[&Path::new(env!("CARGO_MANIFEST_DIR")).join("../html-report/page")]);
    }
}

#[test]
fn every_chart_of_a_run_shows_its_records_and_the_slo_editor_counts_as_the_report_command_does() {
    let sim = sim("ttft=lognormal:20,10&itl=gamma:2,2&error_every=9&batch=8&request_metrics=true&gpus=2&kv_blocks=400");
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("run");
    let ended = measured(&sim, &folder, "--request-count 150 --request-rate 100 --isl-stddev 4 --osl 8")
        .with("--export-http-trace --extra-inputs include_metrics:true --server-metrics-formats json jsonl --goodput")
        .word("time_to_first_token:40 inter_token_latency:3")
        .with("--html --gpu-telemetry")
        .word(format!("{}/dcgm/metrics", sim.url()))
        .run();
    assert_good(&ended);
    assert!(ended.stdout.contains("HTML Report:"), "{}", ended.stdout);
    let page = folder.join("report.html");
    assert!(fs::read_to_string(&page).unwrap().contains("default-src 'none'"));
    // The folder above a single run stands for it.
    let above = html(out.path(), &out.path().join("above"));
    assert!(fs::read(above).unwrap() == fs::read(&page).unwrap(), "the page of the folder above differs");
    if !has_browser() {
        return;
    }
    let found = opened(&page, &[]);
    assert_eq!(found["keys"]["zoomed"], true, "the timeline has keys");
    let tables: Vec<&str> = found["tables"].as_object().unwrap().keys().map(String::as_str).collect();
    for name in "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11a r11b r12 r13 r14 r15 r16".split(' ') {
        assert!(tables.contains(&name), "{name} is not in {tables:?}");
    }
    assert_points("run", &found, &[&folder]);

    let found = opened(&page, &["time_to_first_token=20", "request_latency=35"]);
    let limited = Program::new("report")
        .word(&folder)
        .with("--goodput")
        .word("time_to_first_token:20 request_latency:35")
        .with("--output-dir")
        .word(folder.join("limited"))
        .run();
    assert_good(&limited);
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.join("limited/profile_export_aiperf.json")).unwrap()).unwrap();
    let number = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let good = summary["good_request_count"]["avg"].as_f64();
    assert!(good > Some(0.0), "{}", summary["good_request_count"]);
    assert_eq!(Some(number(&found["answer"]["good"])), good);
    let goodput = summary["goodput"]["avg"].as_f64().unwrap();
    assert!((number(&found["answer"]["goodput"]) / goodput - 1.0).abs() < 1e-6, "{} {goodput}", found["answer"]);
    // R3, R4, R5 and R15 follow the limits.
    assert_points("run", &found, &[&folder]);
}

#[test]
fn every_chart_of_a_sweep_and_of_a_comparison_shows_its_records() {
    let sim = sim("ttft=lognormal:8,4&itl=gamma:1,4&batch=4&kv_blocks=400");
    let out = tempfile::tempdir().unwrap();
    let dir = out.path().join("sweep");
    let load = "--request-count 40 --concurrency 1,4,8 --num-profile-runs 2 --osl 6 --goodput time_to_first_token:12";
    assert_good(&measured(&sim, &dir, load).with("--html").run());
    let page = dir.join("report.html");
    let refused = Program::new("report").word(&dir).with("--html --include-text").run();
    assert!(refused.code != Some(0) && refused.stderr.contains("name one of its runs"), "{}", refused.stderr);
    let runs = run_folders(&dir);
    assert_eq!(runs.len(), 6, "{runs:?}");
    let (baseline, candidate) = (&runs[0], &runs[5]);
    let compared = comparison(baseline, candidate, &dir.join("comparison.html"));
    // The same input gives the same bytes.
    let bytes = |path: &Path| fs::read(path).unwrap();
    assert!(bytes(&page) == bytes(&html(&dir, &dir.join("again"))), "the page of a sweep differs");
    assert!(
        bytes(&html(baseline, &dir.join("run"))) == bytes(&html(baseline, &dir.join("run-again"))),
        "the page of a run differs"
    );
    assert!(
        bytes(&compared) == bytes(&comparison(baseline, candidate, &dir.join("again.html"))),
        "the page of a comparison differs"
    );
    if !has_browser() {
        return;
    }
    // The lowest and the highest limit are met by all loads and by none; the one between may be met by some.
    for limit in ["0.001", "14", "100000"] {
        assert_points("sweep", &opened(&page, &[&format!("time_to_first_token={limit}")]), &[&dir]);
    }
    assert_points("comparison", &opened(&compared, &[]), &[baseline, candidate]);
}

#[test]
fn a_sweep_of_rates_and_lengths_shows_the_offered_load_costs_and_each_pair() {
    let sim = sim("ttft=8&itl=gamma:1,4&batch=4&gpus=2");
    let out = tempfile::tempdir().unwrap();
    let dir = out.path().join("sweep");
    let model =
        "profile --model test-model --tokenizer builtin --streaming --osl 6 --goodput time_to_first_token:12 --url";
    let ended = Program::new(model)
        .word(sim.url())
        .with("--request-rate 40,80 --isl 20,40 --request-count 30 --cost-per-gpu-hour 3 --gpu-telemetry")
        .word(format!("{}/dcgm/metrics", sim.url()))
        .with("--html --artifact-dir")
        .word(&dir)
        .run();
    assert_good(&ended);
    if !has_browser() {
        return;
    }
    let found = opened(&dir.join("report.html"), &[]);
    for name in ["s5", "s9", "s10"] {
        assert!(found["tables"][name].is_object(), "{name} is not there");
    }
    assert!(found["tables"]["s5"]["csv"].as_str().unwrap().contains("offered (req/s)"));
    assert!(found["tables"]["s2"]["csv"].as_str().unwrap().contains("per GPU"));
    assert_points("sweep", &found, &[&dir]);
}

/// Folders with records, in the order of their names.
fn run_folders(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        if entry.join("profile_export.jsonl").exists() {
            found.push(entry);
        } else {
            found.extend(run_folders(&entry));
        }
    }
    found.sort();
    found
}

/// A short run with markup in the model name, a header, the folder and every error message.
fn hostile_run(dir: &Path, concurrency: u32) {
    let sim = sim("ttft=5&itl=1&osl=3&error_every=4");
    let ended = Program::new("profile --no-server-metrics --tokenizer builtin --isl 20 --streaming --request-count 12")
        .with(&format!("--concurrency {concurrency} --goodput time_to_first_token:6 --url"))
        .word(sim.url())
        .with("--model")
        .word(ATTACK.replace(' ', "\u{a0}"))
        .with("--header")
        .word(format!("X-Note:{ATTACK}"))
        .with("--artifact-dir")
        .word(dir)
        .run();
    assert_good(&ended);
    let records = dir.join("profile_export.jsonl");
    let hostile = |line: &str| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record.get("error").is_some() {
            record["error"]["message"] = ATTACK.into();
            record["error"]["type"] = ATTACK.into();
        }
        format!("{record}\n")
    };
    let changed: String = fs::read_to_string(&records).unwrap().lines().map(hostile).collect();
    fs::write(&records, changed).unwrap();
}

#[test]
fn hostile_names_messages_and_headers_are_text_in_every_page() {
    let folder = tempfile::tempdir().unwrap();
    // A slash would be a folder below.
    let root = folder.path().join("<img src=x onerror=window.attacked=true>");
    let runs = [1, 2].map(|concurrency| {
        let dir = root.join(format!("{concurrency} <script>window.attacked=true<"));
        hostile_run(&dir, concurrency);
        dir
    });
    let pages = [
        html(&runs[0], &runs[0]),
        html(&root, &root),
        comparison(&runs[0], &runs[1], &folder.path().join("comparison.html")),
    ];
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        assert!(
            !text.contains("<img") && text.matches("<script").count() == 2,
            "the title is escaped, the rest compressed"
        );
    }
    if !has_browser() {
        return;
    }
    let shown = pages.map(|page| opened(&page, &[])["text"].as_str().unwrap().to_owned());
    assert!(shown[0].contains("window.attacked=true</script>{data}"), "the model and the message are shown");
    assert!(shown[1].contains("window.attacked=true</script>{data}"), "the model is shown");
    assert!(shown[2].contains("<script>window.attacked=true<"), "the folder is shown");
}
