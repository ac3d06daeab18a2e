//! What is known about data before it is read: its name, its first line, its first object.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aiperf_trace::not_json;
use serde_json::{Map, Value};

use crate::DatasetError;
use crate::file::input_data::LoadedFile;
use crate::file::{folder, unpack};

/// A file whose format is not known yet.
pub(super) struct Candidate<'a> {
    pub(super) path: &'a Path,
    /// The first line that is not blank, and its number.
    first: (usize, &'a [u8]),
    object: Option<Map<String, Value>>,
}

impl<'a> Candidate<'a> {
    pub(super) fn of(document: &'a LoadedFile) -> Result<Self, DatasetError> {
        let path = &*document.path;
        let nothing = Self::nothing(path);
        if nothing.is_table() {
            return Ok(nothing);
        }
        let Some(first) = aiperf_trace::lines(&document.bytes).next() else {
            return Err(DatasetError::NoRows { path: path.to_owned() });
        };
        Ok(Self { path, first, object: object(first.1, || Some(Cow::Borrowed(&document.bytes[..]))) })
    }

    /// A candidate of which only the first line is known.
    pub(super) fn of_line(path: &'a Path, line: &'a [u8]) -> Self {
        Self { path, first: (1, line), object: object(line, || None) }
    }

    pub(super) fn nothing(path: &'a Path) -> Self {
        Self { path, first: (0, b""), object: None }
    }

    /// The `type` of the first row.
    pub(super) fn kind(&self) -> Option<&str> {
        self.string("type")
    }

    pub(super) fn string(&self, field: &str) -> Option<&str> {
        self.object.as_ref()?.get(field)?.as_str()
    }

    pub(super) fn list(&self, field: &str) -> Option<&[Value]> {
        self.object.as_ref()?.get(field)?.as_array().map(Vec::as_slice)
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.object.as_ref().is_some_and(|object| object.get(field).is_some_and(|value| !value.is_null()))
    }

    pub(super) fn has_all(&self, fields: &[&str]) -> bool {
        fields.iter().all(|field| self.has(field))
    }

    pub(super) fn has_any(&self, fields: &[&str]) -> bool {
        fields.iter().any(|field| self.has(field))
    }

    pub(super) fn is_speed_bench(&self) -> bool {
        self.has_all(&["question_id", "category", "messages"])
    }

    /// Whether the row has API messages and is not a SPEED-Bench row.
    pub(super) fn has_messages(&self) -> bool {
        self.list("messages").is_some() && !self.is_speed_bench()
    }

    pub(super) fn is_turn_of_graph(turn: &Value) -> bool {
        ["messages", "forks", "spawns"].iter().any(|key| turn.get(key).is_some())
    }

    /// Whether it is a text file that does not begin with JSON.
    pub(super) fn is_prose(&self) -> bool {
        folder::plain_name(self.path).to_ascii_lowercase().ends_with(".txt")
            && !matches!(self.first.1.first(), None | Some(b'{' | b'['))
    }

    /// Whether the first line is a CSV header with these columns.
    pub(super) fn header_has(&self, columns: &[&str]) -> bool {
        let header = String::from_utf8_lossy(self.first.1);
        self.object.is_none() && columns.iter().all(|column| header.contains(column))
    }

    /// Whether the name is that of a Parquet or Arrow file.
    pub(super) fn is_table(&self) -> bool {
        let extension = self.path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        matches!(extension.as_str(), "parquet" | "arrow" | "ipc")
    }

    /// Why no format matches.
    pub(super) fn described(&self) -> String {
        let (line, first) = self.first;
        match (&self.object, serde_json::from_slice::<Value>(first)) {
            (Some(_), _) => format!("the object in line {line} has none of the fields of a known format"),
            (None, Ok(_)) => format!("line {line} is JSON, but not an object"),
            (None, Err(error)) => format!("line {line} is {}", not_json(first, &error)),
        }
    }
}

/// The object in a line, or in a document of several lines.
fn object<'a>(line: &[u8], whole: impl FnOnce() -> Option<Cow<'a, [u8]>>) -> Option<Map<String, Value>> {
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) => None,
        Err(_) => {
            // Anything else is not an object and does not have to be read to the end.
            let document = line.starts_with(b"{").then(whole)??;
            serde_json::from_slice(document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&document)).ok()
        }
    }
}

/// A folder whose format is not known yet.
pub(super) struct FolderCandidate {
    files: Vec<PathBuf>,
    below: Vec<PathBuf>,
}

impl FolderCandidate {
    pub(super) fn of(path: &Path) -> Result<Self, DatasetError> {
        Ok(Self { files: folder::files(path)?, below: folder::files_below(path)? })
    }

    /// Whether there are files, and the first object of each matches.
    pub(super) fn every_file(&self, wanted: impl Fn(&Candidate<'_>) -> bool) -> bool {
        !self.files.is_empty() && self.files.iter().all(|path| first_object(path, &wanted))
    }

    pub(super) fn first_jsonl(&self, wanted: impl Fn(&Candidate<'_>) -> bool) -> bool {
        self.files.iter().find(|path| folder::is_jsonl(path)).is_some_and(|path| first_object(path, wanted))
    }

    /// Whether the first `.jsonl` file in the folder or its subfolders matches.
    pub(super) fn first_jsonl_below(&self, wanted: impl Fn(&Candidate<'_>) -> bool) -> bool {
        self.below.iter().find(|path| folder::is_jsonl(path)).is_some_and(|path| first_object(path, wanted))
    }

    pub(super) fn first_json(&self, wanted: impl Fn(&Candidate<'_>) -> bool) -> bool {
        let json = self.files.iter().find(|path| folder::is_json(path));
        json.is_some_and(|path| first_object(path, wanted))
    }
}

/// Whether the first object of a file matches. A file that cannot be read does not; the chosen reader reports the problem.
fn first_object(path: &Path, wanted: impl Fn(&Candidate<'_>) -> bool) -> bool {
    let Ok(Some(line)) = unpack::first_line(path) else { return false };
    let object = object(&line, || unpack::file(path).ok().map(Cow::Owned));
    wanted(&Candidate { path, first: (1, &line), object })
}
