//! One benchmark from configuration to artifacts: opens the targets, makes the data, runs the phases, keeps the
//! records, writes the files. And a talk with a server, for a first look.
#![forbid(unsafe_code)]

mod advice;
mod capacity;
mod conclusion;
mod data_warnings;
mod discovery;
mod error;
mod failure;
mod health;
mod http_timing;
mod judge;
mod live;
mod maker;
mod monitor;
mod observe;
mod priority;
mod process;
mod raw;
mod readiness;
mod records;
mod replay_plan;
mod request_log;
mod round_trip;
mod run;
mod scenario;
mod secrets;
mod selftest;
mod server_hook;
mod sessions;
mod settings;
mod stamps;
mod steadiness;
mod strictness;
mod talk;
mod target;
mod threshold;
mod trace_data;
mod trials;
mod until_ci;
mod verdict;

pub use error::RunError;
pub use monitor::{LiveTime, Monitor, Saved};
pub use run::{Run, RunResult};
pub use selftest::{
    Format, SELFTEST_OPTIONS, SelfTest, SelfTestError, SelfTestOption, SelfTestOptionError, SelfTestOptions, StateFile,
};
pub use talk::{Answer, Counted, Interrupt, Memory, Talk, TalkError, TurnFigures, WhoCounts};
pub use trials::{Assignment, CellResult, ExperimentResult, Figures, Finished, Pause, Runner, Trouble, conduct};
pub use verdict::Verdict;
