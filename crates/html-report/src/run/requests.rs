//! The requests of a run as columns, in the order in which they were sent.

use std::collections::BTreeMap;

use aiperf_artifact::{Folder, RecordedRequest, RecordedRun, read_requests};
use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;

use crate::HtmlReportError;
use crate::run::errors::ErrorGroups;
use crate::run::gaps::GapCounts;

const NANOS_PER_MS: f64 = 1e6;

/// What charts are drawn from, in addition to the metrics that have limits.
const DRAWN: [Metric; 20] = [
    Metric::TimeToFirstToken,
    Metric::InterTokenLatency,
    Metric::RequestLatency,
    Metric::TimeToFirstTokenFromDue,
    Metric::RequestLatencyFromDue,
    Metric::ScheduleLag,
    Metric::ClientSendDelay,
    Metric::InputSequenceLength,
    Metric::OutputSequenceLength,
    Metric::RequestedOsl,
    Metric::OslMismatchDiffPct,
    Metric::UsagePromptCacheReadTokens,
    Metric::HttpReqBlocked,
    Metric::HttpReqDnsLookup,
    Metric::HttpReqConnecting,
    Metric::HttpReqSending,
    Metric::HttpReqWaiting,
    Metric::ServerQueueTime,
    Metric::ServerPrefillTime,
    Metric::HttpReqLost,
];

/// When one request happened and how it ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestSpan {
    /// When the schedule wanted it sent; without a schedule, when it was sent.
    pub(crate) due_ns: u64,
    pub(crate) start_ns: u64,
    pub(crate) headers_ns: Option<u64>,
    pub(crate) end_ns: u64,
    pub(crate) outcome: RequestOutcome,
}

/// The requests of the profiling phase.
#[derive(Debug)]
pub(crate) struct Requests {
    pub(crate) spans: Vec<RequestSpan>,
    /// One value for each request; NaN if it has none.
    columns: BTreeMap<Metric, Vec<f64>>,
    pub(crate) gaps: GapCounts,
    pub(crate) errors: ErrorGroups,
}

impl Requests {
    pub(crate) fn read(folder: &Folder, limited: &[Metric]) -> Result<(Self, RecordedRun), HtmlReportError> {
        let wanted: Vec<Metric> = DRAWN.into_iter().chain(limited.iter().copied()).collect();
        let mut collected = Collected::default();
        let run = read_requests(folder, &mut |request| collected.add(&request, &wanted))?;
        Ok((collected.in_order(), run))
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The values of a metric, one for each request, if any request has one.
    pub(crate) fn column(&self, metric: Metric) -> Option<&[f64]> {
        self.columns.get(&metric).map(Vec::as_slice)
    }

    pub(crate) fn value(&self, metric: Metric, row: usize) -> Option<f64> {
        self.column(metric).map(|column| column[row]).filter(|value| !value.is_nan())
    }

    /// The values of a metric of requests that succeeded, in the order in which they were sent.
    pub(crate) fn of_successes(&self, metric: Metric) -> Vec<f64> {
        let Some(column) = self.column(metric) else { return Vec::new() };
        let rows = self.spans.iter().zip(column);
        rows.filter(|(span, value)| span.outcome.is_success() && !value.is_nan()).map(|(_, value)| *value).collect()
    }

    pub(crate) fn successes(&self) -> usize {
        self.spans.iter().filter(|span| span.outcome.is_success()).count()
    }

    pub(crate) fn failures(&self) -> usize {
        self.spans.iter().filter(|span| span.outcome.is_failure()).count()
    }

    /// When the first content of a request arrived.
    pub(crate) fn first_token_ns(&self, row: usize) -> Option<u64> {
        let ms = self.value(Metric::TimeToFirstToken, row)?;
        Some(self.spans[row].start_ns + (ms * NANOS_PER_MS).round() as u64)
    }
}

/// Requests in the order of the file.
#[derive(Debug, Default)]
struct Collected {
    phase: u32,
    spans: Vec<RequestSpan>,
    columns: BTreeMap<Metric, Vec<f64>>,
    gaps: GapCounts,
    errors: ErrorGroups,
}

impl Collected {
    fn add(&mut self, request: &RecordedRequest, wanted: &[Metric]) {
        if request.phase_index < self.phase {
            return;
        }
        if request.phase_index > self.phase {
            *self = Self { phase: request.phase_index, ..Self::default() };
        }
        let row = self.spans.len();
        for metric in wanted {
            if let Some(value) = request.number(*metric) {
                let column = self.columns.entry(*metric).or_default();
                column.resize(row, f64::NAN);
                column.push(value);
            }
        }
        let lag = request.number(Metric::ScheduleLag).map_or(0, |ms| (ms * NANOS_PER_MS).round() as u64);
        self.spans.push(RequestSpan {
            due_ns: request.start_ns.saturating_sub(lag),
            start_ns: request.start_ns,
            headers_ns: request.headers_ns,
            end_ns: request.end_ns.max(request.start_ns),
            outcome: request.outcome,
        });
        if let Some(first) = request.number(Metric::TimeToFirstToken) {
            let at = request.start_ns + (first * NANOS_PER_MS).round() as u64;
            self.gaps.add(at, request.list(Metric::InterChunkLatency));
        }
        if let Some(failure) = request.failure.as_ref().filter(|_| request.outcome.is_failure()) {
            self.errors.add(failure, request.end_ns);
        }
    }

    fn in_order(mut self) -> Requests {
        let rows = self.spans.len();
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by_key(|row| {
            let span = &self.spans[*row as usize];
            (span.start_ns, span.end_ns)
        });
        for column in self.columns.values_mut() {
            column.resize(rows, f64::NAN);
            *column = order.iter().map(|row| column[*row as usize]).collect();
        }
        let spans = order.iter().map(|row| self.spans[*row as usize]).collect();
        Requests { spans, columns: self.columns, gaps: self.gaps, errors: self.errors }
    }
}
