//! What is sent to OpenTelemetry, MLflow and Weights & Biases.

use std::path::Path;

use aiperf_config::{Environment, MlflowLogin, MlflowTracking, OtelStreams};
use serde_json::json;

use super::{raw, with_model};

fn error(words: &[&str]) -> String {
    with_model(words).unwrap_err().to_string()
}

fn otel(words: &[&str]) -> aiperf_config::OtelConfig {
    with_model(words).unwrap().otel.unwrap()
}

fn tracking(uri: &str) -> MlflowTracking {
    with_model(&[&format!("--mlflow-tracking-uri={uri}")]).unwrap().mlflow.unwrap().tracking
}

#[test]
fn the_address_of_a_collector_gets_what_is_missing() {
    for (typed, meant) in [
        ("localhost:4318", "http://localhost:4318/v1/metrics"),
        ("https://c.example/otlp/", "https://c.example/otlp/v1/metrics"),
        ("http://h:4318/v1/metrics", "http://h:4318/v1/metrics"),
        ("h:4318/v1/metrics?token=1", "http://h:4318/v1/metrics?token=1"),
    ] {
        assert_eq!(otel(&[&format!("--otel-url={typed}")]).metrics_url.as_str(), meant);
    }
    assert!(error(&["--otel-url=grpc://h:4317"]).contains("OTLP/HTTP"));
}

#[test]
fn streams_are_chosen_by_words() {
    let streams = |words: &str| otel(&["--otel-url=h:1", &format!("--stream={words}")]).streams;
    assert_eq!(otel(&["--otel-url=h:1"]).streams, OtelStreams::DEFAULT);
    assert_eq!(streams("default"), OtelStreams::DEFAULT);
    assert_eq!(streams("Metrics"), OtelStreams { metrics: true, ..OtelStreams::NONE });
    assert_eq!(streams("timing,traces"), OtelStreams { metrics: false, timing: true, traces: true });
    assert!(streams("none").is_none());
    assert!(error(&["--otel-url=h:1", "--stream=none,metrics"]).contains("alone"));
    assert!(error(&["--otel-url=h:1", "--stream=logs"]).contains("metrics, timing, traces"));
}

#[test]
fn options_of_an_exporter_need_the_option_that_turns_it_on() {
    for (option, needs) in [
        ("--stream=metrics", "--otel-url"),
        ("--otel-resource-attributes=a=b", "--otel-url"),
        ("--gen-ai-provider=openai", "--otel-url"),
        ("--mlflow-experiment=x", "--mlflow-tracking-uri"),
        ("--mlflow-tag=a:b", "--mlflow-tracking-uri"),
        ("--mlflow-artifact-glob=*", "--mlflow-tracking-uri"),
        ("--wandb-tag=t", "--wandb-project"),
        ("--wandb-entity=e", "--wandb-project"),
    ] {
        assert!(error(&[option]).contains(needs), "{option}");
    }
}

#[test]
fn a_tracking_uri_is_a_server_or_a_folder() {
    let folder = |path: &str| MlflowTracking::Folder(Path::new(path).to_owned());
    assert_eq!(tracking("file:/a/b"), folder("/a/b"));
    assert_eq!(tracking("file:///a/b%20c"), folder("/a/b c"));
    assert_eq!(tracking("./mlruns"), folder("/somewhere/./mlruns"));
    for server in ["http://h:5000", "h:5000", "https://h/mlflow"] {
        assert!(matches!(tracking(server), MlflowTracking::Server { login: None, .. }), "{server}");
    }
    for (wrong, reason) in [("sqlite:///x.db", "mlflow server"), ("databricks", "Databricks"), ("file:", "empty")] {
        let message = error(&[&format!("--mlflow-tracking-uri={wrong}")]);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn a_login_comes_from_the_uri_or_the_environment_and_is_not_shown() {
    let config = with_model(&["--mlflow-tracking-uri=http://me:pw@h:5000"]).unwrap();
    assert!(matches!(
        &config.mlflow.as_ref().unwrap().tracking,
        MlflowTracking::Server { login: Some(MlflowLogin::Basic(joined)), .. } if joined.0 == "me:pw"
    ));
    assert!(!config.command_line.contains("pw") && !config.to_input_config().to_string().contains("pw"));
    let environment = |pairs: &[(&str, &str)]| Environment {
        variables: pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Environment::default()
    };
    let login = |pairs: &[(&str, &str)]| {
        let words = ["--model=m", "--mlflow-tracking-uri=h:5000"];
        match raw(&words).resolve(&environment(pairs)).unwrap().mlflow.unwrap().tracking {
            MlflowTracking::Server { login, .. } => login,
            MlflowTracking::Folder(path) => panic!("{path:?}"),
        }
    };
    assert!(matches!(login(&[("MLFLOW_TRACKING_TOKEN", "t")]), Some(MlflowLogin::Token(token)) if token.0 == "t"));
    let both = [("MLFLOW_TRACKING_USERNAME", "u"), ("MLFLOW_TRACKING_PASSWORD", "p")];
    assert!(matches!(login(&both), Some(MlflowLogin::Basic(joined)) if joined.0 == "u:p"));
    let headers = [("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x=1")];
    let otel = raw(&["--model=m", "--otel-url=h:1"]).resolve(&environment(&headers)).unwrap().otel.unwrap();
    assert_eq!(otel.headers[0].1.0, "a b");
    let wrong = environment(&[("OTEL_EXPORTER_OTLP_HEADERS", "secret")]);
    let message = raw(&["--model=m", "--otel-url=h:1"]).resolve(&wrong).unwrap_err().to_string();
    assert!(message.contains("OTEL_EXPORTER_OTLP_HEADERS") && !message.contains("secret"), "{message}");
}

#[test]
fn files_show_the_exporters_as_the_reference_does() {
    let config = with_model(&[
        "--otel-url=localhost:4318",
        "--otel-resource-attributes=team=a,b=c",
        "--gen-ai-provider=openai",
        "--mlflow-tracking-uri=http://localhost:5000",
        "--mlflow-experiment=exp",
        "--mlflow-run-name=rn",
        "--mlflow-tag=a:b,c:true",
        "--mlflow-parent-run-id=pid",
        "--mlflow-artifact-glob=*.json",
        "--wandb-project=proj",
        "--wandb-entity=ent",
        "--wandb-run-name=wn",
        "--wandb-tag=t1,t2",
    ])
    .unwrap()
    .to_input_config();
    assert_eq!(
        config["otel"],
        json!({"metrics_url": "http://localhost:4318/v1/metrics", "stream_metrics_enabled": true,
               "stream_timing_enabled": true, "custom_resource_attributes": {"team": "a", "b": "c"},
               "gen_ai_provider": "openai"})
    );
    assert_eq!(
        config["mlflow"],
        json!({"tracking_uri": "http://localhost:5000", "experiment": "exp", "run_name": "rn",
               "tags": {"a": "b", "c": "true"}, "parent_run_id": "pid", "artifact_globs": ["*.json"]})
    );
    assert_eq!(config["wandb"], json!({"project": "proj", "entity": "ent", "run_name": "wn", "tags": ["t1", "t2"]}));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (words, reason) in [
        (["--otel-url=h:1", "--otel-resource-attributes=novalue"], "name=value"),
        (["--mlflow-tracking-uri=h:1", "--mlflow-tag=novalue"], "name:value"),
        (["--mlflow-tracking-uri=h:1", "--mlflow-run-name= "], "empty"),
        (["--wandb-project=a/b", "--wandb-tag=t"], "project"),
    ] {
        let message = error(&words);
        assert!(message.contains(reason), "{message}");
    }
}
