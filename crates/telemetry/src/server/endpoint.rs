//! The pages of one endpoint over a run.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};

use super::engine::{Engine, EngineMetric, Meanings};
use super::live::LiveServerMetrics;
use super::page_search::{PageAddress, PageSearch};
use super::problem::EndpointProblem;
use super::recorder::{PageRecorder, RecordedPage};
use crate::prometheus::{KnownSeries, PageError, PageLimits, PageReader, PageValues, SeriesId};
use crate::scrape::{AfterPage, FetchedPage, PageSink, ScrapeError};
use crate::series::{TimeSeries, Window};

/// Changes of values that an endpoint may keep in memory: 16 bytes each.
const MOST_STORED: usize = 4 << 20;
/// Counts that are the same for so long are final. A little less than the pause between two pages after the run.
const STANDS_STILL: Nanos = Nanos(90_000_000);

/// What is known about an endpoint before its first page.
#[derive(Debug, Clone)]
pub struct EndpointPlan {
    /// As files and messages name it, without secrets.
    pub url: String,
    /// Whether the user named it. A server that was not named need not have metrics.
    pub is_named: bool,
    /// Pages of the same server that are tried, in this order, if it has no metrics at `url`.
    pub fallbacks: Vec<PageAddress>,
}

/// How the pages of an endpoint came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FetchStatistics {
    pub fetches: u64,
    pub first_fetch: Option<Mono>,
    pub last_fetch: Option<Mono>,
    pub latency_sum: Nanos,
    /// Times of the pages whose values differed from those of the page before.
    pub updates: Vec<Mono>,
}

/// All values of one endpoint.
pub struct EndpointHistory {
    search: PageSearch,
    is_named: bool,
    reader: PageReader,
    /// By [`SeriesId`].
    series: Vec<TimeSeries>,
    /// By [`SeriesId`]: the number of the page that had it last.
    on_page: Vec<u64>,
    /// By [`SeriesId`]: what operators call it.
    meanings: Meanings,
    /// By family: whether an engine is known to have a metric of this name. Most families of a page are not.
    named: Vec<bool>,
    /// Series of these families.
    named_series: Vec<SeriesId>,
    fetched: FetchStatistics,
    last_page: Vec<(SeriesId, f64)>,
    last_at: Option<Mono>,
    pages: u64,
    missed: u64,
    last_error: Option<String>,
    left_out: u64,
    stored: usize,
    thinned: u32,
    /// The first of the last pages that all have the same counts of the engine.
    still_since: Option<Mono>,
    recorder: Option<Box<dyn PageRecorder>>,
    live: Arc<LiveServerMetrics>,
}

impl std::fmt::Debug for EndpointHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndpointHistory")
            .field("url", &self.search.url())
            .field("pages", &self.pages)
            .finish_non_exhaustive()
    }
}

impl EndpointHistory {
    pub fn new(
        plan: EndpointPlan,
        limits: PageLimits,
        recorder: Option<Box<dyn PageRecorder>>,
        live: Arc<LiveServerMetrics>,
    ) -> Self {
        Self {
            search: PageSearch::new(plan.url, plan.fallbacks),
            is_named: plan.is_named,
            reader: PageReader::new(limits),
            series: Vec::new(),
            on_page: Vec::new(),
            meanings: Meanings::default(),
            named: Vec::new(),
            named_series: Vec::new(),
            fetched: FetchStatistics::default(),
            last_page: Vec::new(),
            last_at: None,
            pages: 0,
            missed: 0,
            last_error: None,
            left_out: 0,
            stored: 0,
            thinned: 0,
            still_since: None,
            recorder,
            live,
        }
    }

    pub fn url(&self) -> &str {
        self.search.url()
    }

    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Whether any page was read.
    pub fn has_pages(&self) -> bool {
        self.pages > 0
    }

    pub fn fetched(&self) -> &FetchStatistics {
        &self.fetched
    }

    pub fn reader(&self) -> &PageReader {
        &self.reader
    }

    /// By [`SeriesId`].
    pub fn series(&self) -> &[TimeSeries] {
        &self.series
    }

    /// Series of metrics that some engine is known to have.
    pub(crate) fn named_series(&self) -> impl Iterator<Item = (SeriesId, &KnownSeries, &TimeSeries)> {
        let of = |id: &SeriesId| (*id, &self.reader.series()[id.0 as usize], &self.series[id.0 as usize]);
        self.named_series.iter().map(of)
    }

    /// The engines whose metrics the pages have, in no order and perhaps several times.
    pub(crate) fn engines(&self) -> impl Iterator<Item = Engine> {
        self.named_series.iter().filter_map(|id| self.meanings.engines(*id))
    }

    /// When the last page was read.
    pub fn last_at(&self) -> Option<Mono> {
        self.last_at
    }

    /// The window that totals are taken over: the last page comes after the end of the run, when the server has counted everything.
    pub(crate) fn totals_window(&self, window: Window) -> Window {
        window.until(self.last_at.map_or(window.end(), |last| last.max(window.end())))
    }

    /// Why no page could be read.
    pub fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// What a reader should know, apart from what depends on the window.
    pub(crate) fn problems(&self) -> Vec<EndpointProblem> {
        let reason = || self.last_error.clone().unwrap_or_else(|| "it was never fetched".to_owned());
        if self.pages == 0 {
            return vec![EndpointProblem::NoPages { reason: reason() }];
        }
        let mut problems = Vec::new();
        if self.missed > 0 {
            problems.push(EndpointProblem::PagesMissed { missed: self.missed, reason: reason() });
        }
        for family in self.reader.families() {
            if let Some(later) = family.changed_to {
                let metric = family.name.clone();
                problems.push(EndpointProblem::TypeChanged { metric, first: family.kind, later });
            }
        }
        if self.left_out > 0 {
            problems.push(EndpointProblem::SeriesLeftOut { samples: self.left_out });
        }
        if self.thinned > 0 {
            problems.push(EndpointProblem::ThinnedOut { times: self.thinned });
        }
        problems
    }

    fn take(&mut self, values: PageValues, page: &FetchedPage) {
        let at = page.first_byte;
        self.pages += 1;
        self.left_out += values.left_out as u64;
        self.know_new_series();
        for (id, value) in &values.values {
            let series = &mut self.series[id.0 as usize];
            let before = series.stored();
            series.push(at, *value);
            self.stored += series.stored() - before;
            self.on_page[id.0 as usize] = self.pages;
        }
        for (series, on_page) in self.series.iter_mut().zip(&self.on_page) {
            if *on_page != self.pages {
                let before = series.stored();
                series.push_absent(at);
                self.stored += series.stored() - before;
            }
        }
        self.thin_if_needed();
        let is_new = !same_values(&values.values, &self.last_page);
        if !self.counts_like(&values.values) {
            self.still_since = None;
        }
        self.still_since.get_or_insert(at);
        self.last_page = values.values;
        self.last_at = Some(at);
        self.publish();
        if is_new {
            self.fetched.updates.push(at);
            if let Some(recorder) = &mut self.recorder {
                recorder.record(&RecordedPage {
                    url: self.search.url(),
                    sent: page.sent,
                    first_byte: page.first_byte,
                    done: page.done,
                    reader: &self.reader,
                    values: &self.last_page,
                });
            }
        }
    }

    /// A series that was not on the pages so far counts from zero, if it is a counter.
    fn know_new_series(&mut self) {
        let families = self.reader.families();
        self.named.extend(families[self.named.len()..].iter().map(|family| EngineMetric::names(&family.name)));
        for known in &self.reader.series()[self.series.len()..] {
            let is_named = self.named[known.family.0 as usize];
            if is_named {
                self.named_series.push(SeriesId(self.series.len() as u32));
            }
            self.series.push(TimeSeries::appearing_after(self.last_at));
            self.on_page.push(0);
            if is_named {
                self.meanings.learn(&self.reader, known);
            } else {
                self.meanings.skip();
            }
        }
    }

    /// Whether the engine's own counters are as on the page before. Counters of the process and of the metrics page itself always move.
    fn counts_like(&self, values: &[(SeriesId, f64)]) -> bool {
        let total = |values: &[(SeriesId, f64)]| -> f64 {
            let is_count = |id: &SeriesId| self.meanings.of(*id).any(EngineMetric::is_count);
            values.iter().filter(|(id, _)| is_count(id)).map(|(_, value)| value).sum()
        };
        total(values).to_bits() == total(&self.last_page).to_bits()
    }

    /// Whether the last page says so.
    fn requests_run(&self) -> bool {
        let runs = |id: &SeriesId| self.meanings.of(*id).any(|metric| metric == EngineMetric::RunningRequests);
        self.last_page.iter().any(|(id, value)| *value > 0.0 && runs(id))
    }

    fn publish(&self) {
        let values = self.last_page.iter();
        self.live.publish(values.flat_map(|&(id, value)| self.meanings.of(id).map(move |metric| (metric, value))));
    }

    fn thin_if_needed(&mut self) {
        if self.stored > MOST_STORED {
            self.series.iter_mut().for_each(TimeSeries::thin);
            self.stored = self.series.iter().map(TimeSeries::stored).sum();
            self.thinned += 1;
        }
    }

    fn miss(&mut self, reason: String) {
        self.missed += 1;
        self.last_error = Some(reason);
    }

    /// There are no metrics at this address, so that asking again does not help.
    fn try_next_address(&mut self, reason: String) -> AfterPage {
        match self.search.next(reason) {
            Ok(target) => {
                (self.missed, self.fetched) = (0, FetchStatistics::default());
                AfterPage::Instead(target)
            }
            Err(reason) => {
                self.miss(reason);
                AfterPage::Stop
            }
        }
    }
}

fn same_values(a: &[(SeriesId, f64)], b: &[(SeriesId, f64)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.to_bits() == b.1.to_bits())
}

impl PageSink for EndpointHistory {
    fn page(&mut self, page: &FetchedPage) -> AfterPage {
        let fetched = &mut self.fetched;
        fetched.fetches += 1;
        fetched.first_fetch.get_or_insert(page.first_byte);
        fetched.last_fetch = Some(page.first_byte);
        fetched.latency_sum = fetched.latency_sum + page.latency();
        match self.reader.read(&page.body, page.format) {
            Ok(values) => {
                self.take(values, page);
                AfterPage::Continue
            }
            Err(PageError::NotMetrics) if self.pages == 0 => self.try_next_address(PageError::NotMetrics.to_string()),
            Err(error) => {
                self.miss(error.to_string());
                AfterPage::BackOff
            }
        }
    }

    fn failed(&mut self, _at: Mono, error: ScrapeError) -> AfterPage {
        if error.is_final() && self.pages == 0 {
            return self.try_next_address(error.to_string());
        }
        self.miss(error.to_string());
        AfterPage::BackOff
    }

    fn failure(&self) -> Option<&str> {
        self.last_error.as_deref().filter(|_| self.pages == 0)
    }

    /// Counters of an engine may lag behind its responses by a few steps. Until two pages after the run say the same, more may come,
    /// and as long as the engine says that requests run.
    fn wants_more(&self, since_end: Nanos) -> bool {
        let (Some(still_since), Some(last)) = (self.still_since, self.last_at) else { return false };
        let is_still = last.since(still_since.max(Mono::now() - since_end)) >= STANDS_STILL;
        !is_still || self.requests_run()
    }
}
