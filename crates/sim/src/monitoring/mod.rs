//! What a monitoring system sees of the simulator: a page with vLLM's metrics and a page like that of a DCGM exporter, both
//! made from the true state of the server; and the truth over any window of time, to compare a client's figures with.

pub(crate) mod buckets;
pub(crate) mod counters;
pub(crate) mod dcgm_page;
pub(crate) mod exposition;
pub(crate) mod gpu;
pub(crate) mod load;
pub(crate) mod request_timing;
pub(crate) mod vllm_page;
pub(crate) mod window;
