//! How many answers of each task were right.

use std::collections::BTreeMap;

/// Counts of graded answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    pub right: u64,
    pub total: u64,
    pub unparsed: u64,
    /// Requests without an answer. They are part of the total, wrong and unparsed.
    pub failed: u64,
}

impl AnswerCounts {
    fn add(&mut self, result: AnswerResult) {
        let AnswerResult { right, unparsed, failed } = result;
        self.right += u64::from(right);
        self.unparsed += u64::from(unparsed);
        self.failed += u64::from(failed);
        self.total += 1;
    }

    /// The share of right answers; `None` without answers.
    pub fn accuracy(&self) -> Option<f64> {
        (self.total > 0).then(|| self.right as f64 / self.total as f64)
    }
}

/// The result of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerResult {
    pub right: bool,
    pub unparsed: bool,
    /// The request failed, so that there is no answer.
    pub failed: bool,
}

impl AnswerResult {
    /// A request that failed counts as a wrong and unparsed answer.
    pub const FAILED: Self = Self { right: false, unparsed: true, failed: true };

    pub fn graded(right: bool, unparsed: bool) -> Self {
        Self { right, unparsed, failed: false }
    }
}

/// The counts of a run, as a whole and by task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccuracyTally {
    overall: AnswerCounts,
    by_task: BTreeMap<String, AnswerCounts>,
}

impl AccuracyTally {
    /// Counts the result of one question.
    pub fn add(&mut self, task: &str, result: AnswerResult) {
        self.overall.add(result);
        self.by_task.entry(task.to_owned()).or_default().add(result);
    }

    pub fn overall(&self) -> AnswerCounts {
        self.overall
    }

    /// The tasks in the order of their names.
    pub fn tasks(&self) -> impl Iterator<Item = (&str, AnswerCounts)> {
        self.by_task.iter().map(|(task, counts)| (task.as_str(), *counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_request_counts_as_wrong_unparsed_and_failed() {
        let mut tally = AccuracyTally::default();
        tally.add("b", AnswerResult::graded(true, false));
        tally.add("a", AnswerResult::graded(true, true));
        tally.add("b", AnswerResult::FAILED);
        assert_eq!(tally.overall(), AnswerCounts { right: 2, total: 3, unparsed: 2, failed: 1 });
        let tasks: Vec<_> = tally.tasks().map(|(task, counts)| (task, counts.right, counts.total)).collect();
        assert_eq!(tasks, [("a", 1, 1), ("b", 1, 2)]);
        assert_eq!((tally.overall().accuracy(), AnswerCounts::default().accuracy()), (Some(2.0 / 3.0), None));
    }
}
