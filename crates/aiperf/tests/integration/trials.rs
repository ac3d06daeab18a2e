//! Several runs of one command against a simulator: repeated ones, sweeps, and those that end early.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Artifacts, Program, TestServer, chat_reply, in_one, sim, wait_for};

const AGGREGATE: &str = "aggregate/profile_export_aiperf_aggregate.json";
const SPEED: &str = "ttft=2&itl=0&osl=4";

fn summary(artifacts: &Artifacts, folder: &str) -> Value {
    artifacts.json(&format!("{folder}/profile_export_aiperf.json"))
}

fn inputs(artifacts: &Artifacts, folder: &str) -> Value {
    artifacts.json(&format!("{folder}/inputs.json"))["data"][0]["payloads"].clone()
}

/// Whether `key` over trials is what the summaries of these folders say.
fn check_mean(artifacts: &Artifacts, aggregate: &Value, folders: &[&str], tag: &str, stat: &str) {
    let values: Vec<f64> =
        folders.iter().map(|folder| summary(artifacts, folder)[tag][stat].as_f64().unwrap()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let entry = &aggregate["metrics"][format!("{tag}_{stat}")];
    assert!((entry["mean"].as_f64().unwrap() - mean).abs() <= 1e-9 * mean.abs(), "{tag} {stat}: {entry}, {values:?}");
    assert_eq!(entry["unit"], summary(artifacts, folders[0])[tag]["unit"]);
    assert!(entry["min"].as_f64() <= entry["mean"].as_f64() && entry["mean"].as_f64() <= entry["max"].as_f64());
}

/// A server that answers the first `errors` requests with an error, and a command that uses it.
fn ailing_server(errors: usize, words: &str) -> (TestServer, Program) {
    let asked = AtomicUsize::new(0);
    let server = TestServer::start(move |_, _| {
        if asked.fetch_add(1, Ordering::Relaxed) < errors {
            in_one("500 Internal Server Error", "", b"not yet")
        } else {
            in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
        }
    });
    let program = Program::profile(&format!("--url {} --model test-model --tokenizer builtin --isl 20", server.url()));
    (server, program.with(words))
}

#[test]
fn repeated_runs_have_folders_of_their_own_and_an_aggregate() {
    let sim = sim(SPEED);
    let words = "--streaming --concurrency 2 --request-count 6 --warmup-request-count 3 --num-profile-runs 3 \
                 --confidence-level 0.9 --profile-run-cooldown-seconds 0.05";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    let folders = ["profile_runs/run_0001", "profile_runs/run_0002", "profile_runs/run_0003"];
    let aggregate = artifacts.json(AGGREGATE);
    for (trial, folder) in folders.iter().enumerate() {
        let info = &summary(artifacts, folder)["run_info"];
        assert_eq!(info["trial"], trial);
        assert_eq!((&info["variation_label"], &info["random_seed"]), (&json!("base"), &json!(42)));
        assert_eq!(info["benchmark_id"].as_str().unwrap().len(), 32);
        let config = artifacts.json(&format!("{folder}/run_config.json"));
        assert_eq!(config["benchmark_id"], info["benchmark_id"]);
        assert_eq!(config["label"], info["run_label"]);
        let log = artifacts.text(&format!("{folder}/logs/aiperf.log"));
        assert!(log.contains(&format!("Run {} of 3", trial + 1)), "{log}");
    }
    assert_eq!(sim.truth().len(), 3 * 6 + 3, "only the first run is warmed up");
    assert_eq!(inputs(artifacts, folders[0]), inputs(artifacts, folders[2]), "all have the same seed");
    for (tag, stat) in [
        ("request_throughput", "avg"),
        ("time_to_first_token", "p99"),
        ("request_latency", "std"),
        ("request_latency", "sum"),
    ] {
        check_mean(artifacts, &aggregate, &folders, tag, stat);
    }
    let metadata = &aggregate["metadata"];
    assert_eq!(metadata["run_labels"], json!(["run_0001", "run_0002", "run_0003"]));
    assert_eq!((&metadata["num_successful_runs"], &metadata["confidence_level"]), (&json!(3), &json!(0.9)));
    let t = aggregate["metrics"]["request_latency_avg"]["t_critical"].as_f64().unwrap();
    assert!((t - 2.919_985_580_353_726).abs() < 1e-9, "{t}");
    assert!(artifacts.text("aggregate/profile_export_aiperf_aggregate.csv").starts_with("metric,mean,std,"));
    assert!(!artifacts.path("profile_export_aiperf.json").exists());
    for part in ["Run 1 of 3: 6 requests", "Run 3 of 3", "3 runs, mean with 90% confidence interval", "Aggregate JSON:"]
    {
        assert!(ended.stdout.contains(part), "{part:?} is not in {}", ended.stdout);
    }
}

#[test]
fn seeds_may_vary_from_trial_to_trial() {
    let sim = sim(SPEED);
    let artifacts = Program::against(&sim, "--request-count 2 --num-profile-runs 2 --vary-seed-per-trial").succeed();
    let seed = |folder: &str| summary(&artifacts, folder)["run_info"]["random_seed"].clone();
    assert_eq!(seed("profile_runs/run_0001"), json!(6_858_774_025_263_032_934_u64));
    assert_eq!(seed("profile_runs/run_0002"), json!(4_337_237_111_802_998_792_u64));
    assert_ne!(inputs(&artifacts, "profile_runs/run_0001"), inputs(&artifacts, "profile_runs/run_0002"));
}

#[test]
fn a_trial_that_fails_is_listed_and_the_others_count() {
    // The first four requests fail: the whole first run.
    let (_server, program) = ailing_server(4, "--request-count 4 --num-profile-runs 3");
    let ended = program.run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let metadata = ended.artifacts.json(AGGREGATE)["metadata"].clone();
    assert_eq!((&metadata["num_profile_runs"], &metadata["num_successful_runs"]), (&json!(3), &json!(2)));
    assert_eq!(metadata["failed_runs"][0]["label"], "run_0001");
    assert!(metadata["failed_runs"][0]["error"].as_str().unwrap().contains("all 4 requests failed"), "{metadata}");
    assert!(ended.stdout.contains("run_0001 failed and is not included"), "{}", ended.stdout);
    assert!(ended.artifacts.path("profile_runs/run_0001/profile_export.jsonl").exists());
}

#[test]
fn one_good_run_of_several_is_a_failure_without_an_aggregate() {
    let (_server, program) = ailing_server(4, "--request-count 4 --num-profile-runs 2");
    let ended = program.run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 of 2 runs succeeded"), "{}", ended.stderr);
    assert!(!ended.artifacts.path("aggregate").exists());
    assert!(ended.artifacts.path("profile_runs/run_0002/profile_export_aiperf.json").exists());
}

#[test]
fn what_cannot_be_prepared_is_refused_before_anything_is_written() {
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--num-profile-runs 3 --convergence-metric latency").run();
    ended.was_refused_with(&["--convergence-metric latency", "did you mean request_latency?"]);
}

#[test]
fn trials_end_early_when_the_metric_has_settled() {
    let sim = sim(SPEED);
    // Every run has the same number of output tokens, so two say it all.
    let words = "--request-count 3 --num-profile-runs 8 --convergence-metric output_sequence_length";
    for mode in ["ci_width", "cv", "distribution"] {
        let ended = Program::against(&sim, words).with(&format!("--convergence-mode {mode}")).run();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let metadata = ended.artifacts.json(AGGREGATE)["metadata"].clone();
        assert_eq!(metadata["num_profile_runs"], 2, "{mode}");
        assert_eq!(metadata["convergence"]["converged"], true);
        assert_eq!(metadata["convergence"]["mode"], mode);
        assert!(ended.stdout.contains("converged after 2 of at most 8 runs"), "{}", ended.stdout);
        let collated = ended.artifacts.json("aggregate/profile_export_aiperf_collated.json");
        assert_eq!(collated["metrics"]["output_sequence_length"]["combined"]["count"], 6);
        assert_eq!(collated["metrics"]["output_sequence_length"]["per_run"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn a_sweep_has_a_folder_for_each_point_and_a_table_over_all() {
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--streaming --concurrency 1,2 --osl 2,3 --request-count 4").run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    let folders = ["osl_2__concurrency_1", "osl_2__concurrency_2", "osl_3__concurrency_1", "osl_3__concurrency_2"];
    for (index, folder) in folders.iter().enumerate() {
        let summary = summary(artifacts, folder);
        let info = &summary["run_info"];
        assert_eq!((&info["variation_index"], &info["random_seed"]), (&json!(index), &json!(42 + index)));
        assert_eq!(summary["output_sequence_length"]["avg"], json!(2.0 + (index / 2) as f64));
        let aggregate = artifacts.json(&format!("aggregate/{folder}/profile_export_aiperf_aggregate.json"));
        assert_eq!(aggregate["metadata"]["single_run"], true);
    }
    let sweep = artifacts.json("sweep_aggregate/profile_export_aiperf_sweep.json");
    assert_eq!(sweep["metadata"]["num_combinations"], 4);
    let cells = sweep["per_combination_metrics"].as_array().unwrap();
    assert_eq!(cells[1]["parameters"], json!({"datasets.main.prompts.osl.mean": 2, "concurrency": 2}));
    assert_eq!(cells[2]["metrics"]["request_latency"]["p99"], summary(artifacts, folders[2])["request_latency"]["p99"]);
    assert!(sweep["best_configurations"]["best_throughput"]["metric"].is_number());
    let csv = artifacts.text("sweep_aggregate/profile_export_aiperf_sweep.csv");
    assert!(csv.starts_with("datasets.main.prompts.osl.mean,concurrency,"), "{csv}");
    let best = &sweep["best_configurations"]["best_latency_p99"];
    assert_eq!(best["statistic"], "time_to_first_token_p99");
    // Four requests say nothing of a p99, so that no point is better than another.
    assert_eq!(best["tied_with"].as_array().unwrap().len(), 3, "{best}");
    assert_eq!(sweep["pareto_optimal"].as_array().unwrap().len(), 4, "{sweep}");
    for words in ["Sweep of 4 points", "TTFT p99 (ms)", "No point is marked as lowest TTFT p99"] {
        assert!(ended.stdout.contains(words), "{words} is not in {}", ended.stdout);
    }
    assert!(!ended.stdout.contains(" lowest TTFT p99 "), "{}", ended.stdout);
}

#[test]
fn every_run_of_a_sweep_has_its_own_warnings_in_its_log() {
    let (_server, program) = ailing_server(0, "--concurrency 1,2 --request-count 3 --use-server-token-count");
    let ended = program.run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for folder in ["concurrency_1", "concurrency_2"] {
        let log = ended.artifacts.text(&format!("{folder}/logs/aiperf.log"));
        assert_eq!(log.matches("has no usable token counts").count(), 1, "{folder}: {log}");
    }
}

#[test]
fn points_of_a_sweep_may_share_a_seed() {
    let sim = sim(SPEED);
    let words = "--concurrency 1,2 --request-count 2 --parameter-sweep-same-seed --random-seed 5";
    let artifacts = Program::against(&sim, words).succeed();
    assert_eq!(inputs(&artifacts, "concurrency_1"), inputs(&artifacts, "concurrency_2"));
    let artifacts = Program::against(&sim, "--concurrency 1,2 --request-count 2 --random-seed 5").succeed();
    assert_ne!(inputs(&artifacts, "concurrency_1"), inputs(&artifacts, "concurrency_2"));
}

#[test]
fn a_sweep_with_trials_is_laid_out_as_its_order_says() {
    let sim = sim(SPEED);
    let words = "--concurrency 1,2 --request-count 2 --num-profile-runs 2";
    let repeated = Program::against(&sim, words).succeed();
    let aggregate = repeated.json("aggregate/concurrency_2/profile_export_aiperf_aggregate.json");
    let folders = ["profile_runs/trial_0001/concurrency_2", "profile_runs/trial_0002/concurrency_2"];
    check_mean(&repeated, &aggregate, &folders, "request_latency", "avg");
    assert_eq!(aggregate["metadata"]["variation_values"], json!({"phases.profiling.concurrency": 2}));
    let sweep = repeated.json("aggregate/sweep_aggregate/profile_export_aiperf_sweep.json");
    assert_eq!((&sweep["num_profile_runs"], &sweep["metadata"]["num_trials_per_value"]), (&json!(4), &json!(2)));
    assert!(sweep["per_combination_metrics"][0]["metrics"]["request_latency_avg"]["ci_low"].is_number());

    let independent = Program::against(&sim, words).with("--parameter-sweep-mode independent").run();
    assert_eq!(independent.code, Some(0), "{}", independent.stderr);
    for name in [
        "concurrency_1/profile_runs/trial_0002/profile_export_aiperf.json",
        "concurrency_1/aggregate/profile_export_aiperf_aggregate.json",
        "sweep_aggregate/profile_export_aiperf_sweep.csv",
    ] {
        assert!(independent.artifacts.path(name).exists(), "{name} is missing");
    }
    assert!(independent.stdout.contains("concurrency 2, 2 runs, mean"), "{}", independent.stdout);
    let quiet = Program::against(&sim, words).with("--no-sweep-table").run();
    assert!(!quiet.stdout.contains("2 runs, mean") && quiet.stdout.contains("Sweep of 2 points"), "{}", quiet.stdout);
}

#[test]
fn an_interrupt_keeps_the_runs_that_were_made() {
    // The first two runs of four requests go well, the third stands still for good.
    let sim = sim("ttft=1&itl=0&osl=2&stall_every=9&stall_ms=600000");
    let running = Program::against(&sim, "--streaming --request-count 4 --num-profile-runs 5").start();
    let log = running.out().join("profile_runs/run_0003/logs/aiperf.log");
    wait_for("the third run to stand still", || {
        fs::read_to_string(&log).ok()?.contains("Phase profiling started").then_some(())
    });
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let metadata = ended.artifacts.json(AGGREGATE)["metadata"].clone();
    assert_eq!(metadata["run_labels"], json!(["run_0001", "run_0002"]));
    assert_eq!(metadata["was_cancelled"], true);
    assert!(ended.stdout.contains("Cancelled early"), "{}", ended.stdout);
    assert_eq!(summary(&ended.artifacts, "profile_runs/run_0003")["was_cancelled"], true);
    assert!(!ended.artifacts.path("profile_runs/run_0004").exists());
}

#[test]
fn an_interrupt_in_a_pause_ends_it() {
    let sim = sim(SPEED);
    let words = "--request-count 2 --num-profile-runs 3 --profile-run-cooldown-seconds 600";
    let running = Program::against(&sim, words).start();
    wait_for("the pause", || running.stderr().contains("Waiting 600.0 s").then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.artifacts.path("profile_runs/run_0001/profile_export_aiperf.json").exists());
}

#[test]
fn a_summary_made_again_keeps_its_place_among_the_runs() {
    let sim = sim(SPEED);
    let artifacts = Program::against(&sim, "--request-count 2 --num-profile-runs 2").succeed();
    let folder = artifacts.path("profile_runs/run_0002");
    let before = summary(&artifacts, "profile_runs/run_0002")["run_info"].clone();
    let ended = Program::new("report").word(folder.as_os_str()).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(summary(&artifacts, "profile_runs/run_0002")["run_info"], before);
}

#[test]
fn a_run_ends_when_its_number_is_known_and_says_so() {
    let sim = sim("ttft=uniform:10,30&itl=0&osl=2");
    let words = "--streaming --concurrency 8 --request-count 50000 --num-dataset-entries 10 --ui simple \
                 --until-ci time_to_first_token:avg:20%,request_throughput:avg:50%";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let summary = ended.artifacts.summary();
    let sent = ended.artifacts.counted("sent");
    assert!((30..50_000).contains(&sent), "{sent} requests were sent");
    assert_eq!(ended.artifacts.counted("completed"), sent, "what was in flight may finish");
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&json!(false), &json!(true)));
    let said = &summary["until_ci"];
    assert_eq!(said["targets"].as_array().unwrap().len(), 2);
    let target = &said["targets"][0];
    assert_eq!(
        (&target["metric"], &target["stat"], &target["unit"]),
        (&json!("time_to_first_token"), &json!("avg"), &json!("ms"))
    );
    assert_eq!(target["target"], json!({"relative": 0.2}));
    assert_eq!(target["samples"], sent);
    assert!((target["value"].as_f64().unwrap() - summary["time_to_first_token"]["avg"].as_f64().unwrap()).abs() < 1e-6);
    assert!(ended.stdout.contains("--until-ci was"), "{}", ended.stdout);
    assert!(ended.artifacts.text("logs/aiperf.log").contains("ends early: --until-ci was reached after"));
    assert_eq!(summary["input_config"]["phases"][0]["until_ci"][0], "time_to_first_token:avg:20%");
    let checked = Program::new("validate").word(ended.artifacts.path("").as_os_str()).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_limit_that_comes_first_ends_the_run_and_the_summary_says_what_is_missing() {
    let sim = sim("ttft=uniform:1,3&itl=0&osl=2");
    let words = "--streaming --concurrency 2 --request-count 40 --until-ci time_to_first_token:p99:0.01%";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = ended.artifacts.summary()["until_ci"].clone();
    assert_eq!((&said["reached"], &said["targets"][0]["reached"]), (&json!(false), &json!(false)));
    assert!(ended.stdout.contains("--until-ci was not reached"), "{}", ended.stdout);
    assert_eq!(ended.artifacts.counted("sent"), 40);
}

#[test]
fn a_number_that_a_run_will_not_have_cannot_be_waited_for() {
    let sim = sim(SPEED);
    let ended = Program::against(&sim, "--request-count 9 --until-ci time_to_first_token:p99:5%").run();
    ended.was_refused_with(&["--until-ci time_to_first_token:p99:5%", "without streaming"]);
}

#[test]
fn a_doubtful_run_among_several_makes_a_strict_command_end_with_three() {
    let sim = sim(&format!("{SPEED}&error_every=2"));
    let words = "--streaming --request-count 10 --num-profile-runs 2 --strict error_share";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("error_share"), "{}", ended.stderr);
    assert_eq!(ended.artifacts.json(AGGREGATE)["metadata"]["num_successful_runs"], 2);
}

#[test]
fn a_convergence_metric_that_runs_do_not_have_lets_all_of_them_be_made() {
    let sim = sim(SPEED);
    let words = "--request-count 3 --num-profile-runs 3 --convergence-metric time_to_first_token";
    let ended = Program::against(&sim, words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("--convergence-metric time_to_first_token: runs of"), "{}", ended.stderr);
    let metadata = &ended.artifacts.json(AGGREGATE)["metadata"];
    assert_eq!(metadata["num_successful_runs"], 3);
    let settled = &metadata["convergence"];
    assert_eq!((&settled["converged"], &settled["reason"]), (&json!(false), &json!("not converged: metric absent")));
}
