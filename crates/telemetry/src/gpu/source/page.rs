//! Fetches the page of one source, on the thread that reads the sources.

use std::time::Duration;

use aiperf_address::{Address, HttpVersion, RequestTarget};
use aiperf_transport::{BodyLimit, ClientSettings};
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::gpu::source::SourceError;
use crate::scrape::{FetchedPage, PageFetcher, PageSource};

/// The largest page that is read.
const PAGE_LIMIT: BodyLimit = BodyLimit(16 << 20);
/// Exporters speak it all.
const VERSION: HttpVersion = HttpVersion::Http1;
/// How long a page may take during the run, once it has answered.
const READ_LIMIT: Duration = Duration::from_secs(2);

/// A page that can be fetched again and again.
#[derive(Debug)]
pub(crate) struct SourcePage {
    source: PageSource,
    fetcher: PageFetcher,
    runtime: Runtime,
    tasks: LocalSet,
}

impl SourcePage {
    /// Fetches the page for the first time, within `limit`.
    pub(crate) fn open(
        address: &Address,
        settings: &ClientSettings,
        limit: Duration,
    ) -> Result<(Self, FetchedPage), SourceError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| SourceError::new(error.to_string()))?;
        let target: RequestTarget = address.request_target("");
        let first = PageFetcher::new(settings, VERSION, PAGE_LIMIT, limit);
        let mut page = Self {
            source: PageSource { target, headers: Vec::new(), http_version: VERSION },
            fetcher: first,
            runtime,
            tasks: LocalSet::new(),
        };
        let fetched = page.fetch()?;
        page.fetcher = PageFetcher::new(settings, VERSION, PAGE_LIMIT, READ_LIMIT);
        Ok((page, fetched))
    }

    pub(crate) fn fetch(&self) -> Result<FetchedPage, SourceError> {
        let fetched = self.tasks.block_on(&self.runtime, self.fetcher.fetch(&self.source, Vec::new()));
        fetched.map_err(|error| SourceError::new(error.to_string()))
    }
}
