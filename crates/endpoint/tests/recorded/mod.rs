//! The recorded response bodies, with how they were cut into writes and what the reference made of them.

use std::path::Path;

use aiperf_clock::Mono;
use aiperf_endpoint::ReadMark;
use serde_json::{Value, json};

pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) endpoint: String,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
    /// Bytes of the body, according to the manifest.
    pub(crate) length: u64,
    row: Value,
}

/// All of the manifest.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/responses");
    let manifest: Value = serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let rows = manifest["fixtures"].as_object().unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter()
        .map(|(name, row)| {
            let body = std::fs::read(folder.join(text(row, "file"))).unwrap();
            let (endpoint, content_type) = (text(row, "endpoint"), text(row, "content_type"));
            let length = row["bytes"].as_u64().unwrap();
            Fixture { name: name.clone(), endpoint, content_type, body, length, row: row.clone() }
        })
        .collect()
}

impl Fixture {
    /// One mark per write; the nth write arrives at n nanoseconds.
    pub(crate) fn marks(&self) -> Vec<ReadMark> {
        let splits = self.row["splits"].as_array().into_iter().flatten().map(|at| at.as_u64().unwrap() as usize);
        let ends = splits.chain((!self.body.is_empty()).then_some(self.body.len()));
        ends.enumerate().map(|(n, end)| ReadMark::user(end, Mono::from_nanos(n as u64))).collect()
    }

    /// The reference does not know every API.
    pub(crate) fn was_put_to_the_reference(&self) -> bool {
        self.row["reference"].is_object()
    }

    /// What the reference made of it, as the tests sum it up; `null` for a failed request.
    pub(crate) fn reference_gist(&self) -> Value {
        let reference = &self.row["reference"];
        if reference["outcome"] != "success" {
            return Value::Null;
        }
        let content = self.row["parsed"]["content"].as_array().unwrap();
        let joined = |keys: &[&str]| -> String {
            content.iter().flat_map(|piece| keys.iter().filter_map(|key| piece[*key].as_str())).collect()
        };
        let usage = reference.get("usage").cloned().unwrap_or_else(|| json!({}));
        json!([content.len(), [joined(&["text", "tool"]), joined(&["reasoning"])], usage])
    }
}
