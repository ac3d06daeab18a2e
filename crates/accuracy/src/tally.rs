//! How many answers of each task were right, and the file `accuracy_results.csv`.

use std::collections::BTreeMap;

/// Counts of graded answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    pub right: u64,
    pub total: u64,
    pub unparsed: u64,
}

impl AnswerCounts {
    fn add(&mut self, right: bool, unparsed: bool) {
        self.right += u64::from(right);
        self.unparsed += u64::from(unparsed);
        self.total += 1;
    }

    /// The share of right answers; `None` without answers.
    pub fn accuracy(&self) -> Option<f64> {
        (self.total > 0).then(|| self.right as f64 / self.total as f64)
    }
}

/// The counts of a run, as a whole and by task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccuracyTally {
    overall: AnswerCounts,
    by_task: BTreeMap<String, AnswerCounts>,
}

impl AccuracyTally {
    /// Counts one graded answer. A request that failed is a wrong and unparsed answer.
    pub fn add(&mut self, task: &str, right: bool, unparsed: bool) {
        self.overall.add(right, unparsed);
        self.by_task.entry(task.to_owned()).or_default().add(right, unparsed);
    }

    pub fn overall(&self) -> AnswerCounts {
        self.overall
    }

    /// The tasks in the order of their names.
    pub fn tasks(&self) -> impl Iterator<Item = (&str, AnswerCounts)> {
        self.by_task.iter().map(|(task, counts)| (task.as_str(), *counts))
    }

    /// `accuracy_results.csv`: the whole run first, then its tasks.
    pub fn csv(&self) -> String {
        let mut csv = "task,correct,total,unparsed,accuracy\n".to_owned();
        for (task, counts) in std::iter::once(("OVERALL", self.overall)).chain(self.tasks()) {
            let accuracy = counts.accuracy().unwrap_or_default();
            csv += &format!("{},{},{},{},{accuracy:.4}\n", field(task), counts.right, counts.total, counts.unparsed);
        }
        csv
    }
}

/// A field with a separator in it stands in quotation marks.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_whole_run_first_and_then_the_tasks_by_name() {
        let mut tally = AccuracyTally::default();
        for (task, right, unparsed) in [
            ("virology", true, false),
            ("anatomy", true, true),
            ("virology", false, true),
            ("Mix, shake", false, false),
        ] {
            tally.add(task, right, unparsed);
        }
        assert_eq!(
            tally.csv(),
            "task,correct,total,unparsed,accuracy\nOVERALL,2,4,2,0.5000\n\"Mix, shake\",0,1,0,0.0000\n\
             anatomy,1,1,1,1.0000\nvirology,1,2,1,0.5000\n"
        );
        assert_eq!(tally.overall().accuracy(), Some(0.5));
    }

    #[test]
    fn a_run_without_answers_has_no_accuracy() {
        let tally = AccuracyTally::default();
        assert_eq!(tally.overall().accuracy(), None);
        assert_eq!(tally.csv(), "task,correct,total,unparsed,accuracy\nOVERALL,0,0,0,0.0000\n");
    }
}
