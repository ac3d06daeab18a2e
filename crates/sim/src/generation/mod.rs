//! The simulated model: what it reads and generates, how fast, and which faults occur.

pub(crate) mod admission;
pub(crate) mod distribution;
pub(crate) mod draws;
pub(crate) mod fault;
pub(crate) mod prefix_cache;
pub(crate) mod prompt;
pub(crate) mod reply;
pub(crate) mod speculation;
pub(crate) mod timeline;
pub(crate) mod vocabulary;
