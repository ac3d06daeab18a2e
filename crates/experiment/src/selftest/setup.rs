//! The two sides of a self-test: what the simulator is told, and the options of the run against it.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use aiperf_clock::Nanos;
use aiperf_report::AskedLoad;
use aiperf_sim::Distribution;

use super::SelfTestOptions;
use super::compare::ReplyPace;
use super::options::{Load, SelfTestOptionError};

/// More than ever run at once: the simulator shall not make requests wait.
const BATCH: u32 = 1_000_000;
/// Short prompts: what is tested is how times are taken, not how bodies are sent.
const INPUT_TOKENS: u32 = 32;
const PROMPTS: u32 = 64;

#[derive(Debug)]
pub(super) struct Setup<'a> {
    options: &'a SelfTestOptions,
    pub(super) load: Load,
    /// Seconds until all streams run.
    ramp: f64,
}

impl<'a> Setup<'a> {
    pub(super) fn new(options: &'a SelfTestOptions) -> Result<Self, SelfTestOptionError> {
        let load = options.load()?;
        let ramp = match load {
            // Streams that start one by one over the time of a request stay evenly spread from then on.
            Load::Streams(_) => options.ramp.unwrap_or_else(|| request_seconds(options)),
            Load::Rate(_) => 0.0,
        };
        Ok(Self { options, load, ramp })
    }

    pub(super) fn pace(&self) -> ReplyPace {
        ReplyPace { ramp: Nanos::from_secs_f64(self.ramp), gap: Nanos::from_secs_f64(self.options.itl() / 1e3) }
    }

    pub(super) fn asked(&self) -> AskedLoad {
        let (streams, request_rate) = match self.load {
            Load::Streams(streams) => (Some(streams), None),
            Load::Rate(rate) => (None, Some(rate)),
        };
        AskedLoad {
            streams,
            request_rate,
            tokens_per_second: self.options.tokens_per_second,
            ttft_ms: self.options.ttft.clone(),
            output_tokens: self.options.output_tokens,
            duration_s: self.options.duration,
        }
    }

    pub(super) fn simulator_settings(&self) -> Vec<(&'static str, String)> {
        // The client takes half of the processors for its workers.
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        vec![
            ("ttft", self.options.ttft.clone()),
            ("itl", self.options.itl().to_string()),
            ("batch", BATCH.to_string()),
            ("count", "approx".to_owned()),
            ("threads", (processors / 4).clamp(1, 8).to_string()),
            ("truth-keep", "0".to_owned()),
        ]
    }

    /// The options of the run, as a user would type them for `aiperf profile`.
    pub(super) fn run_options(&self, url: &str, folder: &Path) -> Vec<(&'static str, String)> {
        let options = self.options;
        let mut words = vec![
            ("model", "sim-model".to_owned()),
            ("url", url.to_owned()),
            ("endpoint-type", "chat".to_owned()),
            ("streaming", "true".to_owned()),
            ("tokenizer", "builtin".to_owned()),
            ("isl", INPUT_TOKENS.to_string()),
            ("num-prompts", PROMPTS.to_string()),
            ("osl", options.output_tokens.to_string()),
            ("benchmark-duration", (self.ramp + options.duration).to_string()),
            ("random-seed", "0".to_owned()),
            ("export-level", options.export_level.clone()),
            ("artifact-dir", folder.display().to_string()),
            ("ui", "none".to_owned()),
            // The simulator uses no GPU.
            ("no-gpu-telemetry", "true".to_owned()),
            // The simulator knows the truth; its pages are of no use here.
            ("no-server-metrics", "true".to_owned()),
        ];
        match self.load {
            Load::Streams(streams) => {
                words.push(("concurrency", streams.to_string()));
                if self.ramp > 0.0 {
                    words.push(("concurrency-ramp-duration", self.ramp.to_string()));
                }
            }
            Load::Rate(rate) => words.push(("request-rate", rate.to_string())),
        }
        if let Some(workers) = options.workers_max {
            words.push(("workers-max", workers.to_string()));
        }
        words
    }
}

/// From sending to the last token, by the plan of the simulator.
fn request_seconds(options: &SelfTestOptions) -> f64 {
    let first = options.ttft.parse().map_or(0.0, |ttft: Distribution| ttft.mean());
    (first + options.itl() * f64::from(options.output_tokens - 1)) / 1e3
}

#[cfg(test)]
mod tests {
    use aiperf_config::{Config, Environment, ExportLevel, UiKind};
    use aiperf_options::RawOptions;

    use super::*;

    fn config(options: &SelfTestOptions) -> Config {
        let setup = Setup::new(options).unwrap();
        let options = setup.run_options("http://127.0.0.1:9", Path::new("/somewhere"));
        RawOptions::of_pairs(&options).unwrap().resolve(&Environment::default()).unwrap()
    }

    #[test]
    fn streams_become_a_closed_loop_that_starts_evenly() {
        let options = SelfTestOptions { streams: Some(7), duration: 3.0, ..SelfTestOptions::default() };
        let config = config(&options);
        assert_eq!(config.phases.profiling().pace, aiperf_config::Pace::Concurrency(7));
        // 50 ms, then 99 gaps of 10 ms.
        assert!((config.phases.profiling().concurrency_ramp.unwrap().duration.as_secs_f64() - 1.04).abs() < 1e-9);
        assert!((config.phases.profiling().stop.duration.unwrap().as_secs_f64() - 4.04).abs() < 1e-9);
        assert!(config.endpoint.streaming && !config.phases.has_warmup());
        assert_eq!((config.output.level, config.output.ui), (ExportLevel::Records, UiKind::None));
        assert_eq!(config.output.dir, Path::new("/somewhere"));
    }

    #[test]
    fn a_start_all_at_once_and_a_rate_have_no_ramp() {
        let burst = SelfTestOptions { ramp: Some(0.0), workers_max: Some(2), ..SelfTestOptions::default() };
        assert_eq!(config(&burst).phases.profiling().concurrency_ramp, None);
        assert_eq!(config(&burst).workers_max, Some(2));
        let rate = SelfTestOptions { request_rate: Some(20.0), ..SelfTestOptions::default() };
        assert!(matches!(config(&rate).phases.profiling().pace, aiperf_config::Pace::Rate { .. }));
        assert_eq!(Setup::new(&rate).unwrap().asked().request_rate, Some(20.0));
    }

    #[test]
    fn every_word_for_the_run_is_in_the_catalogue_and_every_setting_in_the_simulator() {
        let options = SelfTestOptions { tokens_per_second: 250.0, ..SelfTestOptions::default() };
        let command_line = config(&options).command_line;
        for word in ["--model", "--url", "--streaming", "--tokenizer", "--isl", "--osl", "--benchmark-duration", "--ui"]
        {
            assert!(command_line.contains(word), "{word} is not in {command_line}");
        }
        let mut sim = aiperf_sim::SimOptions::default();
        for (flag, value) in Setup::new(&options).unwrap().simulator_settings() {
            sim.set(flag, &value).unwrap();
        }
        assert_eq!((sim.itl, sim.ttft), (Distribution::Constant(4.0), Distribution::Constant(50.0)));
    }
}
