//! `aiperf plot --dashboard` in a real browser, headless: `tests/browser/plot_dashboard.py` uses it as a person does.

use std::fs;
use std::path::Path;
use std::process::Command;

use aiperf_test_tools::available;
use rustix::process::Signal;
use serde_json::json;

use crate::support::{Program, Running, wait_for};

/// Whether there is a browser to test with.
fn has_browser() -> bool {
    available(&[&["python3", "--version"], &["chromium", "--version"]])
}

/// A run as its files say it. The latencies make each of them another point.
fn write_run(folder: &Path, model: &str, concurrency: u64) {
    fs::create_dir_all(folder).unwrap();
    let latency = 30.0 + 8.0 * concurrency as f64;
    let load = concurrency as f64;
    let summary = json!({
        "request_latency": {"unit": "ms", "avg": latency, "p99": latency * 1.8},
        "request_throughput": {"unit": "requests/sec", "avg": 900.0 * load / latency},
        "time_to_first_token": {"unit": "ms", "avg": latency / 5.0, "p99": latency / 2.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 30_000.0 * load / latency},
        "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 30_000.0 / latency},
        "input_config": {"models": {"items": [{"name": model}]}, "phases": [{"name": "profiling", "concurrency": concurrency}]},
    });
    fs::write(folder.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
    let lines: Vec<String> = (0..20u64)
        .map(|index| {
            let start = 1_000_000_000 + 50_000_000 * index;
            let end = start + (latency * 1e6) as u64;
            json!({
                "metadata": {"request_start_ns": start, "request_end_ns": end, "benchmark_phase": "profiling"},
                "metrics": {
                    "request_latency": {"value": latency + index as f64, "unit": "ms"},
                    "time_to_first_token": {"value": latency / 5.0 + (index % 3) as f64, "unit": "ms"},
                },
            })
            .to_string()
        })
        .collect();
    fs::write(folder.join("profile_export.jsonl"), lines.join("\n") + "\n").unwrap();
}

/// Serves a folder; the result has the address of the page.
fn serve(folder: &Path) -> (Running, String) {
    let words = format!("plot {} --dashboard --port 0 --gpus 4", folder.display());
    let run = Program::new(&words).env("HOME", folder.join("home").to_str().unwrap()).start();
    let address = wait_for("the address of the dashboard", || {
        let text = run.stdout();
        let line = text.lines().find_map(|line| line.strip_prefix("Dashboard: "))?;
        text.contains('\n').then(|| line.to_owned())
    });
    (run, address)
}

fn use_page(part: &str, address: &str, more: &[&str]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/plot_dashboard.py");
    let mut command = Command::new("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(part).arg(address).args(more);
    let used = command.output().unwrap();
    let said = [&used.stdout, &used.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(used.status.success(), "{said:?}");
}

#[test]
fn ctrl_c_ends_the_dashboard_in_an_orderly_way() {
    let dir = tempfile::tempdir().unwrap();
    write_run(&dir.path().join("c1"), "m", 1);
    let (run, address) = serve(dir.path());
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(run.stdout().contains("single-run plots of 1 run."), "{}", run.stdout());
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.ends_with("Shutting down the dashboard.\n"), "{}", ended.stdout);
}

#[test]
fn charts_are_chosen_changed_saved_and_exported_on_the_page() {
    if !has_browser() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for model in ["a", "b"] {
        for concurrency in [1, 4] {
            let more = u64::from(model == "b");
            write_run(
                &dir.path().join(model).join(format!("c{concurrency}")),
                &format!("model-{model}"),
                concurrency + more,
            );
        }
    }
    let (_run, address) = serve(dir.path());
    use_page("board", &address, &[dir.path().to_str().unwrap()]);
}

#[test]
fn one_run_is_shown_request_by_request_and_hostile_names_stay_text() {
    if !has_browser() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    write_run(&dir.path().join("c1"), "m", 1);
    let (_run, address) = serve(dir.path());
    use_page("single", &address, &[]);
    let dir = tempfile::tempdir().unwrap();
    for concurrency in [1, 2] {
        let name = format!("<img src=x onerror=alert({concurrency})>");
        write_run(&dir.path().join(name), "<script>alert(1)</script>\"&", concurrency);
    }
    let (_run, address) = serve(dir.path());
    use_page("hostile", &address, &[]);
}

#[test]
fn the_dashboard_fits_a_phone_in_light_and_dark() {
    if !has_browser() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for concurrency in [1, 2] {
        write_run(&dir.path().join(format!("c{concurrency}")), "m", concurrency);
    }
    let (_run, address) = serve(dir.path());
    use_page("phone", &address, &[]);
}
