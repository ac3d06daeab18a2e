//! Sweeps of configuration files and of `--variant`: limits, handlers, the table that grows, and points that fail.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::{Program, TestServer, chat_reply, in_one, sim};

const SWEEP: &str = "sweep_aggregate/profile_export_aiperf_sweep.json";

/// A file with this sweep, run against a simulator.
fn sweep(url: &str, sweep: &str) -> Program {
    let file = format!(
        "sweep:\n{sweep}\nbenchmark:\n  model: m\n  endpoint: {{url: \"{url}\", streaming: true}}\n  tokenizer: {{name: builtin}}\n  \
         dataset: {{isl: 20, osl: 4}}\n  profiling: {{concurrency: 1, requests: 3}}\n  gpuTelemetry: false\n"
    );
    Program::profile("-f sweep.yaml --ui none").file("sweep.yaml", &file)
}

#[test]
fn limits_mark_points_and_the_best_are_among_those_that_keep_them() {
    let sim = sim("ttft=2&itl=0");
    let text = "  type: grid\n  parameters: {requests: [3, 6, 9]}\n  slaFilters:\n    \
                - {metricTag: request_count, stat: avg, op: le, threshold: 6}\n  \
                postProcess: {handler: sla_breach_knee, params: {swept_param: phases.profiling.requests}, output_filename: knee.json}";
    let ended = sweep(&sim.url(), text).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let sweep = ended.artifacts.json(SWEEP);
    let limit = json!({"metric_tag": "request_count", "stat": "avg", "op": "le", "threshold": 6.0});
    assert_eq!(
        sweep["metadata"]["sla_constraints"],
        json!({"active_filters": [limit], "feasible_count": 2, "infeasible_count": 1})
    );
    let points = sweep["per_combination_metrics"].as_array().unwrap();
    let feasible: Vec<&Value> = points.iter().map(|point| &point["feasible"]).collect();
    assert_eq!(feasible, [true, true, false]);
    assert_eq!(points[2]["breaches"][0]["observed"], 9.0);
    let best = sweep["pareto_optimal"].as_array().unwrap();
    assert!(!best.is_empty() && !best.contains(&json!({"requests": 9})), "{best:?}");
    let knee = ended.artifacts.json("sweep_aggregate/knee.json");
    assert_eq!((&knee["max_passing_requests"], &knee["first_failing_requests"]), (&json!(6), &json!(9)));
    for part in ["2 of 3 points keep request_count avg <= 6.", "breaks the SLA", "1/3  requests 3", "Post-Process JSON"]
    {
        assert!(ended.stdout.contains(part), "{part:?} is not in {}", ended.stdout);
    }
    let rows: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("/3  requests")).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{rows:?}");
    assert!(rows[0].contains(" ok ") && rows[2].contains(" over "), "{rows:?}");
    let checked = Program::new("validate").word(ended.artifacts.path("").as_os_str()).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_handler_without_numbers_says_so_and_the_files_of_the_sweep_are_written() {
    let sim = sim("ttft=1&itl=0");
    let text = "  type: grid\n  parameters: {concurrency: [1, 2]}\n  postProcess:\n    handler: degradation_knee_detect\n    \
                params: {threshold_pct: 0.2, metric_tag: request_latency, stat: p99, swept_param: phases.profiling.rate}\n    \
                output_filename: knee.json";
    let ended = sweep(&sim.url(), text).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(
        ended.stderr.contains("sweep.postProcess degradation_knee_detect: no point has a number for"),
        "{}",
        ended.stderr
    );
    assert!(ended.artifacts.path(SWEEP).exists());
    let unknown = "  type: grid\n  parameters: {concurrency: [1, 2]}\n  slaFilters: [{metricTag: request_latencey, op: lt, threshold: 5}]";
    let refused = sweep(&sim.url(), unknown).run();
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("sweep.slaFilters: no metric is called \"request_latencey\""),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("request_latency"), "{}", refused.stderr);
}

#[test]
fn variants_are_points_with_names_of_their_own() {
    let sim = sim("ttft=1&itl=0&osl=2");
    let program = Program::against(&sim, "--request-count 2 --no-gpu-telemetry");
    let ended = program
        .word("--variant")
        .word("small: concurrency=1, isl=20")
        .word("--variant")
        .word("concurrency=2, osl=3, streaming=true")
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let second = ended.artifacts.json("v1/profile_export_aiperf.json");
    assert!(second["time_to_first_token"]["avg"].is_number(), "the second variant streams");
    let config = ended.artifacts.json("v1/run_config.json");
    assert_eq!((&config["variation"]["label"], &config["random_seed"]), (&json!("v1"), &json!(43)));
    let first = ended.artifacts.json("small/profile_export_aiperf.json");
    assert!(first.get("time_to_first_token").is_none());
    let sweep = ended.artifacts.json(SWEEP);
    assert_eq!(sweep["per_combination_metrics"][0]["parameters"]["concurrency"], 1);
    let refused = |words: &[&str]| {
        let words = words.iter().flat_map(|word| ["--variant", *word]);
        let program = words.fold(Program::against(&sim, ""), Program::word);
        program.run().stderr
    };
    assert!(refused(&["concurrency=1"]).contains("at least twice"));
    assert!(refused(&["concurrency=1", "nonsense=2"]).contains("not an option"));
    assert!(refused(&["a: concurrency=1", "a: concurrency=2"]).contains("two variants called a"));
}

/// A server that refuses some requests, by their number from 0.
fn refusing(is_refused: fn(usize) -> bool) -> TestServer {
    let asked = AtomicUsize::new(0);
    TestServer::start(move |_, _| {
        if is_refused(asked.fetch_add(1, Ordering::Relaxed)) {
            in_one("500 Internal Server Error", "", b"not now")
        } else {
            in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
        }
    })
}

#[test]
fn a_point_that_fails_does_not_end_the_sweep_and_the_exit_code_says_so() {
    // The two requests of the second point fail.
    let server = refusing(|number| number == 2 || number == 3);
    let words = "--model m --tokenizer builtin --isl 20 --concurrency 1,2,3 --request-count 2 --no-gpu-telemetry";
    let program = Program::profile(&format!("--url {} {words}", server.url()));
    let ended = program.run();
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 of 3 points have no result"), "{}", ended.stderr);
    assert!(ended.stdout.contains("2/3  concurrency 2 "), "{}", ended.stdout);
    let sweep = ended.artifacts.json(SWEEP);
    assert_eq!((&sweep["num_profile_runs"], &sweep["num_successful_runs"]), (&json!(3), &json!(2)));
    // What failed is made again, what did not is kept.
    let resumed = Program::new("profile --resume").word(ended.artifacts.path("").as_os_str()).run();
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(resumed.stdout.contains("2 of 3 runs were kept"), "{}", resumed.stdout);
    assert_eq!(ended.artifacts.json(SWEEP)["num_successful_runs"], 3);
}

#[test]
fn fail_fast_ends_the_sweep_at_the_first_point_that_fails() {
    let server = refusing(|number| number == 4 || number == 5);
    let words =
        "--model m --tokenizer builtin --isl 20 --concurrency 1,2,3,4 --request-count 2 --no-gpu-telemetry --fail-fast";
    let ended = Program::profile(&format!("--url {} {words}", server.url())).run();
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("because of --fail-fast"), "{}", ended.stderr);
    assert!(!ended.artifacts.path("concurrency_4").exists());
    assert_eq!(ended.artifacts.json(SWEEP)["num_profile_runs"], 3);
}

#[test]
fn fields_of_repeated_runs_without_an_effect_are_named() {
    let sim = sim("ttft=1&itl=0");
    let file = format!(
        "multiRun: {{numRuns: 1, cooldownSeconds: 5, varySeedPerTrial: true}}\nbenchmark:\n  model: m\n  endpoint: {{url: \"{}\"}}\n  \
         tokenizer: {{name: builtin}}\n  dataset: {{isl: 20, osl: 4}}\n  profiling: {{requests: 2}}\n  gpuTelemetry: false\n",
        sim.url()
    );
    let ended = Program::profile("-f run.yaml --ui none").file("run.yaml", &file).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for field in ["multiRun.cooldownSeconds", "multiRun.varySeedPerTrial"] {
        assert!(ended.stderr.contains(&format!("{field} (")), "{field}: {}", ended.stderr);
    }
    // With more runs they have one.
    let ended = Program::profile("-f run.yaml --ui none --num-profile-runs 2")
        .file("run.yaml", &file.replace("cooldownSeconds: 5", "cooldownSeconds: 0.01"))
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("Waiting 0.0 s before the next run"), "{}", ended.stderr);
}

#[test]
fn a_dry_run_sends_a_probe_and_writes_nothing() {
    let sim = sim("ttft=10&itl=0&osl=2");
    let words = "--concurrency 1,2 --request-count 50 --num-profile-runs 2 --no-gpu-telemetry --dry-run";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for part in [
        "2 points, 2 runs each, 4 runs",
        "Requests:  200",
        "Time:      about",
        "Disk:      about",
        "Sent:      3 requests",
    ] {
        assert!(ended.stdout.contains(part), "{part:?} is not in {}", ended.stdout);
    }
    assert_eq!(sim.truth().len(), 3);
    assert!(!ended.artifacts.exists());
    let single = Program::against(&sim, "--benchmark-duration 90 --no-gpu-telemetry --dry-run").run();
    assert_eq!(single.code, Some(0), "{}", single.stderr);
    assert!(single.stdout.contains("Plan:      1 run\n") && single.stdout.contains("about 2 min"), "{}", single.stdout);
    let words =
        "--url http://127.0.0.1:9 --model m --tokenizer builtin --isl 20 --request-count 5 --unreachable-timeout 0.1";
    let lost = Program::profile(&format!("{words} --dry-run --no-gpu-telemetry")).run();
    assert_eq!(lost.code, Some(0), "{}", lost.stderr);
    assert!(lost.stdout.contains("Time:      cannot be known before the run"), "{}", lost.stdout);
    assert!(lost.stdout.contains("the probe failed"), "{}", lost.stdout);
}

#[test]
fn a_dry_run_of_a_resumed_sweep_takes_the_time_of_complete_runs() {
    let sim = sim("ttft=1&itl=0&osl=2");
    let artifacts = Program::against(&sim, "--concurrency 1,2 --request-count 2 --no-gpu-telemetry").succeed();
    std::fs::remove_file(artifacts.path("concurrency_2/.aiperf_trial.json")).unwrap();
    let before = sim.truth().len();
    let ended = Program::new("profile --dry-run --resume").word(artifacts.path("").as_os_str()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for part in ["2 runs, of which 1 are complete", "1 complete runs", "Sent:      nothing"] {
        assert!(ended.stdout.contains(part), "{part:?} is not in {}", ended.stdout);
    }
    assert_eq!(sim.truth().len(), before);
}
