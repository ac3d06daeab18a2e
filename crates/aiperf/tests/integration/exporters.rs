//! What a run sends to an OpenTelemetry collector and to MLflow, and writes for Weights & Biases. The receivers are written here;
//! `exporters/run` does the same with the real programs.

mod collector;
mod mlflow;
mod otel;
mod wandb;

use aiperf_sim::Sim;

use crate::support::Program;

/// The load of a short run.
const WORDS: &str = "--model m --tokenizer builtin --streaming --isl 16 --osl 4 --concurrency 2 --request-count 6";
/// The same without its end.
const LOAD: &str = "--model m --tokenizer builtin --streaming --isl 16 --osl 4 --concurrency 2";

/// A short run. The simulator's metrics page is scraped, because exporters send what it says.
fn short_run(sim: &Sim, words: &str) -> Program {
    Program::new(&format!("profile --artifact-dir out --url {} {WORDS}", sim.url())).with(words)
}
