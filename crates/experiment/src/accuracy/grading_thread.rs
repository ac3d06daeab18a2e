//! The thread `grading`: takes answers from the queue, grades them, writes their lines and counts them.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_accuracy::{AccuracyTally, AnswerResult};
use aiperf_clock::{EpochNanos, Mono};
use aiperf_config::AccuracyConfig;
use aiperf_dataset::{AnswerKeys, Dataset, QuestionOrigin};
use aiperf_engine::ControlSource;
use aiperf_grading::{AnswerGrader, Grade};
use aiperf_metrics::Level;
use aiperf_protocol::PhaseKind;
use aiperf_report::{AccuracyLine, AccuracyReport, AccuracyWriter, ArtifactPaths, LineTotals};
use serde_json::{Value, json};

use super::answer_queue::{AnswerQueue, WaitingAnswer};
use crate::RunError;
use crate::watch::priority;

/// Grades the answers of a run while it goes on, or after it.
pub(crate) struct GradingThread {
    pub(crate) queue: Arc<AnswerQueue>,
    thread: JoinHandle<(AccuracyTally, LineTotals)>,
    config: AccuracyConfig,
    keys: Arc<AnswerKeys>,
}

/// What the thread works with.
struct Grading {
    queue: Arc<AnswerQueue>,
    grader: Box<dyn AnswerGrader>,
    keys: Arc<AnswerKeys>,
    dataset: Arc<Dataset>,
    writer: AccuracyWriter,
    verbose: bool,
}

impl GradingThread {
    pub(crate) fn start(
        config: &AccuracyConfig,
        keys: &Arc<AnswerKeys>,
        dataset: &Arc<Dataset>,
        grader: Box<dyn AnswerGrader>,
        paths: &ArtifactPaths,
    ) -> Result<Self, RunError> {
        let failed = |cause| RunError::Thread { name: "grading", cause };
        let writer = AccuracyWriter::create(&paths.accuracy())?;
        let queue = Arc::new(AnswerQueue::create(paths.dir()).map_err(failed)?);
        let grading = Grading {
            queue: Arc::clone(&queue),
            grader,
            keys: Arc::clone(keys),
            dataset: Arc::clone(dataset),
            writer,
            verbose: config.verbose,
        };
        let thread = thread::Builder::new().name("grading".to_owned()).spawn(move || grading.work()).map_err(failed)?;
        Ok(Self { queue, thread, config: config.clone(), keys: Arc::clone(keys) })
    }

    /// Waits until all answers are graded. After a cancelled run, or if it is cancelled here, only for the time that is set for that.
    pub(crate) fn finish(
        self,
        control: &ControlSource,
        was_cancelled: bool,
        level: Option<Level>,
    ) -> (AccuracyReport, LineTotals) {
        let Self { queue, thread, config, keys } = self;
        let left = queue.left();
        if left > 0 {
            log::info!("Grading {left} more answers with {}", config.grader.name());
        }
        queue.close();
        let mut deadline = was_cancelled.then(|| Mono::now() + config.cancel_wait.into());
        while !thread.is_finished() {
            if deadline.is_none() && control.take_stop() {
                deadline = Some(Mono::now() + config.cancel_wait.into());
                log::warn!(
                    "Grading ends in {} s (AIPERF_ACCURACY_CANCEL_RESULT_WAIT_SEC)",
                    seconds(config.cancel_wait)
                );
            }
            if deadline.is_some_and(|deadline| Mono::now() >= deadline) {
                queue.give_up();
            }
            thread::sleep(AnswerQueue::LOOK);
        }
        let (tally, totals) = thread.join().unwrap_or_else(|_| {
            log::error!("the grading thread panicked; answers are missing from the accuracy");
            Default::default()
        });
        let report = AccuracyReport {
            benchmark: config.benchmark.facts().name.to_owned(),
            grader: config.grader.name().to_owned(),
            data: origin(&keys.origin),
            questions: keys.keys.len() as u64,
            not_graded: queue.left(),
            tally,
            level: level.unwrap_or_default(),
        };
        (report, totals)
    }
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn origin(origin: &QuestionOrigin) -> Value {
    match origin {
        QuestionOrigin::Hub { repository, commits } => match &commits[..] {
            [commit] => json!({"repository": repository, "revision": commit}),
            commits => json!({"repository": repository, "revision": commits}),
        },
        QuestionOrigin::Folder { path, sha256 } => json!({"folder": path, "sha256": sha256}),
    }
}

impl Grading {
    fn work(mut self) -> (AccuracyTally, LineTotals) {
        priority::lower_priority();
        let mut tally = AccuracyTally::default();
        while let Some(answer) = self.queue.next(self.grader.waits_for_the_end()) {
            let keys = Arc::clone(&self.keys);
            // A conversation has one turn, which is the question of the same place.
            let Some(key) = keys.keys.get(answer.conversation) else { continue };
            let (grade, result) = self.grade(&answer, &key.gold);
            tally.add(&key.task, result);
            self.write(&answer, &key.task, &grade);
        }
        (tally, self.writer.finish())
    }

    fn grade(&mut self, answer: &WaitingAnswer, gold: &str) -> (Grade, AnswerResult) {
        if let Some(error) = &answer.error {
            let grade = Grade::undecided("", "", format!("the request failed: {error}"));
            return (grade, AnswerResult::FAILED);
        }
        let grade = self.grader.grade(answer.graded_text(), gold).unwrap_or_else(|error| {
            log::error!("An answer could not be graded by {}: {error}", self.grader.name());
            Grade::undecided("", "", format!("not graded: {error}"))
        });
        let result = AnswerResult::graded(grade.verdict.is_right(), grade.unparsed);
        (grade, result)
    }

    fn write(&self, answer: &WaitingAnswer, task: &str, grade: &Grade) {
        let id = &self.dataset.outlines()[answer.conversation].session_id.0;
        let passed = grade.verdict.is_right();
        if self.verbose {
            let verdict = if passed { "right" } else { "wrong" };
            let unparsed = if grade.unparsed { ", unparsed" } else { "" };
            let Grade { expected, actual, explanation, .. } = grade;
            log::info!("{id}: {verdict}{unparsed}; expected {expected:?}, found {actual:?} ({explanation})");
        }
        let line = AccuracyLine {
            session_num: answer.session_num,
            conversation_id: id,
            x_request_id: &answer.x_request_id,
            worker_id: &format!("worker_{}", answer.worker),
            benchmark_phase: PhaseKind::Profiling.name(),
            timestamp_ns: EpochNanos(answer.ended_ns),
            task,
            grader_name: self.grader.name(),
            passed,
            unparsed: grade.unparsed,
            confidence: grade.confidence,
            expected: &grade.expected,
            actual: &grade.actual,
            explanation: &grade.explanation,
            model_output: answer.graded_text(),
            model_thinking: answer.thinking.as_deref(),
            error: answer.error.as_deref(),
        };
        if let Err(error) = self.writer.write(&line) {
            log::error!("{error}; the run continues, and the summary will be written");
        }
    }
}

impl WaitingAnswer {
    /// The content; the reasoning only if there is no content.
    fn graded_text(&self) -> &str {
        match &self.thinking {
            Some(thinking) if self.output.is_empty() => thinking,
            _ => &self.output,
        }
    }
}
