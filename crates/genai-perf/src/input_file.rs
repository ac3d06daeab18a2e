//! The forms of `--input-file`: a file, a folder, `synthetic:` and `payload:`.

use std::fs;
use std::path::Path;

use crate::endpoint::EndpointChoice;
use crate::error::GenaiPerfError;
use crate::given::{GivenFlag, GivenFlags};
use crate::rows::{self, RowLayout};
use crate::table::FlagRule;
use crate::translate::Words;

/// File of rows that had to be written in another shape, in the folder of the run.
const REWRITTEN: &str = "genai_perf_input.jsonl";
const SCHEDULE: &str = "--input-file payload:FILE, whose rows have a timestamp";
const COMMAND_INPUT: &str = "for dynamic_grpc it is a file of JSON rows here, one message of the method in each, not a command that \
                             writes messages; write what the command sends as JSON, with bytes in base64";

/// What the data come from.
#[derive(Debug)]
pub(crate) struct InputFile {
    pub(crate) words: Vec<String>,
    /// Nothing is read: prompts are made.
    pub(crate) generated: bool,
    /// The rows in our shape, and where they go.
    pub(crate) rows: Option<(String, String)>,
}

pub(crate) fn read(
    asked: &GivenFlags,
    endpoint: &EndpointChoice<'_>,
    current_dir: &Path,
    folder: &str,
) -> Result<InputFile, GenaiPerfError> {
    let mut words = Words::default();
    let schedule =
        asked.get(FlagRule::FixedSchedule).filter(|given| given.values.iter().any(|value| !value.is_empty()));
    let given = asked.get(FlagRule::InputFile);
    let form = given.and_then(|given| given.values.first()).map_or("", String::as_str);
    if let Some(flag) = schedule.filter(|_| !form.starts_with("payload:")) {
        return Err(GenaiPerfError::Needs { flag: flag.typed.clone(), needed: SCHEDULE });
    }
    let Some(given) = given else { return Ok(InputFile { words: words.0, generated: true, rows: None }) };
    if form.starts_with("synthetic:") {
        if !endpoint.is_rankings() {
            return Err(given.bad("text pools are generated only for --endpoint-type rankings; leave it out"));
        }
        return Ok(InputFile { words: words.0, generated: true, rows: None });
    }
    let (path, layout) = match form.strip_prefix("payload:") {
        Some(path) => (path, RowLayout::Payload),
        None => (form, RowLayout::Texts),
    };
    let place = current_dir.join(path);
    if place.is_dir() {
        words.option("--input-file", path);
        words.option("--custom-dataset-type", "random_pool");
        return Ok(InputFile { words: words.0, generated: false, rows: None });
    }
    let text = fs::read_to_string(&place).map_err(|error| given.bad(&error.to_string()))?;
    if endpoint.is_dynamic() {
        return messages(given, path, &text);
    }
    let read = rows::read(&text, layout)
        .map_err(|(line, problem)| GenaiPerfError::File { path: format!("{path}:{line}"), problem })?;
    let target = format!("{folder}/{REWRITTEN}");
    words.option("--input-file", if read.rewritten.is_some() { &target } else { path });
    match layout {
        RowLayout::Texts => words.option("--custom-dataset-type", "single_turn"),
        RowLayout::Payload => {
            words.option("--custom-dataset-type", "mooncake_trace");
            if schedule.is_some() {
                words.flag("--fixed-schedule");
            } else if read.timed {
                words.flag("--no-fixed-schedule");
            }
        }
    }
    Ok(InputFile { words: words.0, generated: false, rows: read.rewritten.map(|rows| (target, rows)) })
}

/// Messages of a method that is known by name only.
fn messages(given: &GivenFlag, path: &str, text: &str) -> Result<InputFile, GenaiPerfError> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(given.bad(COMMAND_INPUT));
    }
    let mut words = Words::default();
    words.option("--input-file", path);
    words.option("--custom-dataset-type", "raw_payload");
    Ok(InputFile { words: words.0, generated: false, rows: None })
}
