//! One run, from its configuration to its files.

mod execute;
mod identity;
mod plan;
mod prepare;
mod record_pipeline;
#[cfg(test)]
mod tests;
mod thread_counts;
mod watches;

pub use prepare::phase_plans;

use std::sync::{Arc, Mutex, PoisonError};

use aiperf_config::{Config, PhaseConfig, SentShare};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{Endpoint, HeaderPlan};
use aiperf_engine::{FixedSchedule, PhaseOutcome};
use aiperf_grading::AnswerGrader;
use aiperf_live::LiveRun;
use aiperf_metrics::{Metric, MetricContext, PhaseWindow, ValidityNote};
use aiperf_report::{ArtifactPaths, Certificate, ProgramBuild, RunPlace, RunReport, SummaryFiles};
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;
use aiperf_transport::ClientSettings;

use crate::contents::sessions::Sessions;
use crate::prepare::start_time::StartBarrier;
use crate::prepare::strictness::Strictness;
use crate::prepare::target::Targets;
use crate::selftest::ClientTap;
use crate::watch::load_control::{self, LoadController};

/// A run that is ready to start: its input has been checked.
#[derive(Debug)]
pub struct Run {
    pub(crate) config: Config,
    pub(crate) phases: Vec<PhaseConfig>,
    /// The phases as they were asked for, where their load is raised while they run.
    asked_phases: Vec<PhaseConfig>,
    /// One per phase.
    pub(crate) contexts: Vec<MetricContext>,
    pub(crate) paths: ArtifactPaths,
    endpoint: Arc<dyn Endpoint>,
    pub(crate) seed: Seed,
    /// Of the data and the order in which it is drawn.
    data_seed: Seed,
    tokenizer: Arc<dyn Tokenizer>,
    pub(crate) dataset: Arc<Dataset>,
    fixed_schedule: FixedSchedule,
    sessions: Arc<Sessions>,
    headers: Arc<HeaderPlan>,
    pub(crate) targets: Targets,
    pub(crate) client: ClientSettings,
    pub(crate) strictness: Strictness,
    /// Self-tests of this machine, for the report to refer to.
    pub(crate) certificates: Vec<Certificate>,
    /// What the program was built from, if it has said so.
    pub(crate) build: Option<ProgramBuild>,
    pub(crate) tap: Option<Arc<ClientTap>>,
    /// Its place among several runs of one command, if there are several.
    pub(crate) place: Option<RunPlace>,
    /// Whether the values of single requests are kept for the caller.
    pub(crate) keeps_values: bool,
    /// Controllers of phases whose load is controlled, by index.
    load_controllers: Mutex<Vec<(usize, Box<dyn LoadController>)>>,
    /// What makes the run wait for others when it is ready.
    pub(crate) barrier: Mutex<Option<Box<dyn StartBarrier>>>,
    /// What another process has sent of the share of this one.
    done: Option<SentShare>,
    /// Who grades the answers of an accuracy benchmark.
    grader: Mutex<Option<Box<dyn AnswerGrader>>>,
    /// What views of the run know.
    live: Arc<LiveRun>,
}

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    pub report: RunReport,
    pub files: SummaryFiles,
    /// Values of all successful requests by metric; empty unless [`Run::take_place`] asked for them.
    pub values: Vec<(Metric, Vec<f64>)>,
    /// Validity notes that `--strict` turns into a failure.
    pub refused: Vec<ValidityNote>,
}

impl Run {
    /// Lets the report compare this run with self-tests of this machine.
    pub fn cite(&mut self, certificates: Vec<Certificate>) {
        self.certificates = certificates;
    }

    /// Lets the summary say what the program was built from.
    pub fn set_build(&mut self, build: ProgramBuild) {
        self.build = Some(build);
    }

    /// Marks it as one of several runs of the same command.
    pub fn take_place(&mut self, place: RunPlace, keeps_values: bool) {
        self.place = Some(place);
        self.keeps_values = keeps_values;
    }

    /// Lets the run wait for others when it is ready.
    pub fn start_with(&mut self, barrier: Box<dyn StartBarrier>) {
        self.barrier = Mutex::new(Some(barrier));
    }

    /// Leaves out what another process has sent of the share of this one.
    pub fn go_on_after(&mut self, done: SentShare) {
        done.take_from(&mut self.phases);
        self.done = Some(done);
    }

    /// The phases of the plan by name, and how many requests each will send, if that is known.
    pub fn phase_sizes(&self) -> Vec<(String, Option<u64>)> {
        let has_one_turn_each = self.has_one_turn_each();
        let size = |phase: &PhaseConfig| {
            let sessions = phase.stop.sessions.filter(|_| has_one_turn_each);
            phase.stop.requests.into_iter().chain(sessions).min()
        };
        self.phases.iter().map(|phase| (phase.name.to_string(), size(phase))).collect()
    }

    /// Whether each session of the data sends one request.
    pub fn has_one_turn_each(&self) -> bool {
        self.dataset.has_one_turn_each()
    }

    /// Sessions of this process that another one has sent.
    fn sessions_done(&self) -> u64 {
        self.done.as_ref().map_or(0, SentShare::total)
    }

    /// Lets `controller` change the load of a phase, by its index, while the phase runs. Without one a phase with
    /// [`aiperf_config::Pace::Controlled`] keeps the load that it begins with.
    pub fn control_load(&mut self, phase: usize, controller: Box<dyn LoadController>) {
        debug_assert!(
            self.phases.get(phase).is_some_and(load_control::is_controlled),
            "nobody sets the load of phase {phase}"
        );
        self.load_controllers.get_mut().unwrap_or_else(PoisonError::into_inner).push((phase, controller));
    }

    /// Indices of the phases that began and that the results are about.
    pub(crate) fn measured_phases(&self, outcomes: &[PhaseOutcome]) -> Vec<usize> {
        (0..outcomes.len()).filter(|index| self.phases[*index].is_measured()).collect()
    }

    /// Start and end of all measured phases together, and how much of that time belongs to them; `None` if none began.
    pub(crate) fn measured_window(&self, outcomes: &[PhaseOutcome]) -> Option<PhaseWindow> {
        let measured = self.measured_phases(outcomes);
        let window = |index: &usize| PhaseWindow::new(outcomes[*index].start, outcomes[*index].end);
        PhaseWindow::join(&measured.iter().map(window).collect::<Vec<_>>())
    }

    /// The context of the first profiling phase that counts.
    pub(crate) fn profiling_context(&self) -> &MetricContext {
        let profiling = self.phases.iter().position(PhaseConfig::is_measured);
        &self.contexts[profiling.unwrap_or_default()]
    }
}
