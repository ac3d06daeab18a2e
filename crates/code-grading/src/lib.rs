//! The grader `code_execution`: runs the program of an answer in a sandbox, with the public and private tests of its task. All of them
//! must pass. A process that uses it calls [`aiperf_sandbox::enter_if_asked`] first in its `main`.

#![forbid(unsafe_code)]

mod code_block;
mod grade;
mod output_lines;
mod pickled_text;
mod task;

pub use code_block::last_code_block;
pub use grade::{CodeGrader, time_limit};
pub use task::{CodeTask, CodeTaskError, CodeTest};
