//! How the answers of a run are graded, if the run is an accuracy benchmark.

use std::time::Duration;

use aiperf_accuracy::AccuracyBenchmark;
use aiperf_grading::Grader;
use serde_json::Value;

use crate::section::Section;
use crate::{AccuracyData, AccuracySource, PluginGrader};

/// The grading of a run. Which questions it asks is in [`AccuracySource`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccuracyConfig {
    pub benchmark: AccuracyBenchmark,
    pub grader: GraderChoice,
    /// One line of the log for each graded answer.
    pub verbose: bool,
    /// How long a cancelled run goes on grading (`AIPERF_ACCURACY_CANCEL_RESULT_WAIT_SEC`).
    pub cancel_wait: Duration,
}

/// Who grades the answers. A new kind of grader is a variant here and an `AnswerGrader` in `aiperf-experiment`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraderChoice {
    /// A rule on the text of the answer.
    Text(Grader),
    /// The program in the answer is run in a sandbox, for at most this time (`AIPERF_ACCURACY_LCB_GRADE_TIMEOUT_MAX_S`).
    CodeExecution { longest: Duration },
    /// A grader of a plugin pack.
    Plugin(PluginGrader),
}

impl GraderChoice {
    /// The name of the grader that runs programs.
    pub const CODE_EXECUTION: &'static str = "code_execution";

    /// The name in files, with underscores.
    pub fn name(&self) -> &str {
        match self {
            Self::Text(grader) => grader.name(),
            Self::CodeExecution { .. } => Self::CODE_EXECUTION,
            Self::Plugin(grader) => grader.0.name(),
        }
    }
}

/// The section of the configuration that files show.
pub(crate) fn section(accuracy: &AccuracyConfig, source: &AccuracySource) -> Value {
    let mut section = Section::default();
    section.put("benchmark", accuracy.benchmark.facts().name);
    if !source.settings.tasks.is_empty() {
        section.put("tasks", source.settings.tasks.clone());
    }
    section.put("n_shots", source.settings.shots);
    section.put("enable_cot", source.settings.chain_of_thought);
    section.put("grader", accuracy.grader.name());
    section.put_some("system_prompt", source.system_prompt.as_deref());
    section.put_if("verbose", accuracy.verbose);
    match &source.data {
        AccuracyData::Hub { revision } => section.put("revision", revision.as_str()),
        AccuracyData::Folder(folder) => section.put("data_dir", folder.to_string_lossy()),
    }
    section.put_if("allow_code_execution", matches!(accuracy.grader, GraderChoice::CodeExecution { .. }));
    section.finish()
}
