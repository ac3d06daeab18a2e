//! Fetches pages over HTTP on one thread of its own: each page has a deadline and a largest size, and one slow server does not delay
//! the pages of the others.

mod cadence;
mod fetch;
mod sink;
mod thread;

pub use cadence::Cadence;
pub use fetch::{FetchedPage, PageFetcher, PageSource, ScrapeError};
pub use sink::{AfterPage, PageSink};
pub use thread::{FirstPage, PhaseSignal, ScrapeSettings, ScrapeThread};
