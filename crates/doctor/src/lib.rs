//! Checks a machine before a benchmark. Each check reads one thing, and says what it means for the numbers of a run.

mod check;
mod examination;
mod finding;
mod machine_files;
mod text;

pub use examination::{Examination, examine};
pub use finding::{Check, Finding, Rank};
pub use machine_files::MachineFiles;
