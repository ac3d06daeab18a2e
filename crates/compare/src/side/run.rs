//! One run, as its folder tells it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aiperf_artifact::{Folder, GradedAnswer, RunSeries, read_graded_answers, read_series};
use aiperf_metrics::{Metric, RequestOutcome};
use serde_json::Value;

use crate::side::evidence::RunEvidence;
use crate::side::soundness::{NoVerdictReason, Warning};
use crate::side::stated::Stated;
use crate::{CompareError, Quantity};

#[derive(Debug)]
pub(crate) struct ComparedRun {
    series: Option<RunSeries>,
    summary: Option<Value>,
    graded: Option<Vec<GradedAnswer>>,
}

impl ComparedRun {
    /// `None` if the folder holds no run. `wanted`: metrics whose values are needed.
    pub(crate) fn open(dir: &Path, wanted: &BTreeSet<Metric>) -> Result<Option<Self>, CompareError> {
        let folder = Folder::open(dir)?;
        let (records, summary) = (folder.paths().records(), folder.paths().summary_json());
        let has_records = fs::metadata(&records).is_ok_and(|file| file.len() > 0);
        if !has_records && !summary.exists() {
            return Ok(None);
        }
        let series = if has_records { Some(read_series(&folder, wanted)?) } else { None };
        let summary = if summary.exists() { Some(read_summary(&summary)?) } else { None };
        // The note of a run that came later into the same folder and did not reach its end.
        let note = fs::read(folder.paths().run_note()).ok();
        let note = note.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let is_own = |summary: &Value| note.as_ref().is_none_or(|note| note["benchmark_id"] == summary["benchmark_id"]);
        let summary = summary.filter(|summary| !has_records || is_own(summary));
        let graded = read_graded_answers(&folder)?.filter(|answers| !answers.is_empty());
        Ok(Some(Self { series, summary, graded }))
    }

    pub(crate) fn evidence(&self, quantity: Quantity) -> Option<RunEvidence> {
        let of_requests = self.series.as_ref().and_then(|series| RunEvidence::of_requests(series, quantity));
        let stated = || Stated::find(self.summary.as_ref()?, quantity).map(RunEvidence::Stated);
        of_requests.or_else(stated)
    }

    pub(crate) const fn summary(&self) -> Option<&Value> {
        self.summary.as_ref()
    }

    pub(crate) fn graded(&self) -> Option<&[GradedAnswer]> {
        self.graded.as_deref()
    }

    pub(crate) const fn has_records(&self) -> bool {
        self.series.is_some()
    }

    pub(crate) fn requests(&self) -> Option<u64> {
        let stated = || self.summary.as_ref()?["request_count"]["avg"].as_f64().map(|count| count as u64);
        self.series.as_ref().map(|series| series.len() as u64).or_else(stated)
    }

    pub(crate) fn input_config(&self) -> Option<&Value> {
        let recorded = self.series.as_ref().map(|series| &series.input_config);
        recorded.or_else(|| Some(&self.summary.as_ref()?["input_config"])).filter(|config| config.is_object())
    }

    /// Why it gives no verdict, if it does not.
    pub(crate) fn no_verdict_reason(&self) -> Option<NoVerdictReason> {
        let finished =
            |series: &RunSeries| series.outcomes().filter(|outcome| *outcome != RequestOutcome::CutOff).count();
        let requests = self.series.as_ref().map(|series| finished(series) as u64);
        NoVerdictReason::find(self.summary.as_ref(), self.input_config(), requests)
    }

    pub(crate) fn warnings(&self) -> Vec<Warning> {
        self.summary.as_ref().map_or_else(Vec::new, Warning::all)
    }

    /// Lines that could not be read.
    pub(crate) fn skipped(&self) -> usize {
        self.series.as_ref().map_or(0, |series| series.skipped.len())
    }

    pub(crate) fn has(&self, metric: Metric) -> bool {
        let recorded = self.series.as_ref().is_some_and(|series| series.present.contains(&metric));
        recorded || self.summary.as_ref().is_some_and(|summary| summary.get(metric.tag()).is_some())
    }
}

fn read_summary(path: &Path) -> Result<Value, CompareError> {
    let refuse = |why: String| CompareError::Summary { path: path.to_owned(), why };
    let bytes = fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let summary: Value = serde_json::from_slice(&bytes).map_err(|error| refuse(error.to_string()))?;
    if summary.is_object() { Ok(summary) } else { Err(refuse("it is not a JSON object".to_owned())) }
}
