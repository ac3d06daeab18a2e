//! Who writes pages down as they come.

use aiperf_clock::Mono;

use crate::prometheus::{PageReader, SeriesId};

/// A page whose values differ from those of the page before.
#[derive(Debug)]
pub struct RecordedPage<'a> {
    pub url: &'a str,
    pub sent: Mono,
    pub first_byte: Mono,
    pub done: Mono,
    /// Knows the names of the series.
    pub reader: &'a PageReader,
    pub values: &'a [(SeriesId, f64)],
}

/// Writes pages down, on the thread that fetches them.
pub trait PageRecorder: Send {
    fn record(&mut self, page: &RecordedPage<'_>);
}
