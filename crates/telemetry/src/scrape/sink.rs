//! What takes in the pages of one source.

use aiperf_address::RequestTarget;
use aiperf_clock::{Mono, Nanos};

use super::{FetchedPage, ScrapeError};

/// What to do after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterPage {
    Continue,
    /// The page was of no use: fetch the next one later, and later still if that is of no use either.
    BackOff,
    /// Fetch this page instead from now on.
    Instead(RequestTarget),
    /// Fetch no more pages of this source.
    Stop,
}

/// Takes in the pages of one source, on the thread that fetches them.
pub trait PageSink: Send + 'static {
    /// A page came. It is only known to be an answer to the request, not to be metrics.
    fn page(&mut self, page: &FetchedPage) -> AfterPage;

    /// No page came.
    fn failed(&mut self, at: Mono, error: ScrapeError) -> AfterPage;

    /// Why nothing of use has come, if nothing has.
    fn failure(&self) -> Option<&str>;

    /// After the run: whether another page would show more, given that the run ended so long ago. Counters may lag behind the last
    /// response.
    fn wants_more(&self, since_end: Nanos) -> bool;
}
