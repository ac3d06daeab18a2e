//! What all requests of the interface share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::Mono;
use aiperf_live::{LiveRun, Snapshot};
use aiperf_web_access::WebAccess;
use tokio::sync::watch;

use crate::gauges::GaugeStatistics;
use crate::process::ProcessHealth;

/// Streams (pages and WebSockets) that may be open at the same time.
const MOST_STREAMS: usize = 64;

#[derive(Debug)]
pub(crate) struct ApiState {
    pub(crate) live: Arc<LiveRun>,
    pub(crate) access: Arc<WebAccess>,
    /// Where the files of the run, or of all runs of a sweep, are.
    pub(crate) dir: PathBuf,
    /// Distinguishes this server from an earlier one on the same port.
    pub(crate) session: String,
    pub(crate) process: ProcessHealth,
    pub(crate) gauges: GaugeStatistics,
    /// Whether the server is about to end.
    pub(crate) closing: watch::Sender<bool>,
    /// A client cancelled the run.
    pub(crate) was_cancelled: AtomicBool,
    streams: AtomicUsize,
    pages: AtomicUsize,
    /// The last snapshot as JSON: several viewers share the work.
    rendered: Mutex<(u64, Arc<str>)>,
}

impl ApiState {
    pub(crate) fn new(live: Arc<LiveRun>, access: Arc<WebAccess>, dir: PathBuf, session: String) -> Self {
        Self {
            live,
            access,
            dir,
            session,
            process: ProcessHealth::new(Mono::now()),
            gauges: GaugeStatistics::default(),
            closing: watch::Sender::new(false),
            was_cancelled: AtomicBool::new(false),
            streams: AtomicUsize::new(0),
            pages: AtomicUsize::new(0),
            rendered: Mutex::new((0, Arc::from("{}"))),
        }
    }

    /// The snapshot as JSON text.
    pub(crate) fn render(&self, snapshot: &Snapshot) -> Arc<str> {
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        if rendered.0 != snapshot.seq || rendered.1.len() <= 2 {
            let text = serde_json::to_string(snapshot).unwrap_or_else(|_| "{}".to_owned());
            *rendered = (snapshot.seq, Arc::from(text));
        }
        Arc::clone(&rendered.1)
    }

    /// Pages that are open in browsers.
    pub(crate) fn pages(&self) -> usize {
        self.pages.load(Ordering::Acquire)
    }

    /// A place for one more stream; `None` if there are too many.
    pub(crate) fn open_stream(self: &Arc<Self>, kind: StreamKind) -> Option<OpenStream> {
        if self.streams.fetch_add(1, Ordering::AcqRel) >= MOST_STREAMS {
            self.streams.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        if kind == StreamKind::Page {
            self.pages.fetch_add(1, Ordering::AcqRel);
        }
        Some(OpenStream { state: Arc::clone(self), kind })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// Server-sent events, which the page uses.
    Page,
    WebSocket,
}

/// Counts as one open stream until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    pub(crate) state: Arc<ApiState>,
    kind: StreamKind,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.state.streams.fetch_sub(1, Ordering::AcqRel);
        if self.kind == StreamKind::Page {
            self.state.pages.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
