//! `checkpoint.json`: runs that were made, so that a sweep that was broken off goes on where it was. The shape is GenAI-Perf's;
//! a run is known again by the words of `aiperf profile` that made it.

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_redact::{self as redact, REDACTED, is_secret_header};
use serde_json::{Map, Value, json};

use crate::error::GenaiPerfFileError;
use crate::measurement::Measurement;
use crate::planned::PlannedRun;

const NAME: &str = "checkpoint.json";

/// Options that do not change what is measured: where it goes, and how much is said.
const WITHOUT_EFFECT: [&str; 6] =
    ["--url", "--artifact-dir", "--profile-export-prefix", "--export-level", "--export-genai-perf", "--verbose"];

#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    /// Those of others are kept as they are.
    runs: Vec<Value>,
}

impl Checkpoint {
    /// Reads what is there; an empty one where nothing is.
    pub fn open(folder: &Path) -> Result<Self, GenaiPerfFileError> {
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self { path, runs: Vec::new() }),
            Err(error) => return Err(GenaiPerfFileError::read(&path)(error)),
        };
        let whole: Value = serde_json::from_str(&text)
            .map_err(GenaiPerfFileError::not_json(&path, "remove the file to start again"))?;
        let Some(runs) = whole["Results"]["run_configs"].as_array() else {
            return Err(GenaiPerfFileError::NotACheckpoint { path });
        };
        Ok(Self { path, runs: runs.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was measured when the same run was made before.
    pub fn find(&self, run: &PlannedRun) -> Option<Measurement> {
        let wanted = identity(&run.words);
        let same = |stored: &&Value| {
            let words = stored["perf_analyzer_config"]["_cli_args"].as_array();
            words.is_some_and(|words| identity(&texts(words)) == wanted)
        };
        self.runs.iter().find(same).and_then(|stored| Measurement::from_json(&stored["measurement"]))
    }

    /// Adds a run, and writes the file again.
    pub fn add(&mut self, run: &PlannedRun, measured: &Measurement) -> Result<(), GenaiPerfFileError> {
        let words: Vec<String> = run.words.iter().map(|word| without_secret(word)).collect();
        self.runs.push(json!({
            "name": run.name,
            "genai_perf_config": {"_parameters": parameters(&words)},
            "perf_analyzer_config": {
                "_model_name": run.model,
                "_parameters": {run.stimulus.0.clone(): size(run.stimulus.1)},
                "_cli_args": words,
            },
            "measurement": measured.to_json(&run.model),
        }));
        let whole = json!({"Results": {"run_configs": self.runs}});
        self.write(&format!("{whole:#}\n")).map_err(GenaiPerfFileError::write(&self.path))
    }

    /// A file that is half written would be worse than an old one.
    fn write(&self, text: &str) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let part = self.path.with_extension("json.part");
        fs::write(&part, text)?;
        fs::rename(&part, &self.path)
    }
}

/// A whole number where it is one.
fn size(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as u64) } else { json!(value) }
}

/// What two equal runs have in common.
fn identity(words: &[String]) -> Vec<String> {
    let counts = |word: &&String| !WITHOUT_EFFECT.contains(&name_of(word));
    let mut words: Vec<String> = words.iter().filter(counts).map(|word| without_secret(word)).collect();
    words.sort();
    words
}

fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

fn texts(words: &[Value]) -> Vec<String> {
    words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn without_secret(word: &str) -> String {
    match word.split_once('=') {
        Some(("--header", header)) => match header.split_once(':') {
            Some((name, _)) if !header.trim_start().starts_with('{') && !is_secret_header(name) => word.to_owned(),
            Some((name, _)) if !header.trim_start().starts_with('{') => format!("--header={name}:{REDACTED}"),
            _ => format!("--header={REDACTED}"),
        },
        Some((name @ ("--url" | "--endpoint"), value)) => format!("{name}={}", redact::shown_url(value)),
        Some((name @ "--extra-inputs", value)) => format!("{name}={}", aiperf_options::shown_extra_inputs(value)),
        _ => word.to_owned(),
    }
}

/// The words again, in the three groups that GenAI-Perf has.
fn parameters(words: &[String]) -> Value {
    let (mut endpoint, mut input, mut tokenizer) = (Map::new(), Map::new(), Map::new());
    for word in words.iter().filter(|word| word.starts_with("--")) {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), json!(true)), |(name, value)| (name, json!(value)));
        let group = match name {
            "--model" | "--endpoint-type" | "--backend" | "--endpoint" | "--streaming" | "--grpc-method" => {
                &mut endpoint
            }
            name if name.starts_with("--tokenizer") => &mut tokenizer,
            name if WITHOUT_EFFECT.contains(&name) => continue,
            _ => &mut input,
        };
        group.insert(name.trim_start_matches('-').replace('-', "_"), value);
    }
    json!({"endpoint": endpoint, "input": input, "tokenizer": tokenizer})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(words: &str) -> PlannedRun {
        PlannedRun {
            name: "m_run_config_0".to_owned(),
            model: "m".to_owned(),
            stimulus: ("concurrency".to_owned(), 1.0),
            renamed: Vec::new(),
            words: words.split(' ').map(str::to_owned).collect(),
        }
    }

    #[test]
    fn a_run_is_known_again_wherever_it_goes_and_however_much_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let mut checkpoint = Checkpoint::open(folder.path()).unwrap();
        let run = planned(
            "aiperf profile --model=m --url=a:1?key=secret --isl=20 --header=Authorization:secret --endpoint=/x?key=secret",
        );
        assert_eq!(checkpoint.find(&run), None);
        let stored = json!({"_model_config_measurements": {"m": {"_perf_metrics": {"request_count_avg": ["request_count_avg", {"_value": 3.0}]}}}});
        let measured = Measurement::from_json(&stored).unwrap();
        checkpoint.add(&run, &measured).unwrap();
        let text = fs::read_to_string(folder.path().join(NAME)).unwrap();
        assert!(!text.contains("secret"), "{text}");
        let whole: Value = serde_json::from_str(&text).unwrap();
        let stored = &whole["Results"]["run_configs"][0];
        assert_eq!(stored["name"], "m_run_config_0");
        assert_eq!(stored["genai_perf_config"]["_parameters"]["endpoint"]["model"], "m");
        assert_eq!(stored["perf_analyzer_config"]["_parameters"]["concurrency"], 1);
        let again = Checkpoint::open(folder.path()).unwrap();
        let same = planned(
            "aiperf profile --url=b:2 --model=m --verbose --header=Authorization:other --isl=20 --endpoint=/x?key=other",
        );
        assert_eq!(again.find(&same), Some(measured));
        assert_eq!(
            again.find(&planned("aiperf profile --model=m --isl=21 --header=Authorization:secret --endpoint=/x")),
            None
        );
    }

    #[test]
    fn what_is_no_checkpoint_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        for (text, part) in [("{", "not valid JSON"), ("{}", "Results.run_configs")] {
            fs::write(folder.path().join(NAME), text).unwrap();
            assert!(format!("{:#}", Checkpoint::open(folder.path()).unwrap_err()).contains(part));
        }
    }
}
