//! `aiperf plot` and the plots at the end of a run.

use crate::support::{Program, sim};

const FAST: &str = "ttft=2&itl=1&osl=4";

#[test]
fn a_run_draws_its_charts_and_the_folder_stays_valid() {
    let sim = sim(FAST);
    let words = "--streaming --concurrency 2 --request-count 8 --slice-duration 0.01 --auto-plot";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Plots: 4 in "), "{}", ended.stdout);
    for name in ["ttft_over_time.png", "ttft_timeline.svg", "timeslices_ttft.csv", "timeslices_itl.png", "summary.txt"]
    {
        assert!(ended.artifacts.path(&format!("plots/{name}")).exists(), "{name}");
    }
    assert_eq!(ended.artifacts.summary()["input_config"]["artifacts"]["auto_plot"], true);
}

#[test]
fn plots_that_are_required_and_cannot_be_drawn_fail_the_command() {
    let sim = sim(FAST);
    // Without streaming no request has a time to first token.
    let ended = Program::against(&sim, "--request-count 2 --plot-required").run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("--plot-required: no plot was drawn"), "{}", ended.stderr);
    assert!(ended.artifacts.path("profile_export_aiperf.json").exists());
    let ended = Program::against(&sim, "--request-count 2 --auto-plot").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("No plots were drawn"), "{}", ended.stderr);
}

#[test]
fn a_folder_without_runs_is_refused_and_nothing_is_made() {
    let ended = Program::new("plot out").file("empty/x.txt", "x").run();
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("out: No such file"), "{}", ended.stderr);
    assert!(!ended.artifacts.exists());
    let ended = Program::new("plot empty").file("empty/x.txt", "x").run();
    assert!(ended.stderr.contains("empty has no run in it"), "{}", ended.stderr);
    let ended = Program::new("plot empty --dashboard --port 0").file("empty/x.txt", "x").run();
    assert!(ended.stderr.contains("empty has no run in it"), "{}", ended.stderr);
}

#[test]
fn nothing_drawn_is_a_failure_that_names_what_can_be_drawn() {
    let line = r#"{"metadata":{"request_start_ns":1000000000,"request_end_ns":1500000000,"benchmark_phase":"profiling"},"metrics":{"request_latency":{"value":500.0,"unit":"ms"}}}"#;
    let ended = Program::new("plot run").file("run/profile_export.jsonl", line).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("Saved 0 plots to: "), "{}", ended.stdout);
    assert!(ended.stderr.contains("ttft_over_time is skipped: no request has time_to_first_token"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--preset ") && ended.stderr.contains("latency_over_time"), "{}", ended.stderr);
    let ended =
        Program::new("plot run --terminal --preset latency_over_time").file("run/profile_export.jsonl", line).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Request latency with rolling percentiles"), "{}", ended.stdout);
}
