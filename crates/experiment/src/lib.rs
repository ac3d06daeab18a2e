//! One benchmark from configuration to artifacts: opens the targets, makes the data, runs the phases, keeps the
//! records, writes the files. And a talk with a server, for a first look.
#![forbid(unsafe_code)]

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

pub use chat::{Answer, Counted, Interrupt, Memory, Talk, TalkError, TurnFigures, WhoCounts};
pub use conclude::verdict::Verdict;
pub use error::RunError;
pub use run::{Run, RunResult};
pub use selftest::{
    Format, SELFTEST_OPTIONS, SelfTest, SelfTestError, SelfTestOption, SelfTestOptionError, SelfTestOptions, StateFile,
};
pub use trials::{Assignment, CellResult, ExperimentResult, Figures, Finished, Pause, Runner, Trouble, conduct};
pub use watch::monitor::{LiveTime, Monitor, Saved};
