//! What servers and GPUs report about themselves while a run lasts: Prometheus pages are scraped on a thread of their own, kept as
//! time series on the clock of the requests, and reduced to the window of a phase. A source that fails or misbehaves never fails
//! the run and never waits on a worker thread.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "pages have whole numbers as floats"))]

pub mod energy;
pub mod gpu;
pub mod prometheus;
pub mod scrape;
pub mod series;
pub mod server;
