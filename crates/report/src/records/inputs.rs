//! `inputs.json`: all requests of the dataset, written next to the records.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::ReportError;
use crate::folder::part_file::{PartFile, indented};

/// One conversation: a request body for each of its turns.
#[derive(Debug, Clone, Serialize)]
pub struct InputSession {
    pub session_id: String,
    pub payloads: Vec<Value>,
}

/// The file under way, session by session, so that the dataset need not be in memory. It has another name until it is
/// whole, so that whoever finds it finds all of it.
#[derive(Debug)]
pub struct InputsFile {
    file: PartFile,
    /// Sessions so far.
    written: usize,
}

impl InputsFile {
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Ok(Self { file: PartFile::create(path)?, written: 0 })
    }

    /// How many sessions it has.
    pub fn len(&self) -> usize {
        self.written
    }

    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Keys whose value is null are left out.
    pub fn push(&mut self, mut session: InputSession) -> Result<(), ReportError> {
        session.payloads.iter_mut().for_each(drop_nulls);
        let start = if self.written == 0 { "{\n  \"data\": [\n    " } else { ",\n    " };
        self.written += 1;
        self.file.put(format!("{start}{}", indented(&session, 4)).as_bytes())
    }

    pub fn finish(mut self) -> Result<(), ReportError> {
        let end = if self.written == 0 { "{\n  \"data\": []\n}" } else { "\n  ]\n}" };
        self.file.put(end.as_bytes())?;
        self.file.finish()
    }

    /// Leaves nothing behind.
    pub fn discard(self) {
        self.file.discard();
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
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn inputs_are_pretty_in_key_order_and_without_nulls() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/inputs.json");
        let payload = json!({"messages": [{"role": "user", "content": "hi\nthere"}], "model": "m", "stop": null});
        let session =
            |id: u32| InputSession { session_id: format!("session_{id:06}"), payloads: vec![payload.clone()] };
        let mut file = InputsFile::create(&path).unwrap();
        (0..2).for_each(|id| file.push(session(id)).unwrap());
        file.finish().unwrap();
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
        assert_eq!(back["data"][1]["payloads"][0]["messages"][0]["content"], "hi\nthere");
        assert_eq!(serde_json::to_string_pretty(&back).unwrap(), text, "laid out as a whole");
    }

    #[test]
    fn a_file_without_sessions_is_whole_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("inputs.json");
        InputsFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"data\": []\n}");
        InputsFile::create(&path).unwrap().discard();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unwritable_path_is_named() {
        let error = InputsFile::create(Path::new("/dev/null/inputs.json")).unwrap_err();
        assert!(error.to_string().contains("/dev/null"));
    }
}
