//! Graders: a program decides whether an answer is right.

use aiperf_config::ProcessCommand;
use serde_json::{Value, json};

use super::client::{PluginClient, expect};
use super::error::PluginError;

/// What a program says about one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginGrade {
    pub is_correct: bool,
    /// Whether the answer had the expected form.
    pub is_parsed: bool,
    /// The answer that was found in the text.
    pub extracted: Option<String>,
}

/// A program that grades one answer after the other.
#[derive(Debug)]
pub struct ProcessGrader {
    client: PluginClient,
}

impl ProcessGrader {
    pub fn start(name: &str, command: &ProcessCommand) -> Result<Self, PluginError> {
        PluginClient::start("accuracy_grader", name, command).map(|client| Self { client })
    }

    pub fn grade(&mut self, answer: &str, gold: &str) -> Result<PluginGrade, PluginError> {
        let message = json!({"type": "grade", "answer": answer, "gold": gold});
        let grade = self.client.request(&message).and_then(|answer| expect(answer, "grade"))?;
        let Some(is_correct) = grade["correct"].as_bool() else {
            let got = grade.to_string().chars().take(120).collect();
            return Err(PluginError::Unexpected { got, wanted: "grade with correct: true or false" });
        };
        Ok(PluginGrade {
            is_correct,
            is_parsed: grade["parsed"].as_bool().unwrap_or(true),
            extracted: grade["extracted"].as_str().map(str::to_owned),
        })
    }

    /// The plugin in messages.
    pub fn label(&self) -> String {
        self.client.label()
    }
}

impl From<PluginGrade> for Value {
    fn from(grade: PluginGrade) -> Self {
        json!({"correct": grade.is_correct, "parsed": grade.is_parsed, "extracted": grade.extracted})
    }
}
