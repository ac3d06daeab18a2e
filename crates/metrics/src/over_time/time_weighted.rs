//! Concurrency, rates and tokens in flight as functions of time. One pass over all requests by time, holding only those
//! in flight, so that no list of all events is ever made; and a second one if curves have too many values to be kept.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::over_time::levels::{Curves, Levels};
use crate::record::columns::{Columns, GapPlaces};
use crate::record::fact::{Fact, Facts};
use crate::record::formula::output_length;
use crate::{Metric, PhaseWindow, Stats};

/// The time-weighted metrics of a phase. `streamed`: first contents are first tokens, not whole bodies.
pub(crate) fn time_weighted(
    in_flight_rows: &InFlightRows<'_>,
    window: &PhaseWindow,
    streamed: bool,
) -> Vec<(Metric, Stats)> {
    let requests = RequestsByRow { in_flight_rows, streamed };
    let order = requests.in_order();
    let mut curves = draw(&requests, &order, window, Curves::default());
    if curves.need_second_pass() {
        curves = draw(&requests, &order, window, curves.second_pass());
    }
    curves.statistics()
}

/// One pass over all requests.
fn draw(requests: &RequestsByRow<'_>, order: &[u32], window: &PhaseWindow, curves: Curves) -> Curves {
    let columns = requests.in_flight_rows.columns;
    let mut levels = Levels::new(window, curves);
    let mut waiting = order.iter().enumerate().peekable();
    // When something happens next, to which in the order of starts, what, and where that request is kept.
    let mut in_flight: BinaryHeap<Reverse<(u64, usize, RequestEvent, usize)>> = BinaryHeap::new();
    let mut kept: Vec<InFlightRequest> = Vec::new();
    let mut vacant: Vec<usize> = Vec::new();
    loop {
        let next_event = in_flight.peek().map(|Reverse((at, ..))| *at);
        let starts_first = |(_, row): &(usize, &u32)| next_event.is_none_or(|at| requests.start(**row) <= at);
        if let Some((index, row)) = waiting.next_if(starts_first) {
            let request = requests.get(*row);
            levels.advance(request.start);
            request.begin(&mut levels);
            let event = if request.first_content.is_some() { RequestEvent::FirstContent } else { RequestEvent::End };
            let place = vacant.pop().unwrap_or(kept.len());
            in_flight.push(Reverse((request.first_content.unwrap_or(request.end), index, event, place)));
            if place == kept.len() {
                kept.push(request);
            } else {
                kept[place] = request;
            }
        } else if let Some(mut top) = in_flight.peek_mut() {
            let Reverse((at, index, event, place)) = *top;
            levels.advance(at);
            if let Some((at, event)) = kept[place].pass(&mut levels, at, event, columns) {
                *top = Reverse((at, index, event, place));
            } else {
                PeekMut::pop(top);
                vacant.push(place);
            }
        } else {
            return levels.finish();
        }
    }
}

/// One request on the time line, in nanoseconds of the monotonic clock.
pub(crate) struct InFlightRequest {
    start: u64,
    end: u64,
    /// Of successful streaming requests.
    first_content: Option<u64>,
    pub(crate) input_tokens: f64,
    pub(crate) output_tokens: f64,
    first_gap: usize,
    pub(crate) gaps: usize,
    /// Gaps that are not 0.
    pub(crate) real_gaps: usize,
}

/// What happens next to a request in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RequestEvent {
    FirstContent,
    /// The end of this gap, counted from the request's first.
    Chunk(usize),
    End,
}

impl InFlightRequest {
    fn compare(&self, other: &Self) -> Ordering {
        let key = |request: &Self| (request.start, request.end, request.first_content, request.gaps);
        key(self).cmp(&key(other)).then(self.input_tokens.total_cmp(&other.input_tokens))
    }

    fn begin(&self, levels: &mut Levels) {
        levels.begin(self);
        if let Some(first) = self.first_content {
            levels.begin_prefill(self, first - self.start);
        }
    }

    /// Applies one event and says when the next is.
    fn pass(
        &self,
        levels: &mut Levels,
        at: u64,
        event: RequestEvent,
        columns: &Columns,
    ) -> Option<(u64, RequestEvent)> {
        let first = self.first_content.unwrap_or(self.end);
        match event {
            RequestEvent::FirstContent => {
                levels.end_prefill(self, first - self.start);
                levels.begin_decode(self, self.end - first);
                Some(self.enter_gap(levels, at, 0, columns))
            }
            RequestEvent::Chunk(index) => {
                levels.end_gap(self, columns.gap(self.first_gap + index));
                Some(self.enter_gap(levels, at, index + 1, columns))
            }
            RequestEvent::End => {
                if self.first_content.is_some() {
                    levels.end_decode(self, self.end - first);
                }
                levels.end(self, self.received());
                None
            }
        }
    }

    /// Output tokens that were added on the way: all when the chunks say how they came, else the first alone.
    fn received(&self) -> f64 {
        match self.first_content {
            Some(_) if self.gaps > 0 => self.output_tokens,
            Some(_) => self.output_tokens.min(1.0),
            None => 0.0,
        }
    }

    fn enter_gap(&self, levels: &mut Levels, at: u64, index: usize, columns: &Columns) -> (u64, RequestEvent) {
        if index < self.gaps {
            let gap = columns.gap(self.first_gap + index);
            levels.begin_gap(self, gap);
            (at + gap, RequestEvent::Chunk(index))
        } else {
            (self.end.max(at), RequestEvent::End)
        }
    }
}

/// The requests that were in flight at some time of a window.
#[derive(Debug)]
pub(crate) struct InFlightRows<'a> {
    columns: &'a Columns,
    /// All of them if `None`.
    rows: Option<&'a [u32]>,
    gap_places: Cow<'a, GapPlaces>,
}

impl<'a> InFlightRows<'a> {
    pub(crate) fn all(columns: &'a Columns) -> Self {
        Self { columns, rows: None, gap_places: Cow::Owned(columns.gap_places()) }
    }

    pub(crate) fn some(columns: &'a Columns, rows: &'a [u32], gap_places: &'a GapPlaces) -> Self {
        Self { columns, rows: Some(rows), gap_places: Cow::Borrowed(gap_places) }
    }
}

/// Requests by row. Each is put together from its columns when it is needed: a list of them all would be as large as the
/// columns.
struct RequestsByRow<'a> {
    in_flight_rows: &'a InFlightRows<'a>,
    streamed: bool,
}

impl RequestsByRow<'_> {
    /// Rows in order of start; ties are broken by content, so that the order of rows does not matter.
    fn in_order(&self) -> Vec<u32> {
        let all = || (0..u32::try_from(self.in_flight_rows.columns.len()).unwrap_or(u32::MAX)).collect();
        let mut order: Vec<u32> = self.in_flight_rows.rows.map_or_else(all, <[u32]>::to_vec);
        order.sort_by(|a, b| self.start(*a).cmp(&self.start(*b)).then_with(|| self.get(*a).compare(&self.get(*b))));
        order
    }

    fn start(&self, row: u32) -> u64 {
        self.in_flight_rows.columns.row(row as usize).fact(Fact::Start).unwrap_or(0)
    }

    fn get(&self, row: u32) -> InFlightRequest {
        let columns = self.in_flight_rows.columns;
        let gaps = self.in_flight_rows.gap_places.of(columns, row);
        let row = columns.row(row as usize);
        let success = row.succeeded();
        let start = row.fact(Fact::Start).unwrap_or(0);
        let after_start = |fact| row.fact(fact).map(|span| start + span);
        let ends = [after_start(Fact::End), after_start(Fact::LastContent)];
        InFlightRequest {
            start,
            end: ends.into_iter().flatten().max().unwrap_or(start),
            first_content: after_start(Fact::FirstContent).filter(|_| success && self.streamed),
            input_tokens: row.fact(Fact::InputTokens).filter(|_| success).unwrap_or(0) as f64,
            output_tokens: output_length(&row).filter(|_| success).unwrap_or(0.0),
            first_gap: gaps.start,
            gaps: gaps.len(),
            real_gaps: gaps.filter(|gap| columns.gap(*gap) > 0).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;
    use aiperf_protocol::ContentChunk;

    use super::*;
    use crate::{Observation, RecordValues, TokenCounts};

    /// Starts, lengths and numbers of chunks differ; some chunks come together.
    fn request(number: u64) -> Observation {
        let start = Mono::from_nanos(1_000 + number * 37 % 500 * 10);
        let chunk = |index: u64| ContentChunk {
            at: Mono::from_nanos(start.as_nanos() + 900 + number % 7 * 55 + index / 2 * 130),
            has_output: true,
            has_reasoning: false,
            usage_completion_tokens: None,
        };
        let chunks: Vec<ContentChunk> = (0..number % 6).map(chunk).collect();
        let end = Mono::from_nanos(start.as_nanos() + 3_000 + number % 5 * 210);
        Observation {
            headers_received: Some(start),
            tokens: TokenCounts { input: Some(10 + number % 3), output: Some(chunks.len() as u64), reasoning: None },
            chunks,
            ..Observation::new(start, end)
        }
    }

    #[test]
    fn curves_of_some_requests_are_those_of_a_copy_of_them() {
        let mut columns = Columns::new();
        for seen in (0..400).map(request) {
            columns.push(&seen, &RecordValues::compute(&seen));
        }
        let places = columns.gap_places();
        let window = PhaseWindow::new(Mono::from_nanos(2_000), Mono::from_nanos(5_000));
        for rows in [(0..400).collect(), (0..400).rev().step_by(3).collect::<Vec<u32>>(), Vec::new()] {
            let copy = columns.subset(&rows, &places);
            assert_eq!(copy.gap_count(), rows.iter().map(|row| places.of(&columns, *row).len()).sum::<usize>());
            for streamed in [true, false] {
                let some = time_weighted(&InFlightRows::some(&columns, &rows, &places), &window, streamed);
                assert_eq!(some, time_weighted(&InFlightRows::all(&copy), &window, streamed));
            }
        }
    }
}
