//! Accuracy benchmarks: from the rows of a published data set to prompts, gold answers and limits. Pure: the rows are given, and the
//! prompts have exactly the text that the benchmark's own tools send.

#![forbid(unsafe_code)]

mod benchmark;
mod question;
mod random;
mod release;
mod row;
mod tally;
mod tasks;

pub use benchmark::{AccuracyBenchmark, BenchmarkFacts, UnknownBenchmark, questions};
pub use question::{BenchmarkSettings, Question, QuestionMessage, QuestionRole};
pub use release::release_files;
pub use row::{BenchmarkRow, DataSetPart, RowError};
pub use tally::{AccuracyTally, AnswerCounts, AnswerResult};
