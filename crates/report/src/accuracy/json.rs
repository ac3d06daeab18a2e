//! Accuracies in the summary: keys with the names of the reference, with the ratio that it leaves out, and a section about the benchmark.

use aiperf_accuracy::{AccuracyTally, AnswerCounts};
use aiperf_metrics::Level;
use aiperf_stats::wilson;
use serde_json::{Map, Value, json};

use super::AccuracyReport;

/// The section of the summary about the benchmark.
pub(crate) const SECTION: &str = "accuracy";

impl AccuracyReport {
    /// Everything that the summary has of the benchmark.
    pub(crate) fn put(&self, object: &mut Map<String, Value>) {
        object.insert(
            SECTION.to_owned(),
            json!({
                "benchmark": self.benchmark,
                "grader": self.grader,
                "data": self.data,
                "questions": self.questions,
                "graded": self.tally.overall().total,
                "not_graded": self.not_graded,
            }),
        );
        object.extend(self.summary_keys());
    }

    /// The ratios of the summary by their keys.
    pub fn summary_keys(&self) -> Map<String, Value> {
        self.ratios().map(|(key, count, of)| (key, ratio(count, of, self.level))).collect()
    }

    /// Key, count and total of each ratio.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = (String, u64, u64)> {
        type Count = fn(&AnswerCounts) -> u64;
        const KINDS: [(&str, Count); 3] = [
            ("accuracy", |counts| counts.right),
            ("accuracy.unparsed", |counts| counts.unparsed),
            ("accuracy.failed", |counts| counts.failed),
        ];
        let tally = &self.tally;
        KINDS.into_iter().flat_map(move |(name, count)| {
            let overall = if name == "accuracy" { "accuracy.overall".to_owned() } else { name.to_owned() };
            let counts = tally.overall();
            let tasks =
                tally.tasks().map(move |(task, counts)| (format!("{name}.task.{task}"), count(&counts), counts.total));
            std::iter::once((overall, count(&counts), counts.total)).chain(tasks)
        })
    }

    /// The results that an earlier summary states, with the counts of `tally`.
    pub fn of_summary(summary: &Value, tally: AccuracyTally, level: Level) -> Option<Self> {
        let section = summary[SECTION].as_object()?;
        let text = |key: &str| section.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |key: &str| section.get(key).and_then(Value::as_u64).unwrap_or_default();
        Some(Self {
            benchmark: text("benchmark"),
            grader: text("grader"),
            data: section.get("data").cloned().unwrap_or_default(),
            questions: number("questions"),
            not_graded: number("not_graded"),
            tally,
            level,
        })
    }
}

fn ratio(count: u64, of: u64, level: Level) -> Value {
    let mut object = Map::new();
    object.insert("unit".to_owned(), "ratio".into());
    if of > 0 {
        object.insert("avg".to_owned(), json!(count as f64 / of as f64));
    }
    object.insert("count".to_owned(), of.into());
    object.insert("sum".to_owned(), count.into());
    if let Some(interval) = wilson(count, of, level) {
        object.insert(
            "ci".to_owned(),
            json!({"level": level.get(), "effective_samples": of, "avg": [interval.low, interval.high]}),
        );
    }
    Value::Object(object)
}
