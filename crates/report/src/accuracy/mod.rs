//! Graded answers: their lines, their counts in the summary files, and the table.

mod csv;
mod json;
mod line;
mod table;

use aiperf_accuracy::{AccuracyTally, AnswerCounts};
use aiperf_metrics::{Interval, Level};
use aiperf_stats::wilson;
use serde_json::Value;

pub use line::{AccuracyLine, AccuracyWriter};

/// The results of an accuracy benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyReport {
    /// The name of the benchmark, with underscores.
    pub benchmark: String,
    /// The name of the grader, with underscores.
    pub grader: String,
    /// Where the questions come from: a repository with commits, or a folder with a hash.
    pub data: Value,
    /// Questions that the run was to ask.
    pub questions: u64,
    /// Answers that were not graded because the run was cancelled.
    pub not_graded: u64,
    pub tally: AccuracyTally,
    /// Of all intervals.
    pub level: Level,
}

/// The row of the whole run.
const OVERALL: &str = "OVERALL";

impl AccuracyReport {
    fn interval(&self, counts: &AnswerCounts) -> Option<Interval> {
        wilson(counts.right, counts.total, self.level)
    }

    /// Sentences for the console about answers that were not graded as they should.
    pub fn remarks(&self) -> Vec<String> {
        let counts = self.tally.overall();
        let mut remarks = Vec::new();
        if counts.failed > 0 {
            remarks.push(format!(
                "{} of {} requests of the benchmark failed. They count as wrong and unparsed; without them {} of {} answers are right.",
                counts.failed,
                counts.total,
                counts.right,
                counts.total - counts.failed
            ));
        }
        if counts.total > counts.failed && counts.unparsed == counts.total {
            remarks.push(
                "No answer had the expected form (all are unparsed). Check the endpoint type, the chat template and the limit of tokens."
                    .to_owned(),
            );
        }
        if self.not_graded > 0 {
            remarks.push(format!("{} answers were not graded because the run was cancelled.", self.not_graded));
        }
        if counts.total + self.not_graded < self.questions {
            remarks.push(format!("The run asked {} of {} questions.", counts.total + self.not_graded, self.questions));
        }
        remarks
    }
}
