//! `accuracy_results.csv`: the whole run first, then its tasks by name. The first five columns are those of the reference. Lines end in
//! CR LF.

use aiperf_table::csv::{LINE_END, cell};

use super::{AccuracyReport, OVERALL};

const HEADER: &str = "task,correct,total,unparsed,accuracy,failed,ci_low,ci_high";

impl AccuracyReport {
    pub fn csv(&self) -> String {
        let mut csv = format!("{HEADER}{LINE_END}");
        for (task, counts) in std::iter::once((OVERALL, self.tally.overall())).chain(self.tally.tasks()) {
            let accuracy = counts.accuracy().unwrap_or_default();
            let end = |end: Option<f64>| end.map(|end| format!("{end:.4}")).unwrap_or_default();
            let interval = self.interval(&counts);
            csv += &format!(
                "{},{},{},{},{accuracy:.4},{},{},{}{LINE_END}",
                cell(task),
                counts.right,
                counts.total,
                counts.unparsed,
                counts.failed,
                end(interval.map(|interval| interval.low)),
                end(interval.map(|interval| interval.high)),
            );
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use aiperf_accuracy::{AccuracyTally, AnswerResult};
    use aiperf_metrics::Level;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_file_has_the_whole_run_first_and_then_the_tasks_by_name() {
        let mut tally = AccuracyTally::default();
        for (task, result) in [
            ("virology", AnswerResult::graded(true, false)),
            ("Sales, marketing", AnswerResult::graded(false, true)),
            ("virology", AnswerResult::FAILED),
        ] {
            tally.add(task, result);
        }
        let report = AccuracyReport {
            benchmark: "mmlu".to_owned(),
            grader: "multiple_choice".to_owned(),
            data: Value::Null,
            questions: 3,
            not_graded: 0,
            tally,
            level: Level::P95,
        };
        let expected = "task,correct,total,unparsed,accuracy,failed,ci_low,ci_high\nOVERALL,1,3,2,0.3333,1,0.0615,0.7923\n\
                        \"Sales, marketing\",0,1,1,0.0000,0,0.0000,0.7935\nvirology,1,2,1,0.5000,1,0.0945,0.9055\n";
        assert_eq!(report.csv(), expected.replace('\n', "\r\n"));
    }
}
