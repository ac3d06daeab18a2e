//! `genai-perf config`: a YAML file of GenAI-Perf as the words of its command line.

use std::fs;
use std::path::Path;

use crate::error::GenaiPerfError;
use crate::settings::{ANALYZE, ConfigSetting, MODE, NUMBER, PROCESS, PROGRAM, SETTINGS, STIMULUS, SettingForm};
use crate::sweep::{PARAMETERS, SweepParameter};
use crate::yaml::{YamlEntry, YamlNode};

/// What a file asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigJob {
    Profile,
    Analyze,
    Process,
}

/// A file as words.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) job: ConfigJob,
    pub(crate) words: Vec<String>,
}

/// A key that has a value, wherever it stands.
struct FoundKey<'a> {
    setting: &'static ConfigSetting,
    line: u64,
    value: &'a YamlNode,
}

/// The options that a configuration file becomes, or what is wrong with it. Public for fuzzing only.
#[doc(hidden)]
pub fn options_of_config(text: &str) -> Result<Vec<String>, String> {
    ConfigFile::parse(text).map(|file| file.words).map_err(|(_, problem)| problem)
}

impl ConfigFile {
    pub(crate) fn read(path: &str, current_dir: &Path) -> Result<Self, GenaiPerfError> {
        let at = |line: u64, problem: String| match line {
            0 => GenaiPerfError::File { path: path.to_owned(), problem },
            line => GenaiPerfError::File { path: format!("{path}:{line}"), problem },
        };
        let text = fs::read_to_string(current_dir.join(path)).map_err(|error| at(0, error.to_string()))?;
        Self::parse(&text).map_err(|(line, problem)| at(line, problem))
    }

    /// Errors come with the line, or with 0 where they name it themselves.
    fn parse(text: &str) -> Result<Self, (u64, String)> {
        let tree = YamlNode::read(text).map_err(|problem| (0, problem))?;
        let mut found = Vec::new();
        match &tree {
            YamlNode::Map(entries) => gather("", entries, &mut found)?,
            YamlNode::Nothing => {}
            _ => {
                return Err((
                    1,
                    "the file has no keys; `genai-perf create-template` writes a file to start from".to_owned(),
                ));
            }
        }
        let is_set = |path: &str| found.iter().any(|it| it.setting.path == path);
        let job = if is_set(PROCESS) {
            ConfigJob::Process
        } else if is_set(ANALYZE) {
            ConfigJob::Analyze
        } else {
            ConfigJob::Profile
        };
        let mut words = Vec::new();
        for it in &found {
            // Runs that are merged were made by other settings; only those about files concern them.
            if job == ConfigJob::Process && it.setting.path != PROCESS && !it.setting.path.starts_with("output.") {
                continue;
            }
            it.put(&found, &mut words).map_err(|problem| (it.line, problem))?;
        }
        Ok(Self { job, words })
    }
}

/// All keys with a value that says something new.
fn gather<'a>(above: &str, entries: &'a [YamlEntry], found: &mut Vec<FoundKey<'a>>) -> Result<(), (u64, String)> {
    for YamlEntry { key, line, value } in entries {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.path == path) {
            if *value != YamlNode::Nothing && !is_usual(setting, value) {
                found.push(FoundKey { setting, line: *line, value });
            }
            continue;
        }
        let below = format!("{path}.");
        match value {
            YamlNode::Nothing if SETTINGS.iter().any(|setting| setting.path.starts_with(&below)) => {}
            YamlNode::Map(entries) if SETTINGS.iter().any(|setting| setting.path.starts_with(&below)) => {
                gather(&path, entries, found)?;
            }
            _ if SETTINGS.iter().any(|setting| setting.path.starts_with(&below)) => {
                return Err((*line, format!("{path} is a section, not a value; its keys are {}", keys(&below))));
            }
            _ => {
                let (place, prefix) =
                    if above.is_empty() { ("at the top", String::new()) } else { ("there", format!("{above}.")) };
                return Err((
                    *line,
                    format!("{path} is not a key of GenAI-Perf; the keys {place} are {}", keys(&prefix)),
                ));
            }
        }
    }
    Ok(())
}

/// The keys right below a section, each once.
fn keys(prefix: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for rest in SETTINGS.iter().filter_map(|setting| setting.path.strip_prefix(prefix)) {
        let name = rest.split('.').next().unwrap_or(rest);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Whether a value is what holds anyway. Such a key says nothing, whatever the other options are.
fn is_usual(setting: &ConfigSetting, value: &YamlNode) -> bool {
    let Some(word) = value.word() else { return false };
    let usual = setting.usual;
    let same_number = || matches!((word.parse::<f64>(), usual.parse::<f64>()), (Ok(one), Ok(other)) if (one - other).abs() < f64::EPSILON);
    word == usual || (word == "false" && usual == "False") || same_number()
}

impl FoundKey<'_> {
    fn put(&self, all: &[FoundKey<'_>], words: &mut Vec<String>) -> Result<(), String> {
        let ConfigSetting { path, option, takes, .. } = self.setting;
        match takes {
            SettingForm::Value => words.push(format!("{option}={}", self.one()?)),
            SettingForm::Switch => match self.one()? {
                "true" | "True" => words.push((*option).to_owned()),
                "false" | "False" => {}
                other => return Err(format!("{path} must be true or false, not {other:?}")),
            },
            SettingForm::List => {
                words.push((*option).to_owned());
                words.extend(self.several()?);
            }
            SettingForm::Pairs => {
                words.push((*option).to_owned());
                words.extend(self.pairs()?);
            }
            SettingForm::Each => words.extend(self.pairs()?.iter().map(|pair| format!("{option}={pair}"))),
            SettingForm::Special => self.special(all, words)?,
        }
        Ok(())
    }

    fn special(&self, all: &[FoundKey<'_>], words: &mut Vec<String>) -> Result<(), String> {
        match self.setting.path {
            PROGRAM => {
                Err("perf_analyzer.path names another program, which aiperf does not start: leave it out".to_owned())
            }
            STIMULUS => self.stimulus(words),
            ANALYZE => self.sweep(words),
            // It is read where the number is.
            MODE => match self.one()? {
                "interval" if !all.iter().any(|it| it.setting.path == NUMBER) => {
                    words.push("--measurement-interval=10000".to_owned());
                    Ok(())
                }
                "interval" | "request_count" => Ok(()),
                other => Err(format!("{MODE} must be request_count or interval, not {other:?}")),
            },
            _ => {
                let mode = all.iter().find(|it| it.setting.path == MODE).and_then(|it| it.value.word());
                let option = if mode == Some("interval") { "--measurement-interval" } else { "--request-count" };
                words.push(format!("{option}={}", self.one()?));
                Ok(())
            }
        }
    }

    fn stimulus(&self, words: &mut Vec<String>) -> Result<(), String> {
        let form = "give one of concurrency, request_rate, session_concurrency and fixed_schedule with its value";
        let YamlNode::Map(entries) = self.value else { return Err(format!("{STIMULUS}: {form}")) };
        let [YamlEntry { key, value, .. }] = entries.as_slice() else { return Err(format!("{STIMULUS}: {form}")) };
        let value = value.word().ok_or_else(|| format!("{STIMULUS}: {form}"))?;
        match key.as_str() {
            // What holds anyway, and would stand in the way of a sweep.
            "concurrency" if value == "1" => Ok(()),
            "concurrency" | "request_rate" | "session_concurrency" => {
                words.push(format!("--{}={value}", key.replace('_', "-")));
                Ok(())
            }
            "fixed_schedule" if value == "false" => Ok(()),
            "fixed_schedule" => {
                words.push("--fixed-schedule=True".to_owned());
                Ok(())
            }
            _ => Err(format!("{STIMULUS}.{key} is not a load; {form}")),
        }
    }

    fn sweep(&self, words: &mut Vec<String>) -> Result<(), String> {
        let names = PARAMETERS.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
        let form = format!("one of {names}, with a list of values or with start, stop and step below it");
        let YamlNode::Map(entries) = self.value else { return Err(format!("analyze needs {form}")) };
        let [YamlEntry { key, value, .. }] = entries.as_slice() else {
            return Err(format!("analyze has {} keys; it takes {form}", entries.len()));
        };
        let parameter =
            SweepParameter::of_name(key).ok_or_else(|| format!("analyze.{key} cannot be varied; give {form}"))?;
        words.push(format!("--sweep-type={}", parameter.name));
        match value {
            YamlNode::List(_) | YamlNode::Word(_) => {
                let values =
                    several(value).ok_or_else(|| format!("analyze.{key} takes values, or start, stop and step"))?;
                words.push(format!("--sweep-list={}", values.join(",")));
            }
            YamlNode::Map(bounds) => {
                let bound = |name: &str| bounds.iter().find(|entry| entry.key == name).and_then(|it| it.value.word());
                if let Some(other) = bounds.iter().find(|it| !["start", "stop", "step"].contains(&it.key.as_str())) {
                    return Err(format!("analyze.{key}.{} is not a key; the keys are start, stop and step", other.key));
                }
                let (Some(start), Some(stop)) = (bound("start"), bound("stop")) else {
                    return Err(format!("analyze.{key} needs start and stop"));
                };
                let step = bound("step").map(|step| format!(":{step}")).unwrap_or_default();
                words.push(format!("--sweep-range={start}:{stop}{step}"));
            }
            YamlNode::Nothing => {}
        }
        Ok(())
    }

    fn one(&self) -> Result<&str, String> {
        self.value.word().ok_or_else(|| format!("{} takes one value", self.setting.path))
    }

    fn several(&self) -> Result<Vec<String>, String> {
        several(self.value).ok_or_else(|| format!("{} takes a value or a list of values", self.setting.path))
    }

    /// As `name:value`.
    fn pairs(&self) -> Result<Vec<String>, String> {
        let YamlNode::Map(entries) = self.value else { return self.several() };
        let pair = |YamlEntry { key, value, .. }: &YamlEntry| match value {
            YamlNode::Word(word) => Some(format!("{key}:{word}")),
            // A name alone stands for null.
            YamlNode::Nothing => Some(key.clone()),
            YamlNode::List(_) | YamlNode::Map(_) => None,
        };
        let pairs = entries.iter().map(pair).collect::<Option<Vec<String>>>();
        pairs.ok_or_else(|| format!("{} takes names with one value each", self.setting.path))
    }
}

fn several(value: &YamlNode) -> Option<Vec<String>> {
    match value {
        YamlNode::Word(word) => Some(vec![word.clone()]),
        YamlNode::List(nodes) => nodes.iter().map(|node| node.word().map(str::to_owned)).collect(),
        YamlNode::Map(_) | YamlNode::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template;

    fn words(text: &str) -> String {
        let read = ConfigFile::parse(text);
        read.map_or_else(|(line, problem)| panic!("{line}: {problem}"), |file| file.words.join(" "))
    }

    fn problem(text: &str) -> (u64, String) {
        ConfigFile::parse(text).map(|file| file.words).unwrap_err()
    }

    #[test]
    fn a_skeleton_says_nothing_and_names_every_key() {
        for explained in [false, true] {
            let text = template::text(explained);
            assert_eq!(words(&text), "", "{text}");
            for setting in SETTINGS.iter().filter(|setting| setting.path != "model_name") {
                let key = setting.path.rsplit('.').next().unwrap();
                assert!(text.contains(&format!("{key}:")), "{key}: {text}");
            }
        }
        let explained = template::text(true);
        assert!(SETTINGS.iter().filter(|it| it.path != "model_name").all(|it| explained.contains(it.about)));
    }

    #[test]
    fn keys_become_options() {
        let text = "\
model_names: [a, b]
endpoint:
  type: chat
  streaming: True
  backend: tensorrtllm
  url: localhost:8000
perf_analyzer:
  stimulus: {'request_rate': 20.5}
  stability_percentage: 999
  measurement:
    mode: interval
    num: 500
input:
  extra: {temperature: 0, stop:}
  goodput: {request_latency: 100, time_to_first_token: 20}
  header: X-Team:blue
  synthetic_tokens: {mean: 20}
  prefix_prompt: {num: 0, length: 100}
output:
  profile_export_file: profile_export.json
";
        assert_eq!(
            words(text),
            "--model a b --endpoint-type=chat --streaming --url=localhost:8000 --request-rate=20.5 \
             --measurement-interval=500 --extra-inputs=temperature:0 --extra-inputs=stop --goodput request_latency:100 \
             time_to_first_token:20 --header=X-Team:blue --isl=20"
        );
    }

    #[test]
    fn sections_say_what_is_run() {
        let job = |text: &str| ConfigFile::parse(text).unwrap().job;
        assert_eq!(job("model_name: m"), ConfigJob::Profile);
        assert_eq!(job("model_name: m\nanalyze:\n  concurrency: [1, 2]"), ConfigJob::Analyze);
        assert_eq!(job("process:\n  input_path: runs"), ConfigJob::Process);
        assert_eq!(words("analyze: {concurrency: [1, 2]}"), "--sweep-type=concurrency --sweep-list=1,2");
        assert_eq!(
            words("analyze: {request_rate: {start: 2, stop: 8, step: 2}}"),
            "--sweep-type=request_rate --sweep-range=2:8:2"
        );
        assert_eq!(
            words("process: {input_path: runs}\nmodel_name: m\noutput: {artifact_directory: o}"),
            "--input-directory=runs --artifact-dir=o"
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, part) in [
            (
                "model_name: m\nendpoint:\n  tipe: chat\n",
                3,
                "endpoint.tipe is not a key of GenAI-Perf; the keys there are model_selection",
            ),
            ("modle: m\n", 1, "modle is not a key"),
            ("endpoint: chat\n", 1, "endpoint is a section"),
            ("endpoint:\n  streaming: maybe\n", 2, "true or false"),
            ("endpoint:\n  type: [a, b]\n", 2, "takes one value"),
            ("perf_analyzer:\n  stimulus: {weather: 1}\n", 2, "stimulus.weather is not a load"),
            ("perf_analyzer:\n  path: /usr/bin/other\n", 2, "which aiperf does not start"),
            ("perf_analyzer:\n  measurement:\n    mode: moon\n", 3, "request_count or interval"),
            ("analyze:\n  concurrency: [1]\n  request_rate: [1]\n", 1, "analyze has 2 keys"),
            ("analyze:\n  weather: [1]\n", 1, "analyze.weather cannot be varied"),
            ("analyze:\n  concurrency: {start: 1}\n", 1, "needs start and stop"),
            ("a: [1\nb: 2", 0, "line 2"),
            ("a: 1\na: 2", 0, "line 2"),
            ("- a", 1, "create-template"),
        ] {
            let (at, said) = problem(text);
            assert!(at == line && said.contains(part), "{text}: {at}: {said}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ a-z:\\-\\[\\]{}#'\"\n&*!|>0-9]{0,80}") {
            let _ = ConfigFile::parse(&text);
        }
    }
}
