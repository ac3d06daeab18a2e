//! Weights & Biases: the offline run.

use super::short_run;
use crate::support::sim;

#[test]
fn an_offline_run_lies_in_the_artifact_folder_and_the_console_says_how_to_upload_it() {
    let sim = sim("ttft=5&itl=1&osl=4");
    let options = "--wandb-project proj --wandb-entity team --wandb-run-name wn --wandb-tag t1 t2";
    let ended = short_run(&sim, options).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("wandb sync "), "{}", ended.stdout);
    let artifacts = &ended.artifacts;
    let id = artifacts.summary()["benchmark_id"].as_str().unwrap().to_owned();
    let runs = std::fs::read_dir(artifacts.path("wandb")).unwrap().map(|entry| entry.unwrap().file_name());
    let runs: Vec<String> = runs.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(&id)).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    let folder = artifacts.path("wandb").join(&runs[0]);
    let records = std::fs::read(folder.join(format!("run-{id}.wandb"))).unwrap();
    assert_eq!(records[..7], *b":W&B\xE1\xBE\x00");
    let text = String::from_utf8_lossy(&records);
    for part in ["proj", "team", "wn", "t1", "t2", "request_latency", "summary_metrics", "aiperf.cli_command"] {
        assert!(text.contains(part), "{part}");
    }
    let summary = std::fs::read(folder.join("files/artifacts/profile_export_aiperf.json")).unwrap();
    assert_eq!(summary, artifacts.text("profile_export_aiperf.json").into_bytes());
}
