//! Which format a file has, from its first object. Every format is asked; when several would take the file, the user has to
//! say which. Formats that are known but not built are refused by their names.

mod candidate;

use std::path::Path;

use aiperf_config::{FileFormat, FilePeek, SpeedBench};
use candidate::{Candidate, FolderCandidate};

use super::input::Input;
use super::row::CONTENT_FIELDS;
use super::{folder, unpack};
use crate::DatasetError;

/// One format, and what makes data one of it.
struct Rule {
    /// As the `type` field of a row may name it.
    name: &'static str,
    file: fn(&Candidate<'_>) -> bool,
    folder: fn(&FolderCandidate) -> bool,
    format: fn(&Candidate<'_>) -> Verdict,
}

/// What becomes of data that a rule takes.
enum Verdict {
    Read(FileFormat),
    /// The type must be said.
    OneOf(Vec<&'static str>),
}

const RULES: [Rule; 16] = [
    Rule {
        name: "plain_text",
        file: |data| data.is_prose(),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::PlainText),
    },
    Rule {
        name: "single_turn",
        file: |data| data.has_any(&CONTENT_FIELDS) && !data.has("turns"),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::SingleTurn),
    },
    Rule {
        name: "multi_turn",
        file: |data| data.list("turns").is_some_and(|turns| !turns.iter().any(Candidate::is_turn_of_graph)),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::MultiTurn),
    },
    Rule {
        // As a file it looks like single_turn, unless its rows name their type.
        name: "random_pool",
        file: |_| false,
        folder: |folder| folder.every_file(|data| data.has_any(&CONTENT_FIELDS)),
        format: |_| Verdict::Read(FileFormat::RandomPool),
    },
    Rule {
        name: "raw_payload",
        file: is_body,
        folder: |folder| folder.first_jsonl(is_body),
        format: |_| Verdict::Read(FileFormat::RawPayload),
    },
    Rule {
        name: "inputs_json",
        file: |data| {
            let first = data.list("data").and_then(<[_]>::first);
            first.is_some_and(|session| session.get("payloads").is_some_and(serde_json::Value::is_array))
        },
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::InputsJson),
    },
    Rule {
        name: "dag_jsonl",
        file: |data| {
            data.has_all(&["session_id", "orchestrator"])
                || data.list("turns").is_some_and(|turns| turns.iter().any(Candidate::is_turn_of_graph))
        },
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::DagJsonl),
    },
    Rule {
        name: "sagemaker_data_capture",
        file: |data| data.has_all(&["captureData", "eventMetadata"]),
        folder: |folder| folder.first_jsonl_below(|data| data.has_all(&["captureData", "eventMetadata"])),
        format: |_| Verdict::Read(FileFormat::SagemakerDataCapture),
    },
    Rule { name: "speed_bench", file: |data| data.is_speed_bench(), folder: |_| false, format: speed_bench },
    Rule {
        name: "mooncake_trace",
        file: |data| {
            let sized = data.has_any(&["input_length", "text_input", "payload"]) && !data.has("chat_id");
            sized || data.has_messages() && (!data.has("model") || data.has_any(&TRACE_FIELDS))
        },
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::MooncakeTrace),
    },
    Rule {
        name: "bailian_trace",
        file: |data| data.has_all(&["chat_id", "timestamp", "input_length", "output_length"]),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::BailianTrace),
    },
    Rule {
        name: "burst_gpt_trace",
        file: |data| data.header_has(&["Timestamp", "Request tokens", "Response tokens"]),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::BurstGptTrace),
    },
    Rule {
        name: "azure_trace",
        file: |data| data.header_has(&["TIMESTAMP", "ContextTokens", "GeneratedTokens"]),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::AzureTrace),
    },
    Rule {
        name: "baseten_trace",
        file: |data| data.is_table(),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::BasetenTrace),
    },
    Rule {
        name: "tracelab",
        file: |data| data.has_all(&["session_id", "round_index", "timing_events"]),
        folder: |_| false,
        format: |_| Verdict::Read(FileFormat::Tracelab),
    },
    Rule {
        name: "weka_trace",
        file: |data| data.has_all(&["models", "block_size", "requests"]),
        folder: |folder| folder.first_json(|data| data.has_all(&["models", "block_size", "requests"])),
        format: |_| Verdict::Read(FileFormat::WekaTrace),
    },
];

/// Fields of a recorded request that no request body has.
const TRACE_FIELDS: [&str; 6] = ["timestamp", "delay", "session_id", "output_length", "input_length", "hash_ids"];

/// Fields of bodies other than those of chats.
const BODY_FIELDS: [&str; 3] = ["prompt", "input", "inputs"];

/// A body says which model it is for, and nothing of when it was sent. A row that says both, or neither, could be one of a
/// trace too.
fn is_body(data: &Candidate<'_>) -> bool {
    data.has_messages() && (data.has("model") || !data.has_any(&TRACE_FIELDS))
        || data.has("model") && data.has_any(&BODY_FIELDS) && !data.has_any(&TRACE_FIELDS)
}

/// What the beginning of a file tells of it: the format, unless it was named, and whether rows have times. `None` where it
/// does not tell, or where reading it twice is impossible.
pub fn peek(path: &Path, named: Option<FileFormat>) -> Option<FilePeek> {
    if path.is_dir() {
        let format = named.or_else(|| format(&Input::Folder(path.to_owned())).ok())?;
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
    let named = candidate.kind().and_then(|kind| RULES.iter().find(|rule| rule.name == kind));
    let takers = || RULES.iter().filter(|rule| (rule.file)(candidate)).collect();
    let takers = named.map_or_else(takers, |rule| vec![rule]);
    decide(candidate.path, &takers, candidate, || candidate.described())
}

pub(crate) fn format(input: &Input) -> Result<FileFormat, DatasetError> {
    match input {
        Input::Document(document) => of(&Candidate::of(document)?),
        Input::Folder(path) => {
            let candidate = FolderCandidate::of(path)?;
            let takers: Vec<&Rule> = RULES.iter().filter(|rule| (rule.folder)(&candidate)).collect();
            decide(path, &takers, &Candidate::nothing(path), || {
                "none of the formats that a folder can have fits the files in it".to_owned()
            })
        }
    }
}

fn decide(
    path: &Path,
    takers: &[&Rule],
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
        Verdict::Read(format) => Ok(format),
        Verdict::OneOf(candidates) => Err(DatasetError::FormatAmbiguous { path, candidates }),
    }
}

/// All rows of a file of SPEED-Bench. Which file it is, its name or its categories tell.
fn speed_bench(data: &Candidate<'_>) -> Verdict {
    let name = folder::plain_name(data.path);
    let whole_files = || SpeedBench::all().filter(|part| part.category().is_none());
    let by_name = whole_files().find(|part| name == format!("{}.jsonl", part.file_stem()));
    let category = data.string("category").unwrap_or_default();
    let by_category = || {
        let part = SpeedBench::all().find(|part| part.category() == Some(category))?;
        whole_files().find(|whole| whole.file_stem() == part.file_stem() && part.file_stem() == "qualitative")
    };
    match by_name.or_else(by_category) {
        Some(part) => Verdict::Read(FileFormat::SpeedBench(part)),
        None => Verdict::OneOf(whole_files().map(SpeedBench::name).collect()),
    }
}

#[cfg(test)]
mod tests;
