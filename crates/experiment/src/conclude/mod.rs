//! What a run reports when it is over.

pub(crate) mod advice;
pub(crate) mod conclusion;
pub(crate) mod verdict;
