//! What a run sends to an OpenTelemetry collector and to MLflow, and writes for Weights & Biases. The receivers are written here;
//! `exporters/run` does the same with the real programs.

mod collector;
mod mlflow;
mod otel;
mod wandb;

/// The load of a short run.
const WORDS: &str = "--model m --tokenizer builtin --streaming --isl 16 --osl 4 --concurrency 2 --request-count 6";
