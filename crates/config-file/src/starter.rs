//! Files to begin with: the templates of `aiperf config init`.

use crate::names::nearest;
use crate::yaml::write_text;

/// A file to begin with.
#[derive(Debug, Clone, Copy)]
pub struct Starter {
    pub name: &'static str,
    pub category: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    pub tags: &'static str,
    /// `beginner`, `intermediate` or `advanced`.
    pub difficulty: &'static str,
    text: &'static str,
}

macro_rules! starters {
    ($($category:literal { $($name:literal, $about:literal, $tags:literal, $difficulty:literal;)* })*) => {
        /// All of them, by category.
        pub const STARTERS: &[Starter] = &[$($(Starter {
            name: $name,
            category: $category,
            about: $about,
            tags: $tags,
            difficulty: $difficulty,
            text: include_str!(concat!("../templates/", $name, ".yaml")),
        },)*)*];
    };
}

starters! {
    "Basics" {
        "minimal", "one model, one server, generated prompts", "short", "beginner";
        "warmup_profiling", "a warmup before the measurement", "warmup", "beginner";
    }
    "Load" {
        "fixed_schedule", "requests at the times of a file", "schedule, timestamps", "advanced";
        "goodput_slo", "requests per second that keep all limits, at three loads", "goodput, slo, sweep", "intermediate";
        "latency_test", "latency at a fixed request rate", "rate, poisson, ttft", "beginner";
        "multi_url_load_balancing", "several servers in turn", "urls", "intermediate";
        "ramping", "a load that rises slowly", "ramp, rate, concurrency", "intermediate";
        "request_cancellation", "clients that cancel their requests", "cancel", "advanced";
        "time_based_soak", "one hour under a steady load", "duration, slices", "intermediate";
    }
    "Data" {
        "inline_dataset", "prompts in the file itself", "records", "beginner";
        "multi_turn_conversation", "conversations with pauses", "turns, chat", "intermediate";
        "public_dataset", "conversations of a public data set", "sharegpt, download", "beginner";
        "trace_replay", "a recorded trace at its own times", "trace, mooncake, schedule", "advanced";
    }
    "Sweeps" {
        "scenario_workload_profiles", "named workloads, one run each", "scenarios", "advanced";
        "speed_bench_sweep", "all categories of SPEED-Bench", "grid, speculative decoding", "advanced";
        "sweep_distributions", "prompt length by request rate, with trials", "grid, trials, distribution", "advanced";
        "sweep_with_plot", "a sweep with a chart at the end", "grid, plot, pareto", "intermediate";
    }
    "Features" {
        "env_var_production", "values from the environment", "environment, ci", "intermediate";
        "gpu_telemetry", "power and utilization of GPUs", "dcgm, energy", "intermediate";
        "http_trace_metrics", "where the time of a request goes", "http, connection", "advanced";
        "jinja2_variables", "values that follow from others", "variables, templates", "intermediate";
        "kv_cache_test", "users with common prompts, for prefix caches", "cache, users, prefix", "advanced";
        "long_context", "prompts of 32,000 tokens", "prefill", "intermediate";
        "user_files", "files of your own among the results", "artifacts, templates", "intermediate";
    }
    "Media" {
        "audio_multimodal", "requests with audio clips", "audio", "intermediate";
        "multimodal_vision", "requests with images", "images", "intermediate";
    }
    "Other endpoints" {
        "embeddings", "texts to an embeddings endpoint", "batch", "beginner";
    }
}

/// The file of this name; else what to do.
pub fn starter(name: &str) -> Result<&'static Starter, String> {
    let wanted = name.replace('-', "_").to_ascii_lowercase();
    STARTERS.iter().find(|starter| starter.name == wanted).ok_or_else(|| {
        let near = nearest(&wanted, STARTERS.iter().map(|starter| starter.name));
        let advice = near
            .map_or_else(|| "`aiperf config init --list` shows all".to_owned(), |near| format!("did you mean {near}?"));
        format!("{name:?} is not a template; {advice}")
    })
}

impl Starter {
    /// The text with this model and this URL in place of its own.
    pub fn text(&self, model: Option<&str>, url: Option<&str>) -> String {
        let mut text = String::new();
        for line in self.text.lines() {
            let (key, _) = line.trim_start().split_once(':').unwrap_or_default();
            let indent = &line[..line.len() - line.trim_start().len()];
            match (key, model, url) {
                // Runs of a sweep may have models of their own, deeper in the file.
                ("model" | "models", Some(model), _) if indent.len() == 2 => {
                    text.push_str(&format!("{indent}model: {}", write_text(model)));
                }
                ("url" | "urls", _, Some(url)) if indent.len() == 4 && !line.contains("/metrics") => {
                    text.push_str(&format!("{indent}url: {}", write_text(url)));
                }
                _ => text.push_str(line),
            }
            text.push('\n');
        }
        text
    }

    /// Whether any of its words has this in it.
    pub fn mentions(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        [self.name, self.category, self.about, self.tags, self.difficulty]
            .iter()
            .any(|text| text.to_lowercase().contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ConfigFile;

    #[test]
    fn there_are_27_and_each_is_a_file() {
        assert_eq!(STARTERS.len(), 27);
        let variables = [("MODEL", "m"), ("SERVER_URL", "http://h:1")];
        let variables: BTreeMap<String, String> =
            variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        for starter in STARTERS {
            let file = ConfigFile::parse(starter.name, &starter.text(None, None), &variables);
            let file = file.unwrap_or_else(|error| panic!("{error}"));
            assert!(file.warnings().is_empty(), "{}", starter.name);
            assert!(
                starter.text.starts_with("# yaml-language-server: $schema=aiperf.schema.json\n"),
                "{}",
                starter.name
            );
        }
    }

    #[test]
    fn model_and_url_can_be_given() {
        for starter in STARTERS {
            let text = starter.text(Some("org/other: 5"), Some("https://elsewhere"));
            assert_eq!(text.matches("  model: \"org/other: 5\"").count(), 1, "{}", starter.name);
            assert_eq!(text.matches("    url: \"https://elsewhere\"").count(), 1, "{}", starter.name);
        }
    }

    #[test]
    fn a_misspelt_name_has_a_nearest_one() {
        assert!(starter("minimum").unwrap_err().contains("did you mean minimal?"));
        assert_eq!(starter("latency-test").unwrap().name, "latency_test");
    }
}
