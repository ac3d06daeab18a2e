//! Graders of packs as graders of a run: patterns and programs. Answers are graded on a thread of their own.

use aiperf_config::{GraderSource, ProcessCommand};
use aiperf_grading::{AnswerGrader, Correctness, Grade, GradingError};

use crate::pack::{EntryContent, PackEntry, RegexGrader};
use crate::process::ProcessGrader;

/// A grader that a pack describes.
#[derive(Debug)]
pub(crate) struct PackGrader {
    name: String,
    kind: GraderKind,
}

#[derive(Debug)]
enum GraderKind {
    Pattern(RegexGrader),
    Process(ProcessCommand),
}

impl PackGrader {
    /// The grader of an entry, if it has one.
    pub(crate) fn of(entry: &PackEntry) -> Option<Self> {
        let kind = match &entry.content {
            EntryContent::Grader(pattern) => GraderKind::Pattern(pattern.clone()),
            EntryContent::Process(command) if entry.category.name == "accuracy_grader" => {
                GraderKind::Process(command.clone())
            }
            _ => return None,
        };
        Some(Self { name: entry.name.clone(), kind })
    }
}

impl GraderSource for PackGrader {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> Result<Box<dyn AnswerGrader>, String> {
        let name = self.name.clone();
        match &self.kind {
            GraderKind::Pattern(pattern) => Ok(Box::new(PatternGrader { name, pattern: pattern.clone() })),
            GraderKind::Process(command) => {
                let process = ProcessGrader::start(&name, command)
                    .map_err(|error| format!("plugin accuracy_grader:{name}: {error}"))?;
                Ok(Box::new(RunningGrader { name, process: Some(process) }))
            }
        }
    }
}

#[derive(Debug)]
struct PatternGrader {
    name: String,
    pattern: RegexGrader,
}

impl AnswerGrader for PatternGrader {
    fn name(&self) -> &str {
        &self.name
    }

    fn grade(&mut self, answer: &str, gold: &str) -> Result<Grade, GradingError> {
        Ok(match self.pattern.extract(answer) {
            Some(found) => grade(self.pattern.equals(found, gold), false, gold, found, "pattern"),
            None => grade(false, true, gold, "", "the pattern does not match"),
        })
    }
}

/// A program that grades. After its first failure no more answers are graded, and one warning says so.
#[derive(Debug)]
struct RunningGrader {
    name: String,
    process: Option<ProcessGrader>,
}

impl AnswerGrader for RunningGrader {
    fn name(&self) -> &str {
        &self.name
    }

    fn grade(&mut self, answer: &str, gold: &str) -> Result<Grade, GradingError> {
        let Some(process) = &mut self.process else {
            return Ok(undecided(gold));
        };
        match process.grade(answer, gold) {
            Ok(said) => {
                let found = said.extracted.unwrap_or_default();
                Ok(grade(said.is_correct, !said.is_parsed, gold, &found, "plugin"))
            }
            Err(error) => {
                let label = process.label();
                log::warn!("plugin {label}: {error}. Answers from here on are not graded and count as not parsed.");
                self.process = None;
                Ok(undecided(gold))
            }
        }
    }
}

fn grade(is_right: bool, unparsed: bool, expected: &str, actual: &str, explanation: &str) -> Grade {
    Grade {
        verdict: Correctness::from(is_right),
        unparsed,
        confidence: 1.0,
        expected: expected.to_owned(),
        actual: actual.to_owned(),
        explanation: explanation.to_owned(),
    }
}

fn undecided(gold: &str) -> Grade {
    Grade { confidence: 0.0, ..grade(false, true, gold, "", "the plugin failed") }
}
