//! One GET of one page.

use std::time::Duration;

use aiperf_address::{ConnectionUse, HttpVersion, RequestTarget};
use aiperf_clock::{Mono, Nanos};
use aiperf_transport::{BodyLimit, Client, ClientSettings, Exchange, NoObserver, Request, TransportError};
use thiserror::Error;

use crate::prometheus::PageFormat;

/// Formats that are asked for. The parser reads OpenMetrics too, but Python's `prometheus_client` sends that to whoever names it, and
/// then writes `sglang_` for the `sglang:` of its samples and not for that of their types.
const ACCEPT: &str = "text/plain;version=0.0.4,*/*;q=0.1";

/// A page to fetch.
#[derive(Debug, Clone)]
pub struct PageSource {
    pub target: RequestTarget,
    /// Sent with each request, in addition to `Host`, `Accept` and `Accept-Encoding`.
    pub headers: Vec<(String, String)>,
    pub http_version: HttpVersion,
}

/// A page as it came.
#[derive(Debug)]
pub struct FetchedPage {
    pub body: Vec<u8>,
    pub format: PageFormat,
    /// When the request was sent.
    pub sent: Mono,
    /// When the first byte of the answer arrived: the time that its values are stamped with.
    pub first_byte: Mono,
    /// When the last byte arrived.
    pub done: Mono,
}

impl FetchedPage {
    /// From the request to the last byte of the page.
    pub fn latency(&self) -> Nanos {
        self.done.since(self.sent)
    }
}

/// Why a page was not fetched.
#[derive(Debug, Error)]
pub enum ScrapeError {
    #[error("no complete page within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("the page is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the server answered {status} {reason}")]
    Status { status: u16, reason: String },
    #[error(transparent)]
    Transport(TransportError),
}

impl ScrapeError {
    /// Whether a server is there that has no such page, so that asking again does not help.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Status { status, .. } if matches!(status, 400..=407 | 410 | 501))
    }
}

/// Fetches pages. Belongs to one thread, with the connections that it keeps open.
#[derive(Debug)]
pub struct PageFetcher {
    client: Client,
    timeout: Duration,
}

impl PageFetcher {
    /// With the connection settings of the requests (TLS, proxies, addresses), and limits of its own.
    pub fn new(settings: &ClientSettings, version: HttpVersion, body_limit: BodyLimit, timeout: Duration) -> Self {
        let settings = ClientSettings { http_version: version, body_limit, ..settings.clone() };
        Self { client: Client::new(settings), timeout }
    }

    /// `buffer` becomes the body of the page: pages are large, and that of the page before is as large as this one will be.
    pub async fn fetch(&self, source: &PageSource, mut buffer: Vec<u8>) -> Result<FetchedPage, ScrapeError> {
        let own = [
            ("Host", source.target.host_header.as_str()),
            ("Accept", ACCEPT),
            ("Accept-Encoding", "gzip, deflate, zstd"),
        ];
        let is_own = |name: &str| own.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let more = source.headers.iter().filter(|(name, _)| !is_own(name));
        let headers = own.into_iter().chain(more.map(|(name, value)| (name.as_str(), value.as_str())));
        let request = Request::get(&source.target.origin, &source.target.path_and_query, headers);
        buffer.clear();
        let mut exchange = Exchange { body: buffer, ..Exchange::default() };
        let sent = Mono::now();
        let work = self.client.send(&request, ConnectionUse::Pooled, &mut exchange, &NoObserver);
        match tokio::time::timeout(self.timeout, work).await {
            Err(_) => return Err(ScrapeError::TimedOut(self.timeout)),
            Ok(Err(TransportError::BodyTooLong { limit })) => return Err(ScrapeError::TooLarge { limit }),
            Ok(Err(error)) => return Err(ScrapeError::Transport(error)),
            Ok(Ok(())) => {}
        }
        if !exchange.is_success() {
            let status = exchange.status.unwrap_or_default();
            return Err(ScrapeError::Status { status, reason: exchange.reason });
        }
        let done = exchange.last_body_byte().unwrap_or_else(Mono::now);
        Ok(FetchedPage {
            format: PageFormat::of_content_type(exchange.header("content-type")),
            sent: exchange.trace.send_start.unwrap_or(sent),
            first_byte: exchange.trace.headers_received.unwrap_or(done),
            done,
            body: exchange.body,
        })
    }
}
