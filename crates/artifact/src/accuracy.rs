//! Graded answers, read back from `accuracy_export.jsonl` of this program and of the reference.

use aiperf_accuracy::{AccuracyTally, AnswerResult};
use aiperf_metrics::Level;
use aiperf_report::AccuracyReport;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::lines::each_line;
use crate::origin::RunOrigin;
use crate::{ArtifactError, Folder};

/// One question and how it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradedAnswer {
    /// The name of the question, which is the same in every run with the same data.
    pub question: String,
    pub task: String,
    pub result: AnswerResult,
}

#[derive(Deserialize)]
struct Line {
    conversation_id: String,
    task: String,
    passed: bool,
    unparsed: bool,
    error: Option<String>,
}

/// The graded answers of a run; `None` if it is not an accuracy benchmark. Lines that cannot be read are left out.
pub fn read_graded_answers(folder: &Folder) -> Result<Option<Vec<GradedAnswer>>, ArtifactError> {
    let path = folder.paths().accuracy();
    if !path.exists() {
        return Ok(None);
    }
    let mut answers = Vec::new();
    each_line(&path, |_, line, _| {
        if let Ok(line) = serde_json::from_slice::<Line>(line) {
            let Line { conversation_id: question, task, passed: right, unparsed, error } = line;
            let failed = error.is_some();
            answers.push(GradedAnswer { question, task, result: AnswerResult { right, unparsed, failed } });
        }
        true
    })?;
    Ok(Some(answers))
}

/// Counts of answers.
pub(crate) fn tally(answers: &[GradedAnswer]) -> AccuracyTally {
    let mut tally = AccuracyTally::default();
    for answer in answers {
        tally.add(&answer.task, answer.result);
    }
    tally
}

/// The accuracy of a run, counted again from its lines.
pub(crate) fn recounted(
    folder: &Folder,
    origin: &RunOrigin,
    level: Option<Level>,
) -> Result<Option<AccuracyReport>, ArtifactError> {
    let Some(answers) = read_graded_answers(folder)? else { return Ok(None) };
    let summary = origin.summary.clone().filter(|summary| summary["accuracy"].is_object());
    // A run that was killed says in its note what it was to be.
    let summary = summary.unwrap_or_else(|| {
        let config = &origin.input_config()["accuracy"];
        let text = |key: &str| config[key].as_str().unwrap_or("unknown").to_owned();
        let questions = answers.len();
        json!({"accuracy": {"benchmark": text("benchmark"), "grader": text("grader"), "data": Value::Null, "questions": questions}})
    });
    Ok(AccuracyReport::of_summary(&summary, tally(&answers), level.unwrap_or_default()))
}
