//! The forms of `--input-file`: a file, a folder, `synthetic:` and `payload:`.

use std::fs;
use std::path::Path;

use super::endpoint::Endpoint;
use super::given::{Asked, Given};
use super::refusal::Refusal;
use super::rows::{self, Layout};
use super::table::Rule;
use super::translate::Words;

/// File of rows that had to be written in another shape, in the folder of the run.
const REWRITTEN: &str = "genai_perf_input.jsonl";
const SCHEDULE: &str = "--input-file payload:FILE, whose rows have a timestamp";
const COMMAND_INPUT: &str = "for dynamic_grpc it is a file of JSON rows here, one message of the method in each, not a command that \
                             writes messages; write what the command sends as JSON, with bytes in base64";

/// What the data come from.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) words: Vec<String>,
    /// Nothing is read: prompts are made.
    pub(super) generated: bool,
    /// Rows in our shape, and where they go.
    pub(super) rows: Option<(String, String)>,
}

pub(super) fn read(asked: &Asked, endpoint: &Endpoint<'_>, current_dir: &Path, folder: &str) -> Result<Input, Refusal> {
    let mut words = Words::default();
    let schedule = asked.get(Rule::FixedSchedule).filter(|given| given.values.iter().any(|value| !value.is_empty()));
    let given = asked.get(Rule::InputFile);
    let form = given.and_then(|given| given.values.first()).map_or("", String::as_str);
    if let Some(flag) = schedule.filter(|_| !form.starts_with("payload:")) {
        return Err(Refusal::Needs { flag: flag.typed.clone(), needed: SCHEDULE });
    }
    let Some(given) = given else { return Ok(Input { words: words.0, generated: true, rows: None }) };
    if form.starts_with("synthetic:") {
        if !endpoint.is_rankings() {
            return Err(given.bad("pools of texts are made for --endpoint-type rankings; elsewhere leave it out"));
        }
        return Ok(Input { words: words.0, generated: true, rows: None });
    }
    let (path, layout) = match form.strip_prefix("payload:") {
        Some(path) => (path, Layout::Payload),
        None => (form, Layout::Texts),
    };
    let place = current_dir.join(path);
    if place.is_dir() {
        words.option("--input-file", path);
        words.option("--custom-dataset-type", "random_pool");
        return Ok(Input { words: words.0, generated: false, rows: None });
    }
    let text = fs::read_to_string(&place).map_err(|error| given.bad(&error.to_string()))?;
    if endpoint.is_dynamic() {
        return messages(given, path, &text);
    }
    let read = rows::read(&text, layout)
        .map_err(|(line, problem)| Refusal::File { path: format!("{path}:{line}"), problem })?;
    let target = format!("{folder}/{REWRITTEN}");
    words.option("--input-file", if read.rewritten.is_some() { &target } else { path });
    match layout {
        Layout::Texts => words.option("--custom-dataset-type", "single_turn"),
        Layout::Payload => {
            words.option("--custom-dataset-type", "mooncake_trace");
            if schedule.is_some() {
                words.flag("--fixed-schedule");
            } else if read.timed {
                words.flag("--no-fixed-schedule");
            }
        }
    }
    Ok(Input { words: words.0, generated: false, rows: read.rewritten.map(|rows| (target, rows)) })
}

/// Messages of a method that is known by name only.
fn messages(given: &Given, path: &str, text: &str) -> Result<Input, Refusal> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(given.bad(COMMAND_INPUT));
    }
    let mut words = Words::default();
    words.option("--input-file", path);
    words.option("--custom-dataset-type", "raw_payload");
    Ok(Input { words: words.0, generated: false, rows: None })
}
