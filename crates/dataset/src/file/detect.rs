//! Detects the format of a file from its first object. Every format is tried; if several match, the user must choose.

mod candidate;

use std::path::Path;

use aiperf_config::{FileFormat, FilePeek, SpeedBench};
use candidate::{Candidate, FolderCandidate};

use super::input_data::InputData;
use super::row::CONTENT_FIELDS;
use super::{folder, unpack};
use crate::DatasetError;

/// One format, and the conditions under which data has it.
struct FormatRule {
    /// The name, as a `type` field of a row may give it.
    name: &'static str,
    file: fn(&Candidate<'_>) -> bool,
    folder: fn(&FolderCandidate) -> bool,
    format: fn(&Candidate<'_>) -> DetectedFormat,
}

/// The format of data that a rule matches.
enum DetectedFormat {
    Read(FileFormat),
    /// One of several; the user must choose.
    OneOf(Vec<&'static str>),
}

const FORMAT_RULES: [FormatRule; 16] = [
    FormatRule {
        name: "plain_text",
        file: |data| data.is_prose(),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::PlainText),
    },
    FormatRule {
        name: "single_turn",
        file: |data| data.has_any(&CONTENT_FIELDS) && !data.has("turns"),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::SingleTurn),
    },
    FormatRule {
        name: "multi_turn",
        file: |data| data.list("turns").is_some_and(|turns| !turns.iter().any(Candidate::is_turn_of_graph)),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::MultiTurn),
    },
    FormatRule {
        // A file looks like single_turn, unless its rows name their type.
        name: "random_pool",
        file: |_| false,
        folder: |folder| folder.every_file(|data| data.has_any(&CONTENT_FIELDS)),
        format: |_| DetectedFormat::Read(FileFormat::RandomPool),
    },
    FormatRule {
        name: "raw_payload",
        file: is_body,
        folder: |folder| folder.first_jsonl(is_body),
        format: |_| DetectedFormat::Read(FileFormat::RawPayload),
    },
    FormatRule {
        name: "inputs_json",
        file: |data| {
            let first = data.list("data").and_then(<[_]>::first);
            first.is_some_and(|session| session.get("payloads").is_some_and(serde_json::Value::is_array))
        },
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::InputsJson),
    },
    FormatRule {
        name: "dag_jsonl",
        file: |data| {
            data.has_all(&["session_id", "orchestrator"])
                || data.list("turns").is_some_and(|turns| turns.iter().any(Candidate::is_turn_of_graph))
        },
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::DagJsonl),
    },
    FormatRule {
        name: "sagemaker_data_capture",
        file: |data| data.has_all(&["captureData", "eventMetadata"]),
        folder: |folder| folder.first_jsonl_below(|data| data.has_all(&["captureData", "eventMetadata"])),
        format: |_| DetectedFormat::Read(FileFormat::SagemakerDataCapture),
    },
    FormatRule { name: "speed_bench", file: |data| data.is_speed_bench(), folder: |_| false, format: speed_bench },
    FormatRule {
        name: "mooncake_trace",
        file: |data| {
            let sized = data.has_any(&["input_length", "text_input", "payload"]) && !data.has("chat_id");
            sized || data.has_messages() && (!data.has("model") || data.has_any(&TRACE_FIELDS))
        },
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::MooncakeTrace),
    },
    FormatRule {
        name: "bailian_trace",
        file: |data| data.has_all(&["chat_id", "timestamp", "input_length", "output_length"]),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::BailianTrace),
    },
    FormatRule {
        name: "burst_gpt_trace",
        file: |data| data.header_has(&["Timestamp", "Request tokens", "Response tokens"]),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::BurstGptTrace),
    },
    FormatRule {
        name: "azure_trace",
        file: |data| data.header_has(&["TIMESTAMP", "ContextTokens", "GeneratedTokens"]),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::AzureTrace),
    },
    FormatRule {
        name: "baseten_trace",
        file: |data| data.is_table(),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::BasetenTrace),
    },
    FormatRule {
        name: "tracelab",
        file: |data| data.has_all(&["session_id", "round_index", "timing_events"]),
        folder: |_| false,
        format: |_| DetectedFormat::Read(FileFormat::Tracelab),
    },
    FormatRule {
        name: "weka_trace",
        file: |data| data.has_all(&["models", "block_size", "requests"]),
        folder: |folder| folder.first_json(|data| data.has_all(&["models", "block_size", "requests"])),
        format: |_| DetectedFormat::Read(FileFormat::WekaTrace),
    },
];

/// Fields of a recorded request that no request body has.
const TRACE_FIELDS: [&str; 6] = ["timestamp", "delay", "session_id", "output_length", "input_length", "hash_ids"];

/// Fields of bodies other than those of chats.
const BODY_FIELDS: [&str; 3] = ["prompt", "input", "inputs"];

/// Whether an object is a request body: it names a model and no time. An object with both, or with neither, may be a row of
/// a trace.
fn is_body(data: &Candidate<'_>) -> bool {
    data.has_messages() && (data.has("model") || !data.has_any(&TRACE_FIELDS))
        || data.has("model") && data.has_any(&BODY_FIELDS) && !data.has_any(&TRACE_FIELDS)
}

/// What the beginning of a file reveals: the format, unless it was named, and whether rows have times. `None` if it cannot
/// be detected, or if the file cannot be read twice.
pub fn peek(path: &Path, named: Option<FileFormat>) -> Option<FilePeek> {
    if path.is_dir() {
        let format = named.or_else(|| format(&InputData::Folder(path.to_owned())).ok())?;
        return Some(FilePeek { format, has_time: format.facts().has_times });
    }
    if !path.is_file() {
        return None;
    }
    let table = Candidate::nothing(path);
    if table.is_table() {
        return Some(FilePeek { format: named.unwrap_or(FileFormat::BasetenTrace), has_time: true });
    }
    let line = unpack::first_line(path).ok()?.unwrap_or_default();
    let candidate = Candidate::of_line(path, &line);
    let format = named.or_else(|| of(&candidate).ok())?;
    Some(FilePeek { format, has_time: candidate.has("timestamp") || !format.facts().has_blocks })
}

fn of(candidate: &Candidate<'_>) -> Result<FileFormat, DatasetError> {
    let named = candidate.kind().and_then(|kind| FORMAT_RULES.iter().find(|rule| rule.name == kind));
    let takers = || FORMAT_RULES.iter().filter(|rule| (rule.file)(candidate)).collect();
    let takers = named.map_or_else(takers, |rule| vec![rule]);
    decide(candidate.path, &takers, candidate, || candidate.described())
}

pub(crate) fn format(input: &InputData) -> Result<FileFormat, DatasetError> {
    match input {
        InputData::File(document) => of(&Candidate::of(document)?),
        InputData::Folder(path) => {
            let candidate = FolderCandidate::of(path)?;
            let takers: Vec<&FormatRule> = FORMAT_RULES.iter().filter(|rule| (rule.folder)(&candidate)).collect();
            decide(path, &takers, &Candidate::nothing(path), || {
                "its files match none of the formats that can be a folder".to_owned()
            })
        }
        InputData::Pools(_) => Ok(FileFormat::RandomPool),
    }
}

fn decide(
    path: &Path,
    takers: &[&FormatRule],
    candidate: &Candidate<'_>,
    described: impl FnOnce() -> String,
) -> Result<FileFormat, DatasetError> {
    let path = path.to_owned();
    let rule = match takers {
        [rule] => rule,
        [] => return Err(DatasetError::FormatUnknown { path, reason: described() }),
        several => {
            let candidates = several.iter().map(|rule| rule.name).collect();
            return Err(DatasetError::FormatAmbiguous { path, candidates });
        }
    };
    match (rule.format)(candidate) {
        DetectedFormat::Read(format) => Ok(format),
        DetectedFormat::OneOf(candidates) => Err(DatasetError::FormatAmbiguous { path, candidates }),
    }
}

/// The file of SPEED-Bench, detected from its name or its categories.
fn speed_bench(data: &Candidate<'_>) -> DetectedFormat {
    let name = folder::plain_name(data.path);
    let whole_files = || SpeedBench::all().filter(|part| part.category().is_none());
    let by_name = whole_files().find(|part| name == format!("{}.jsonl", part.file_stem()));
    let category = data.string("category").unwrap_or_default();
    let by_category = || {
        let part = SpeedBench::all().find(|part| part.category() == Some(category))?;
        whole_files().find(|whole| whole.file_stem() == part.file_stem() && part.file_stem() == "qualitative")
    };
    match by_name.or_else(by_category) {
        Some(part) => DetectedFormat::Read(FileFormat::SpeedBench(part)),
        None => DetectedFormat::OneOf(whole_files().map(SpeedBench::name).collect()),
    }
}

#[cfg(test)]
mod tests;
