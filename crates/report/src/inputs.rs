//! `inputs.json`: all requests of the dataset, written beside the run.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::ReportError;

/// One conversation: a request body for each of its turns.
#[derive(Debug, Clone, Serialize)]
pub struct InputSession {
    pub session_id: String,
    pub payloads: Vec<Value>,
}

/// The file under way. It has another name until it is whole, so that whoever finds it finds all of it.
#[derive(Debug)]
pub struct InputsFile {
    path: PathBuf,
    part: PathBuf,
    file: File,
}

impl InputsFile {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(|source| ReportError::create(dir, source))?;
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|source| ReportError::create(&part, source))?;
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// Writes session by session, so that the dataset need not be in memory. Keys whose value is null are left out. A
    /// file that cannot be written does not stay.
    pub fn write(self, sessions: impl Iterator<Item = InputSession>) -> Result<(), ReportError> {
        let Self { path, part, file } = self;
        let mut out = BufWriter::new(file);
        let document = Document { sessions: RefCell::new(sessions) };
        let written = serde_json::to_writer_pretty(&mut out, &document)
            .map_err(io::Error::from)
            .and_then(|()| out.flush())
            .and_then(|()| fs::rename(&part, &path));
        written.map_err(|source| {
            let _ = fs::remove_file(&part);
            ReportError::write(&path, source)
        })
    }
}

struct Document<I> {
    sessions: RefCell<I>,
}

impl<I: Iterator<Item = InputSession>> Serialize for Document<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("data", &Sessions(&self.sessions))?;
        map.end()
    }
}

struct Sessions<'a, I>(&'a RefCell<I>);

impl<I: Iterator<Item = InputSession>> Serialize for Sessions<'_, I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for mut session in self.0.borrow_mut().by_ref() {
            session.payloads.iter_mut().for_each(drop_nulls);
            seq.serialize_element(&session)?;
        }
        seq.end()
    }
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs_are_pretty_in_key_order_and_without_nulls() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/inputs.json");
        let payload = json!({"messages": [{"role": "user", "content": "hi"}], "model": "m", "stop": null});
        let session =
            |id: u32| InputSession { session_id: format!("session_{id:06}"), payloads: vec![payload.clone()] };
        InputsFile::create(&path).unwrap().write((0..2).map(session)).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing but the file");
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with(
                "{\n  \"data\": [\n    {\n      \"session_id\": \"session_000000\",\n      \"payloads\": ["
            )
        );
        assert!(!text.contains("null"));
        assert!(!text.ends_with('\n'));
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["data"][1]["payloads"][0]["messages"][0]["content"], "hi");
    }

    #[test]
    fn an_unwritable_path_is_named() {
        let error = InputsFile::create(Path::new("/dev/null/inputs.json")).unwrap_err();
        assert!(error.to_string().contains("/dev/null"));
    }
}
