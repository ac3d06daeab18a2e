//! Graded answers: their lines, each question once, and the same counts in the summary and in `accuracy_results.csv`.

use std::collections::BTreeSet;
use std::fs;

use aiperf_metrics::Level;
use aiperf_report::{AccuracyReport, ArtifactPaths};
use serde_json::Value;

use super::FolderCheck;
use crate::accuracy::{read_graded_answers, tally};
use crate::schema::Shape;
use crate::{ArtifactError, Finding};

impl FolderCheck<'_> {
    pub(super) fn accuracy(&mut self) -> Result<(), ArtifactError> {
        let paths: &ArtifactPaths = self.folder.paths();
        let (path, csv) = (paths.accuracy(), paths.accuracy_csv());
        let name = self.folder.name(&path);
        let Some(answers) = read_graded_answers(self.folder)? else {
            if self.summary.as_ref().is_some_and(|summary| summary["accuracy"].is_object()) {
                self.find(&name, "missing");
            }
            return Ok(());
        };
        self.shaped_lines(&path, Shape::Accuracy)?;
        let mut seen = BTreeSet::new();
        let twice = answers.iter().filter(|answer| !seen.insert(&answer.question));
        let found =
            twice.map(|answer| Finding::of(&name, format!("the question {:?} is graded twice", answer.question)));
        let found = found.collect();
        self.find_some(&name, found);
        let Some(summary) = &self.summary else { return Ok(()) };
        let level = summary["accuracy.overall"]["ci"]["level"].as_f64().and_then(|level| Level::new(level).ok());
        let Some(report) = AccuracyReport::of_summary(summary, tally(&answers), level.unwrap_or_default()) else {
            self.find(&name, "has graded answers, and the summary has no accuracy");
            return Ok(());
        };
        let differing = differing_keys(&report, summary);
        let summary_name = self.folder.name(&self.folder.paths().summary_json());
        if !differing.is_empty() {
            let text = format!("{} do not have the counts of {name}", differing.join(", "));
            self.find(&summary_name, text);
        }
        let csv_name = self.folder.name(&csv);
        match fs::read_to_string(&csv) {
            Ok(text) if text == report.csv() => self.files += 1,
            Ok(_) => self.find(&csv_name, format!("does not have the counts of {name}")),
            Err(_) => self.find(&csv_name, "missing; `aiperf report` writes it again"),
        }
        Ok(())
    }
}

/// Keys of the summary with other counts than the report, or that one of them lacks.
fn differing_keys(report: &AccuracyReport, summary: &Value) -> Vec<String> {
    let counted = report.summary_keys();
    let stated = summary.as_object().into_iter().flatten();
    let is_extra = |key: &&String| key.starts_with("accuracy.") && !counted.contains_key(*key);
    let extra = stated.map(|(key, _)| key).filter(is_extra).cloned();
    let differs = |(key, value): &(&String, &Value)| {
        ["count", "sum"].iter().any(|field| summary[key.as_str()][*field] != value[*field])
    };
    let differing = counted.iter().filter(differs).map(|(key, _)| key.clone());
    differing.chain(extra).collect()
}
