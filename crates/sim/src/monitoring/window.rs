//! The truth over a window of time: what a client that scraped the pages should report for it.

use aiperf_clock::{Mono, Nanos, WallAnchor};
use serde::Serialize;
use serde::ser::Serializer;

use crate::monitoring::load::{BatchLoad, LoadChange};
use crate::server::state::SimState;
use crate::truth::{TruthOutcome, TruthRecord};

/// What was true between two instants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WindowTruth {
    #[serde(rename = "start_ns", serialize_with = "nanos")]
    pub start: Mono,
    #[serde(rename = "end_ns", serialize_with = "nanos")]
    pub end: Mono,
    /// The same instants on the wall clock.
    pub start_epoch_ns: u64,
    pub end_epoch_ns: u64,
    /// Whether everything that happened in the window is still on record and all its requests are over. Totals of an incomplete
    /// window are too small.
    pub complete: bool,
    pub running: TrueGauge,
    pub waiting: TrueGauge,
    /// Share of the KV-cache blocks in use.
    pub kv_cache_usage: TrueGauge,
    /// Requests whose last byte came in.
    pub arrived: u64,
    /// Requests that got a place in the batch, and the tokens of their prompts that were in the prefix cache.
    pub admitted: u64,
    pub cached_tokens: u64,
    /// Tokens of the prompts that were read: a prompt is read when the first token is there.
    pub prompt_tokens: u64,
    /// Requests whose reply was whole.
    pub completed: u64,
    /// Output tokens that were written. Of a reply with several tokens in a chunk that is only partly in the window, the share of its chunks.
    pub generation_tokens: f64,
    /// Of one GPU and of all of them.
    pub joules_per_gpu: f64,
    pub joules: f64,
    /// Mean power of one GPU.
    pub watts_per_gpu: f64,
}

/// A number that changed over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TrueGauge {
    /// Weighted by time.
    pub mean: f64,
    pub min: f64,
    pub max: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes every field so")]
fn nanos<S: Serializer>(at: &Mono, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(at.as_nanos())
}

impl WindowTruth {
    pub(crate) fn of(state: &SimState, start: Mono, end: Mono) -> Self {
        let (history, shortened) = state.load.history();
        // Before the records, so that a request that ends in between is on record or still counted here.
        let in_flight = state.in_flight();
        let (records, dropped) = state.truth.snapshot();
        let known = history.first().is_some_and(|first| first.at <= start) || !shortened;
        let parts = parts(&history, start, end);
        let gauge = |value: fn(&BatchLoad) -> f64, scale: f64| TrueGauge::of(&parts, |load| value(load) / scale);
        let gpus = &state.options.gpus;
        let busy = parts.iter().map(|(span, load)| u128::from(load.running.min(gpus.full)) * u128::from(span.0)).sum();
        let joules_per_gpu = gpus.joules(end.since(start), busy);
        let span = end.since(start).as_secs_f64();
        let epoch = |at: Mono, anchor: WallAnchor| anchor.epoch(at).0;
        let mut window = Self {
            start,
            end,
            start_epoch_ns: epoch(start, state.anchor),
            end_epoch_ns: epoch(end, state.anchor),
            complete: known && in_flight == 0 && dropped == 0,
            running: gauge(|load| f64::from(load.running), 1.0),
            waiting: gauge(|load| f64::from(load.waiting), 1.0),
            kv_cache_usage: gauge(|load| load.kv_blocks as f64, f64::from(state.options.kv_blocks)),
            arrived: 0,
            admitted: 0,
            cached_tokens: 0,
            prompt_tokens: 0,
            completed: 0,
            generation_tokens: 0.0,
            joules_per_gpu,
            joules: joules_per_gpu * f64::from(gpus.count),
            watts_per_gpu: if span > 0.0 { joules_per_gpu / span } else { 0.0 },
        };
        for record in &records {
            window.count(record);
        }
        window
    }

    /// Takes in what a request did within the window.
    fn count(&mut self, record: &TruthRecord) {
        if record.in_flight == 0 {
            return;
        }
        let (start, end) = (self.start, self.end);
        let inside = |at: Mono| at >= start && at < end;
        self.arrived += u64::from(inside(record.arrival));
        if record.admitted.is_some_and(inside) {
            self.admitted += 1;
            self.cached_tokens += u64::from(record.cached_tokens.unwrap_or(0));
        }
        // A reply without tokens has read its prompt when it is done.
        let ended = (record.outcome == TruthOutcome::Completed && record.admitted.is_some()).then_some(record.end);
        if record.first_token.or(ended).is_some_and(inside) {
            self.prompt_tokens += u64::from(record.prompt_tokens.unwrap_or(0));
        }
        self.completed += u64::from(record.outcome == TruthOutcome::Completed && inside(record.end));
        let chunks = record.chunks.iter().filter(|at| inside(**at)).count();
        if chunks > 0 {
            self.generation_tokens += f64::from(record.output_tokens) * chunks as f64 / record.chunks.len() as f64;
        }
    }
}

impl TrueGauge {
    fn of(parts: &[(Nanos, BatchLoad)], value: impl Fn(&BatchLoad) -> f64) -> Self {
        let all: f64 = parts.iter().map(|(span, _)| span.0 as f64).sum();
        let weighted: f64 = parts.iter().map(|(span, load)| span.0 as f64 * value(load)).sum();
        let values = || parts.iter().map(|(_, load)| value(load));
        let or_zero = |value: f64| if value.is_finite() { value } else { 0.0 };
        Self {
            mean: or_zero(weighted / all),
            min: or_zero(values().fold(f64::INFINITY, f64::min)),
            max: or_zero(values().fold(f64::NEG_INFINITY, f64::max)),
        }
    }
}

/// The stretches of equal load within a window. What lies before the first change had no load.
fn parts(history: &[LoadChange], start: Mono, end: Mono) -> Vec<(Nanos, BatchLoad)> {
    let before = history.first().map_or(end, |first| first.at);
    let changes = history.iter().map(|change| (change.at, change.load));
    let begins = [(Mono::default(), BatchLoad::default())].into_iter().chain(changes.clone());
    let ends = [before].into_iter().chain(changes.map(|(at, _)| at).skip(1)).chain([end]);
    begins
        .zip(ends)
        .map(|((from, load), to)| (to.min(end).since(from.max(start)), load))
        .filter(|(span, _)| *span > Nanos::ZERO)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: u64, running: u32) -> LoadChange {
        LoadChange { at: Mono::from_nanos(at), load: BatchLoad { running, ..BatchLoad::default() } }
    }

    #[test]
    fn a_gauge_is_weighted_by_time_within_the_window() {
        let history = [change(100, 0), change(200, 4), change(300, 1)];
        let mean = |start, end| {
            let parts = parts(&history, Mono::from_nanos(start), Mono::from_nanos(end));
            let gauge = TrueGauge::of(&parts, |load| f64::from(load.running));
            (gauge.mean, gauge.min, gauge.max)
        };
        assert_eq!(mean(100, 300), (2.0, 0.0, 4.0));
        assert_eq!(mean(250, 350), (2.5, 1.0, 4.0));
        assert_eq!(mean(0, 200), (0.0, 0.0, 0.0));
        assert_eq!(mean(1_000, 1_100), (1.0, 1.0, 1.0));
        assert_eq!(mean(50, 50), (0.0, 0.0, 0.0));
    }
}
