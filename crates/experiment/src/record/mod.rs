//! From a finished exchange to its line in the records file and its numbers in the columns.

pub(crate) mod failure;
pub(crate) mod http_timing;
pub(crate) mod live_output;
pub(crate) mod observe;
pub(crate) mod raw;
pub(crate) mod request_log;
pub(crate) mod stamps;
pub(crate) mod threads;
pub(crate) mod trace_data;
pub(crate) mod warnings;
