//! A grader of accuracy benchmarks: a regular expression that finds the answer, or a process.

use std::path::Path;

use aiperf_config_file::FileError;
use regex::{Regex, RegexBuilder};

use super::field::{Checked, Field, Form, field};
use super::{EntryContent, process};

pub(super) const FIELDS: &[Field] = &[
    field("description", Form::Text, "What the entry is for, in one line."),
    field(
        "pattern",
        Form::Text,
        "Regular expression for the answer. The last match counts; its first group is the answer.",
    ),
    field(
        "ignore_case",
        Form::Flag,
        "Do not distinguish upper and lower case, in the pattern and in the comparison. Default: false.",
    ),
    field("process", Form::Map(process::PROCESS), "Program that grades, instead of a pattern."),
];

/// Finds an answer by a pattern and compares it with the gold answer.
#[derive(Debug, Clone)]
pub struct RegexGrader {
    pattern: Regex,
    ignores_case: bool,
}

pub(super) fn read(entry: &Checked<'_>, folder: &Path) -> Result<EntryContent, FileError> {
    match (entry.text("pattern"), entry.node("process")) {
        (Some(_), Some(_)) => Err(entry.problem("process", "give either `pattern` or `process`")),
        (None, None) => Err(entry.problem("", "needs `pattern` or `process`")),
        (None, Some(_)) => process::read(entry, folder).map(EntryContent::Process),
        (Some(pattern), None) => {
            let ignores_case = entry.flag("ignore_case").unwrap_or(false);
            let pattern = RegexBuilder::new(&pattern).case_insensitive(ignores_case).build();
            let pattern = pattern.map_err(|error| entry.problem("pattern", error.to_string().replace('\n', " ")))?;
            Ok(EntryContent::Grader(RegexGrader { pattern, ignores_case }))
        }
    }
}

impl RegexGrader {
    /// The answer in a text; `None` if the pattern does not match.
    pub fn extract<'t>(&self, text: &'t str) -> Option<&'t str> {
        let last = self.pattern.captures_iter(text).last()?;
        last.get(1).or_else(|| last.get(0)).map(|found| found.as_str().trim())
    }

    /// Whether an answer that was found equals the gold answer.
    pub fn equals(&self, answer: &str, gold: &str) -> bool {
        let gold = gold.trim();
        if self.ignores_case { answer.to_lowercase() == gold.to_lowercase() } else { answer == gold }
    }
}
