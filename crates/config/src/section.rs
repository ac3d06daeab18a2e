//! JSON objects that leave out what is not set.

use serde_json::{Map, Value};

/// A JSON object that leaves out what is not set.
#[derive(Default)]
pub(crate) struct Section(Map<String, Value>);

impl Section {
    pub(crate) fn named(name: &str) -> Self {
        let mut section = Section::default();
        section.put("name", name);
        section
    }

    pub(crate) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    pub(crate) fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    pub(crate) fn put_if(&mut self, key: &str, value: bool) {
        if value {
            self.put(key, true);
        }
    }

    pub(crate) fn finish(self) -> Value {
        Value::Object(self.0)
    }

    pub(crate) fn finish_unless_empty(self) -> Option<Value> {
        (!self.0.is_empty()).then(|| self.finish())
    }
}
