//! The thread that fetches pages.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_transport::{BodyLimit, ClientSettings};
use tokio::sync::watch;
use tokio::task::LocalSet;

use super::{AfterPage, Cadence, PageFetcher, PageSink, PageSource};

/// Pause between two pages after the run.
const SETTLING_PAUSE: Nanos = Nanos(100_000_000);
/// A page that is being fetched when the run ends may take this much longer than the flush period.
const LAST_PAGE: Nanos = Nanos(1_000_000_000);
/// The pause after a useless page doubles at most this often.
const MOST_DOUBLINGS: u32 = 4;
/// News about pages that are kept until somebody waits for them.
const NEWS: usize = 1_024;

/// How pages are fetched.
#[derive(Debug, Clone)]
pub struct ScrapeSettings {
    /// Name of the thread.
    pub thread: &'static str,
    /// Settings of connections: those of the requests.
    pub client: ClientSettings,
    pub interval: Duration,
    /// Limit for one page.
    pub timeout: Duration,
    pub body_limit: BodyLimit,
}

/// Where the run is, as the thread needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunStage {
    Before,
    /// A phase began.
    Phase {
        began: Mono,
    },
    /// The last phase ended; pages may be fetched for `flush` longer.
    Over {
        since: Mono,
        flush: Nanos,
    },
    /// Nothing is wanted any more, not even the page that is being fetched.
    Abandoned,
}

/// How the first attempt to read the pages of one source ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPage {
    /// Nothing has come yet.
    Awaited,
    Read,
    Failed {
        reason: String,
    },
}

/// Fetches pages from its start until [`ScrapeThread::run_is_over`] or [`ScrapeThread::abandon`].
#[derive(Debug)]
pub struct ScrapeThread<S> {
    stage: watch::Sender<RunStage>,
    /// The number of a source and how its first page came.
    first_news: Receiver<(usize, FirstPage)>,
    /// In the order of the sources.
    first_pages: Vec<FirstPage>,
    signal: PhaseSignal,
    thread: JoinHandle<Vec<S>>,
}

/// Tells the thread about phases, from another thread.
#[derive(Debug, Clone)]
pub struct PhaseSignal {
    stage: watch::Sender<RunStage>,
    reader: Arc<Mutex<Receiver<Mono>>>,
    useful: Arc<AtomicUsize>,
}

/// What the thread tells about pages as they come.
#[derive(Debug, Clone)]
struct PageNews {
    /// When the request for each useful page was sent. News that nobody reads is dropped.
    sent: SyncSender<Mono>,
    /// Sources whose last page was of use.
    useful: Arc<AtomicUsize>,
}

impl PhaseSignal {
    /// A phase is about to begin: each page is fetched at once. Does not wait.
    pub fn phase_begins(&self) {
        self.stage.send_replace(RunStage::Phase { began: Mono::now() });
    }

    /// A phase is about to begin after another: waits for pages that show the state in between, but not longer than `limit`. Otherwise
    /// what the first requests of the phase add to counters could not be told from what the last requests before it added.
    pub fn phase_follows(&self, limit: Duration) {
        let news = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        while news.try_recv().is_ok() {}
        let asked = Mono::now();
        let deadline = asked + limit.into();
        self.phase_begins();
        let mut missing = self.useful.load(Ordering::Relaxed);
        while missing > 0 {
            match news.recv_timeout(deadline.since(Mono::now()).as_duration()) {
                Ok(sent) if sent >= asked => missing -= 1,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// A phase has ended: the state at its end is fetched at once.
    pub fn phase_ended(&self) {
        self.stage.send_modify(|_| ());
    }
}

impl<S: PageSink> ScrapeThread<S> {
    /// Starts the thread, which fetches each page for the first time at once.
    pub fn start(settings: ScrapeSettings, sources: Vec<(PageSource, S)>) -> io::Result<Self> {
        let (stage, changes) = watch::channel(RunStage::Before);
        let (first, first_news) = mpsc::channel();
        let (sent, reader) = mpsc::sync_channel(NEWS);
        let news = PageNews { sent, useful: Arc::default() };
        let signal = PhaseSignal {
            stage: stage.clone(),
            reader: Arc::new(Mutex::new(reader)),
            useful: Arc::clone(&news.useful),
        };
        let first_pages = vec![FirstPage::Awaited; sources.len()];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name(settings.thread.into()).spawn(move || {
            let ScrapeSettings { client, interval, timeout, body_limit, .. } = settings;
            let cadence = Cadence { interval: interval.into() };
            let polls = sources.into_iter().enumerate().map(|(index, (source, sink))| Poll {
                index,
                fetcher: PageFetcher::new(&client, source.http_version, body_limit, timeout),
                cadence,
                source,
                sink,
                stage: changes.clone(),
                seen: RunStage::Before,
                first: Some(first.clone()),
                useless: 0,
                buffer: Vec::new(),
                news: news.clone(),
                is_useful: false,
            });
            let work = all(polls.map(Poll::run));
            // HTTP/2 connections run as tasks of their own on this thread.
            LocalSet::new().block_on(&runtime, work)
        })?;
        Ok(Self { stage, first_news, first_pages, signal, thread })
    }

    pub fn signal(&self) -> PhaseSignal {
        self.signal.clone()
    }

    /// Waits until each of the sources with these numbers has been asked once, but not longer than `limit`.
    pub fn wait_for_first_pages(&mut self, limit: Duration, sources: impl Fn(usize) -> bool) {
        let deadline = Mono::now() + limit.into();
        let is_awaited = |(index, page): (usize, &FirstPage)| *page == FirstPage::Awaited && sources(index);
        while self.first_pages.iter().enumerate().any(is_awaited) {
            match self.first_news.recv_timeout(deadline.since(Mono::now()).as_duration()) {
                Ok((index, page)) => self.first_pages[index] = page,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// How the first page of each source came, as far as they have been waited for.
    pub fn first_pages(&self) -> &[FirstPage] {
        &self.first_pages
    }

    /// The run is over: each page is fetched until it shows the end of the run, for `flush` at most. Does not wait.
    pub fn run_is_over(&self, flush: Duration) {
        self.stage.send_replace(RunStage::Over { since: Mono::now(), flush: flush.into() });
    }

    /// Nothing more is wanted, not even the page that is being fetched. Does not wait.
    pub fn abandon(&self) {
        self.stage.send_replace(RunStage::Abandoned);
    }

    /// Waits for the last pages and returns what the sinks took in. Call [`Self::run_is_over`] or [`Self::abandon`] first.
    pub fn finish(self) -> Vec<S> {
        let Self { stage, signal, thread, .. } = self;
        drop((stage, signal));
        thread.join().unwrap_or_default()
    }
}

/// Fetches the pages of one source.
struct Poll<S> {
    /// The number of the source.
    index: usize,
    fetcher: PageFetcher,
    cadence: Cadence,
    source: PageSource,
    sink: S,
    stage: watch::Receiver<RunStage>,
    /// The stage that the last page was fetched in.
    seen: RunStage,
    /// Told once, after the first attempt.
    first: Option<mpsc::Sender<(usize, FirstPage)>>,
    /// Pages in a row that were of no use.
    useless: u32,
    /// The body of the page before, whose memory the next one takes.
    buffer: Vec<u8>,
    news: PageNews,
    /// Whether it is counted among the useful sources.
    is_useful: bool,
}

impl<S: PageSink> Poll<S> {
    async fn run(mut self) -> S {
        loop {
            self.seen = *self.stage.borrow_and_update();
            let asked = Mono::now();
            let Some((after, latency)) = self.fetch().await else { return self.sink };
            self.useless = if after == AfterPage::BackOff { self.useless + 1 } else { 0 };
            self.tell(after == AfterPage::Continue, asked);
            if let AfterPage::Instead(target) = after {
                self.source.target = target;
                continue;
            }
            if let Some(first) = self.first.take() {
                // Nobody listens any more if the run has begun without it.
                let failure = self.sink.failure().map(|reason| FirstPage::Failed { reason: reason.to_owned() });
                let _ = first.send((self.index, failure.unwrap_or(FirstPage::Read)));
            }
            if after == AfterPage::Stop {
                return self.sink;
            }
            if !self.wait(latency).await {
                return self.sink;
            }
        }
    }

    fn tell(&mut self, is_useful: bool, asked: Mono) {
        match (self.is_useful, is_useful) {
            (false, true) => drop(self.news.useful.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(self.news.useful.fetch_sub(1, Ordering::Relaxed)),
            _ => {}
        }
        self.is_useful = is_useful;
        if is_useful {
            // Full if no phase has begun for long.
            let _ = self.news.sent.try_send(asked);
        }
    }

    /// Fetches once; `None` if nobody waits for the page any more.
    async fn fetch(&mut self) -> Option<(AfterPage, Nanos)> {
        let given_up = pin!(given_up(self.stage.clone()));
        let fetched = tokio::select! {
            biased;
            () = given_up => return None,
            fetched = self.fetcher.fetch(&self.source, std::mem::take(&mut self.buffer)) => fetched,
        };
        Some(match fetched {
            Ok(page) => {
                let (after, latency) = (self.sink.page(&page), page.latency());
                self.buffer = page.body;
                (after, latency)
            }
            Err(error) => (self.sink.failed(Mono::now(), error), self.cadence.interval),
        })
    }

    /// Waits until the next page is due; `false` if none is.
    async fn wait(&mut self, latency: Nanos) -> bool {
        loop {
            let stage = *self.stage.borrow();
            if stage != self.seen {
                // A phase began or ended while the page was fetched: its edge wants a page of its own.
                return stage != RunStage::Abandoned;
            }
            let pause = match stage {
                RunStage::Abandoned => return false,
                RunStage::Before | RunStage::Phase { .. } if self.useless > 0 => {
                    Nanos(self.cadence.interval.0 << self.useless.min(MOST_DOUBLINGS))
                }
                RunStage::Before => self.cadence.pause(None, latency),
                RunStage::Phase { began } => self.cadence.pause(Some(Mono::now().since(began)), latency),
                RunStage::Over { since, flush } => {
                    let elapsed = Mono::now().since(since);
                    if elapsed + SETTLING_PAUSE > flush || !self.sink.wants_more(elapsed) {
                        return false;
                    }
                    SETTLING_PAUSE
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause.as_duration()) => return true,
                changed = self.stage.changed() => match (changed, stage) {
                    (Ok(()), _) => {}
                    // The caller waits for the last pages, and no other stage can come.
                    (Err(_), RunStage::Over { .. }) => {
                        tokio::time::sleep(pause.as_duration()).await;
                        return true;
                    }
                    (Err(_), _) => return false,
                },
            }
        }
    }
}

/// Returns when the run was abandoned, or has been over for long enough.
async fn given_up(mut stage: watch::Receiver<RunStage>) {
    let is_over = |stage: &RunStage| matches!(stage, RunStage::Over { .. } | RunStage::Abandoned);
    let over = stage.wait_for(is_over).await.map(|stage| *stage);
    if let Ok(RunStage::Over { since, flush }) = over {
        let left = (since + flush + LAST_PAGE).since(Mono::now());
        tokio::time::sleep(left.as_duration()).await;
    }
}

/// Runs all of them at once and returns their results in order.
async fn all<F: Future>(works: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut works: Vec<_> = works.map(|work| (Box::pin(work), None)).collect();
    std::future::poll_fn(|cx| {
        let mut is_ready = true;
        for (work, done) in &mut works {
            if done.is_none() {
                match work.as_mut().poll(cx) {
                    std::task::Poll::Ready(result) => *done = Some(result),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    works.into_iter().filter_map(|(_, done)| done).collect()
}
