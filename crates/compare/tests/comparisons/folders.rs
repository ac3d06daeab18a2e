//! Whole comparisons of folders: made up ones, and those that the reference left.

use std::fs;
use std::path::{Path, PathBuf};

use crate::synthetic::{LatencySpread, MadeUp};
use aiperf_compare::{
    AskedQuantity, CompareError, ComparisonOptions, ComparisonReport, ComparisonRow, Forecast, Format, Gate,
    GateOutcome, InconclusiveReason, OnUnclear, Page, Quantity, SampleUnit, Selection, Share, Side, Verdict, compare,
};
use aiperf_stats::Level;
use serde_json::{Value, json};

fn asked(quantities: &[&str]) -> ComparisonOptions {
    let quantity = |text: &&str| AskedQuantity { quantity: text.parse().unwrap(), threshold: None };
    ComparisonOptions {
        selection: Selection::Wide,
        quantities: quantities.iter().map(quantity).collect(),
        threshold: None,
        detect: None,
        level: Level::P95,
        allow_incomplete: false,
    }
}

fn open(folder: &Path, name: &str, asked: &ComparisonOptions) -> Result<Side, CompareError> {
    let quantities: Vec<Quantity> = asked.quantities.iter().map(|asked| asked.quantity).collect();
    Side::open(folder, Path::new(name), &quantities)
}

fn compared(a: &Path, b: &Path, asked: &ComparisonOptions) -> Result<ComparisonReport, CompareError> {
    compare(&open(a, "a", asked)?, &[open(b, "b", asked)?], asked)
}

fn row<'a>(report: &'a ComparisonReport, quantity: &str) -> &'a ComparisonRow {
    let rows = &report.comparisons[0].rows;
    rows.iter().find(|row| row.quantity.to_string() == quantity).unwrap_or_else(|| panic!("no {quantity} in {rows:?}"))
}

fn made_up(dir: &Path, name: &str, requests: u64, slower: f64, seed: u64) -> PathBuf {
    let folder = dir.join(name);
    MadeUp::usual(LatencySpread::Independent, requests, slower, seed).write(&folder);
    folder
}

/// Folders that the reference left.
fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../artifact/tests/fixtures").join(name)
}

fn summary_only() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/level_summary")
}

/// In every form, with and without a gate; what is to be parsed is parsed.
fn every_form(report: &ComparisonReport) -> Vec<String> {
    let mut texts = Vec::new();
    for gate in [None, Some(Gate::of(report, OnUnclear::Fail)), Some(Gate::of(report, OnUnclear::Pass))] {
        let page = Page { report, gate, version: "0.0.0" };
        let tests = report.comparisons.iter().map(|comparison| comparison.rows.len()).sum::<usize>();
        let xml = page.render(Format::Junit);
        let parsed = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
        let count = |name: &str| parsed.descendants().filter(|node| node.has_tag_name(name)).count();
        assert_eq!(count("testcase"), tests);
        let root = parsed.root_element();
        assert_eq!(root.attribute("failures"), Some(count("failure").to_string().as_str()));
        assert_eq!(root.attribute("skipped"), Some(count("skipped").to_string().as_str()));
        let parsed: Value = serde_json::from_str(&page.render(Format::Json)).unwrap();
        assert_eq!(parsed["comparisons"][0]["metrics"].as_array().unwrap().len(), report.comparisons[0].rows.len());
        assert_eq!(parsed.get("gate").is_some(), gate.is_some());
        texts.extend([xml, page.render(Format::Console), page.render(Format::Markdown)]);
    }
    texts
}

#[test]
fn a_large_change_is_found_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (made_up(dir.path(), "a", 400, 1.0, 1), made_up(dir.path(), "b", 400, 1.5, 2));
    let report = compared(&a, &b, &asked(&[])).unwrap();
    assert_eq!(row(&report, "time_to_first_token:avg").verdict, Verdict::Worse);
    assert_eq!(row(&report, "time_to_first_token:p50").verdict, Verdict::Worse);
    assert_eq!(row(&report, "request_throughput:avg").verdict, Verdict::Worse);
    let steady = row(&report, "inter_token_latency:avg");
    assert!(matches!(steady.verdict, Verdict::Equal | Verdict::Inconclusive), "{steady:?}");
    let rare = row(&report, "time_to_first_token:p99");
    assert!(
        matches!(rare.reason, Some(InconclusiveReason::TooFew { .. }))
            && matches!(rare.forecast, Some(Forecast::AtLeast(_)))
    );
    assert_eq!(Gate::of(&report, OnUnclear::Pass).outcome, GateOutcome::Regression);
    every_form(&report);
    let back = compared(&b, &a, &asked(&[])).unwrap();
    assert_eq!(row(&back, "time_to_first_token:avg").verdict, Verdict::Better);
    let change = row(&back, "time_to_first_token:avg").change.unwrap();
    assert!(change.low < -1.0 / 3.0 && -1.0 / 3.0 < change.high, "{change:?}");
}

#[test]
fn a_gate_gives_no_verdict_on_a_run_that_did_not_reach_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (made_up(dir.path(), "a", 400, 1.0, 1), made_up(dir.path(), "b", 200, 1.5, 2));
    let summary = b.join("profile_export_aiperf.json");
    let cases = [
        (r#"{"was_cancelled": true, "is_complete": false}"#, "the candidate was interrupted after 200 requests"),
        (r#"{"is_complete": false, "incomplete_reason": "No answer."}"#, "the candidate is incomplete: No answer"),
        (r#"{"is_complete": true, "records_lost": 7}"#, "the candidate lost 7 records"),
        (r#"{"is_complete": true, "rebuilt": {"records": 200}}"#, "rebuilt from its records"),
        ("", "the candidate has no summary"),
    ];
    for (text, words) in cases {
        if text.is_empty() {
            fs::remove_file(&summary).unwrap();
        } else {
            fs::write(&summary, text).unwrap();
        }
        let report = compared(&a, &b, &asked(&[])).unwrap();
        assert!(report.withheld().is_some_and(|why| why.contains(words)), "{words}: {:?}", report.withheld());
        let gate = Gate::of(&report, OnUnclear::Pass);
        assert_eq!((gate.outcome, gate.exit_code()), (GateOutcome::NoVerdict, 4), "{words}");
        assert!(
            report.comparisons[0].rows.iter().all(|row| row.verdict == Verdict::Withheld || row.candidate.is_none())
        );
        every_form(&report);
        let allowed = compared(&a, &b, &ComparisonOptions { allow_incomplete: true, ..asked(&[]) }).unwrap();
        assert_eq!(row(&allowed, "time_to_first_token:avg").verdict, Verdict::Worse, "{words}");
        assert!(every_form(&allowed).iter().all(|text| text.contains(words)), "{words} is not shown");
    }
    // The baseline is looked at as well.
    let report = compared(&b, &a, &asked(&[])).unwrap();
    assert!(report.withheld().is_some_and(|why| why.starts_with("the baseline has no summary")));
}

#[test]
fn a_summary_of_an_earlier_run_does_not_speak_for_a_killed_one() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (made_up(dir.path(), "a", 400, 1.0, 1), made_up(dir.path(), "b", 200, 1.0, 2));
    fs::write(b.join("profile_export_aiperf.json"), r#"{"benchmark_id": "old", "is_complete": true}"#).unwrap();
    assert!(compared(&a, &b, &asked(&[])).unwrap().withheld().is_none());
    fs::write(b.join(".aiperf_run.json"), r#"{"benchmark_id": "new"}"#).unwrap();
    let report = compared(&a, &b, &asked(&[])).unwrap();
    assert!(report.withheld().is_some_and(|why| why.contains("has no summary")), "{:?}", report.withheld());
}

#[test]
fn validity_warnings_of_either_side_are_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (made_up(dir.path(), "a", 100, 1.0, 1), made_up(dir.path(), "b", 100, 1.0, 2));
    for (folder, code) in [(&a, "clock_step"), (&b, "requests_resent")] {
        let note = json!({"code": code, "severity": "warning", "message": format!("{code} happened.")});
        let summary = json!({"is_complete": true, "was_cancelled": false, "validity": [note]});
        fs::write(folder.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
    }
    let report = compared(&a, &b, &asked(&[])).unwrap();
    for text in every_form(&report) {
        let plain = text.replace('\\', "");
        assert!(plain.contains("clock_step") && plain.contains("requests_resent happened."), "{text}");
    }
    let page = Page { report: &report, gate: None, version: "0.0.0" };
    let parsed: Value = serde_json::from_str(&page.render(Format::Json)).unwrap();
    assert_eq!(parsed["baseline"]["warnings"][0]["code"], "clock_step");
    assert_eq!(parsed["comparisons"][0]["candidate"]["warnings"][0]["code"], "requests_resent");
}

#[test]
fn throughput_that_more_than_quadrupled_is_called_better() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, concurrency: usize, seed: u64| {
        let folder = dir.path().join(name);
        let usual = MadeUp::usual(LatencySpread::Moderate, 200, 1.0, seed);
        MadeUp { concurrency, failed: 0.0, ..usual }.write(&folder);
        folder
    };
    let report = compared(&run("a", 4, 1), &run("b", 18, 2), &asked(&[])).unwrap();
    for quantity in ["request_throughput:avg", "output_token_throughput:avg"] {
        let row = row(&report, quantity);
        assert_eq!(row.verdict, Verdict::Better, "{row:?}");
        assert!(row.change.unwrap().low > 3.0, "{row:?}");
    }
}

#[test]
fn no_error_on_either_side_passes_from_299_requests_on() {
    let dir = tempfile::tempdir().unwrap();
    let run = |name: &str, requests: u64, seed: u64| {
        let folder = dir.path().join(name);
        MadeUp { failed: 0.0, ..MadeUp::usual(LatencySpread::Moderate, requests, 1.0, seed) }.write(&folder);
        folder
    };
    let gate = |requests: u64| {
        let (a, b) = (run("a", requests, 1), run("b", requests, 2));
        compared(&a, &b, &ComparisonOptions { selection: Selection::Gate, ..asked(&["request_error_rate"]) }).unwrap()
    };
    let enough = gate(299);
    assert_eq!(Gate::of(&enough, OnUnclear::Fail).outcome, GateOutcome::Passed);
    assert!(every_form(&enough).iter().all(|text| text.contains("at most 1.00% by the exact 95% bound")));
    let few = gate(298);
    assert_eq!(Gate::of(&few, OnUnclear::Fail).outcome, GateOutcome::Inconclusive);
    let row = row(&few, "request_error_rate:avg");
    let Some(InconclusiveReason::TooFewForErrors { needed, .. }) = &row.reason else { panic!("{row:?}") };
    assert_eq!(*needed, 299);
}

#[test]
fn several_runs_are_compared_run_by_run() {
    let dir = tempfile::tempdir().unwrap();
    for (side, slower, seed) in [("a", 1.0, 10), ("b", 1.5, 20)] {
        for run in 1..=4 {
            made_up(dir.path(), &format!("{side}/profile_runs/run_{run:04}"), 200, slower, seed + run);
        }
    }
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    let report = compared(&a, &b, &asked(&["time_to_first_token:avg", "time_to_first_token:p99"])).unwrap();
    let average = row(&report, "time_to_first_token:avg");
    assert_eq!((average.verdict, average.unit), (Verdict::Worse, SampleUnit::Runs));
    assert!(matches!(average.forecast, Some(Forecast::Needs { unit: SampleUnit::Runs, .. })), "{average:?}");
    assert!(row(&report, "time_to_first_token:p99").change.unwrap().high.is_finite(), "runs have a p99 each");
    assert_eq!((report.baseline.runs, report.baseline.requests), (4, Some(800)));
    // One run on one side borrows the spread of the others; a trial that left nothing is counted.
    fs::create_dir_all(b.join("profile_runs/run_0005")).unwrap();
    let one = compared(&a.join("profile_runs/run_0001"), &b, &asked(&["time_to_first_token:avg"])).unwrap();
    assert_eq!(row(&one, "time_to_first_token:avg").unit, SampleUnit::Runs);
    assert_eq!(one.comparisons[0].candidate.failed_runs, 1);
    every_form(&one);
}

#[test]
fn more_folders_are_each_compared_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let sides: Vec<Side> = [("a", 1.0), ("b", 1.4), ("c", 1.0)]
        .iter()
        .enumerate()
        .map(|(seed, (name, slower))| made_up(dir.path(), name, 400, *slower, seed as u64))
        .map(|folder| open(&folder, "x", &asked(&[])).unwrap())
        .collect();
    let two = compare(&sides[0], &sides[1..2], &asked(&["time_to_first_token:avg"])).unwrap();
    let three = compare(&sides[0], &sides[1..], &asked(&["time_to_first_token:avg"])).unwrap();
    assert_eq!((two.row_level, three.comparisons.len()), (Level::P95, 2));
    assert!((three.row_level.get() - 0.975).abs() < 1e-12, "both verdicts hold together");
    assert_eq!(three.comparisons[0].rows[0].verdict, Verdict::Worse);
    assert_ne!(three.comparisons[1].rows[0].verdict, Verdict::Worse);
}

#[test]
fn what_the_reference_left_can_be_compared() {
    let names = fs::read_dir(recorded("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut compared_folders = 0;
    for name in names {
        let report = compared(&recorded("timeslices"), &recorded(&name), &asked(&[]));
        let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
        every_form(&report);
        compared_folders += 1;
    }
    assert!(compared_folders > 15);
    let itself = compared(&recorded("timeslices"), &recorded("timeslices"), &asked(&[])).unwrap();
    assert!(itself.comparisons[0].workload.is_empty());
    for row in &itself.comparisons[0].rows {
        assert!(matches!(row.verdict, Verdict::Equal | Verdict::Inconclusive), "{row:?}");
        assert_eq!(row.baseline, row.candidate);
    }
    let other = compared(&recorded("timeslices"), &recorded("rate_naming"), &asked(&[])).unwrap();
    let notes: Vec<&str> = other.comparisons[0].workload.iter().map(|note| note.what).collect();
    assert!(notes.contains(&"load") && notes.contains(&"concurrency"), "{notes:?}");
}

#[test]
fn a_summary_without_intervals_cannot_tell() {
    let report = compared(&summary_only(), &recorded("timeslices"), &asked(&[])).unwrap();
    for row in &report.comparisons[0].rows {
        assert_eq!(row.verdict, Verdict::Inconclusive, "{row:?}");
    }
    let ttft = row(&report, "time_to_first_token:avg");
    assert!(ttft.baseline.is_some() && matches!(ttft.reason, Some(InconclusiveReason::NoInterval { .. })), "{ttft:?}");
    assert!(every_form(&report).iter().all(|text| text.contains("its summary has no interval")));
}

#[test]
fn a_summary_with_intervals_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, low: f64, value: f64, high: f64| {
        let folder = dir.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        let summary = json!({
            "request_latency": {"unit": "ms", "avg": value, "count": 1000, "ci": {"level": 0.95, "avg": [low, high]}},
            "nvidia_energy_per_request": {"unit": "joules/request", "avg": value},
        });
        fs::write(folder.join("profile_export_aiperf.json"), summary.to_string()).unwrap();
        folder
    };
    let (a, b) = (write("a", 99.0, 100.0, 101.0), write("b", 109.0, 110.0, 111.0));
    let report = compared(&a, &b, &asked(&["request_latency", "nvidia_energy_per_request"])).unwrap();
    let latency = row(&report, "request_latency:avg");
    assert_eq!(latency.verdict, Verdict::Worse);
    assert!(matches!(latency.forecast, Some(Forecast::Needs { unit: SampleUnit::Requests, .. })));
    assert_eq!(row(&report, "nvidia_energy_per_request:avg").verdict, Verdict::Inconclusive);
}

#[test]
fn what_cannot_be_compared_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let good = made_up(dir.path(), "good", 50, 1.0, 1);
    let refusal = |a: &Path, b: &Path, asked: &ComparisonOptions| compared(a, b, asked).unwrap_err().to_string();
    let missing = refusal(&dir.path().join("none"), &good, &asked(&[]));
    assert_eq!(missing, "a: this folder does not exist; name the artifact folder of a run");
    let file = refusal(&good, &good.join("profile_export.jsonl"), &asked(&[]));
    assert_eq!(file, "b is not a folder; name the artifact folder of a run");
    let above = refusal(dir.path(), &good, &asked(&[]));
    assert!(above.contains("it is not an artifact folder; try a/good"), "{above}");
    let sweep = dir.path().join("sweep");
    made_up(&sweep, "profile_runs/trial_0001/concurrency_1", 50, 1.0, 1);
    let found = refusal(&sweep, &good, &asked(&[]));
    assert!(found.contains("is a sweep") && found.contains("a/profile_runs/trial_0001/concurrency_1"), "{found}");
    let nowhere = refusal(&good, &good, &asked(&["goodput"]));
    assert!(nowhere.contains("no run has goodput:avg; a has time_to_first_token,"), "{nowhere}");
    let twice = refusal(&good, &good, &asked(&["request_latency", "request_latency:avg"]));
    assert!(twice.contains("request_latency:avg was given more than once"), "{twice}");
    let small = ComparisonOptions { detect: Share::new(0.02), ..asked(&["request_latency"]) };
    assert!(
        refusal(&good, &good, &small).contains("--detect 2% is not above the threshold of request_latency:avg, 2.5%")
    );
    let mut own = asked(&["request_latency"]);
    own.quantities[0].threshold = Share::new(0.1);
    own.threshold = Share::new(0.02);
    assert!(refusal(&good, &good, &own).contains("--threshold has no effect"));
    let broken = dir.path().join("broken");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join("profile_export_aiperf.json"), "[1,").unwrap();
    let found = refusal(&good, &broken, &asked(&[]));
    assert!(found.contains("cannot read") && found.contains("profile_export_aiperf.json: EOF"), "{found}");
}

#[test]
fn a_metric_that_one_side_lacks_cannot_be_told() {
    let dir = tempfile::tempdir().unwrap();
    let good = made_up(dir.path(), "good", 400, 1.0, 1);
    let report = compared(&good, &recorded("rankings"), &asked(&["time_to_first_token"])).unwrap();
    let ttft = row(&report, "time_to_first_token:avg");
    assert_eq!(ttft.reason, Some(InconclusiveReason::Absent { side: "b".to_owned() }));
    assert_eq!((ttft.verdict, ttft.candidate), (Verdict::Inconclusive, None));
    every_form(&report);
    // The reference leaves no summary where everything failed.
    let usual =
        compared(&good, &recorded("errors_all"), &ComparisonOptions { allow_incomplete: true, ..asked(&[]) }).unwrap();
    assert_eq!(row(&usual, "time_to_first_token:avg").verdict, Verdict::Inconclusive, "it does not go unseen");
    assert_eq!(row(&usual, "request_error_rate:avg").verdict, Verdict::Worse);
}

#[test]
fn another_length_of_prompts_is_another_workload() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (made_up(dir.path(), "a", 200, 1.0, 1), made_up(dir.path(), "b", 200, 1.0, 2));
    let records = b.join("profile_export.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    let longer = text.replace(r#""input_sequence_length":{"value":32}"#, r#""input_sequence_length":{"value":40}"#);
    fs::write(&records, longer).unwrap();
    let report = compared(&a, &b, &asked(&["request_latency", "input_sequence_length"])).unwrap();
    let note = &report.comparisons[0].workload[0];
    assert_eq!((note.what, note.baseline.as_str()), ("input sequence length", "32.0 tokens on average"));
    assert_eq!(row(&report, "input_sequence_length:avg").verdict, Verdict::Changed);
    assert_eq!(report.row_level, Level::P95, "what is neither good nor bad makes no false alarm");
    every_form(&report);
}
