//! One benchmark from configuration to artifact files: opens the targets, builds the data set, runs the phases, keeps the
//! records, writes the files. Also several runs of one command, the self-test and `aiperf chat`.
#![forbid(unsafe_code)]

mod accuracy;
mod adaptive_scale;
mod capacity_search;
mod chat;
mod conclude;
mod contents;
mod error;
mod prepare;
mod record;
mod run;
mod selftest;
mod trials;
mod watch;

pub use capacity_search::typical_requests;
pub use chat::{ChatAnswer, ChatError, ChatMemory, ChatSession, Counted, Interrupt, TurnFigures, WhoCounts};
pub use error::RunError;
pub use prepare::readiness::listed_models;
pub use prepare::start_time::StartBarrier;
pub use run::{Run, RunResult, phase_plans};
pub use selftest::{
    ResolveOptions, SELFTEST_OPTIONS, SelfTest, SelfTestError, SelfTestFormat, SelfTestOption, SelfTestOptionError,
    SelfTestOptions, StateFile,
};
pub use trials::{
    CellResult, CellSource, ExperimentPlan, ExperimentResult, Figures, MeasuredCell, MeasuredTrial, Pause,
    ProbeFigures, RunEstimate, Runner, SearchSource, TrialAssignment, TrialError, TrialMark, TrialResult, assignments,
    run_names, run_search, run_trials,
};
pub use watch::live::LiveSample;
pub use watch::load_control::{LoadController, LoadDecision, LoadReport, LoadView};
pub use watch::monitor::{LivePercentiles, Monitor, Saved};
