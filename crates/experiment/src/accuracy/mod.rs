//! Grades the answers of an accuracy benchmark, apart from the measurement: record threads store answers in a file, and one thread of
//! low priority grades them.

pub(crate) mod answer_queue;
pub(crate) mod grader;
pub(crate) mod grading_thread;
