//! How many requests run and wait and how much of the KV cache they hold, at every instant, with the exact integrals of these numbers over time.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aiperf_clock::{Mono, Nanos};

use crate::monitoring::gpu::GpuOptions;

/// The state of the batch and of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BatchLoad {
    pub(crate) running: u32,
    pub(crate) waiting: u32,
    pub(crate) kv_blocks: u64,
}

impl BatchLoad {
    /// One more request has its place and its blocks.
    pub(crate) fn run(&mut self, kv_blocks: u32) {
        self.running += 1;
        self.kv_blocks += u64::from(kv_blocks);
    }
}

/// From this time on the load was this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadChange {
    pub(crate) at: Mono,
    pub(crate) load: BatchLoad,
}

/// What the GPUs have done up to an instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GpuReading {
    pub(crate) at: Mono,
    pub(crate) load: BatchLoad,
    /// Joules of one GPU since the start.
    pub(crate) joules: f64,
}

#[derive(Debug)]
pub(crate) struct LoadMeter {
    gpus: GpuOptions,
    start: Mono,
    /// Changes of the load that are kept.
    keep: usize,
    state: Mutex<LoadState>,
}

#[derive(Debug)]
struct LoadState {
    load: BatchLoad,
    since: Mono,
    /// Integral over nanoseconds up to `since` of the running requests, each instant's at most as many as make the GPUs busy.
    busy: u128,
    /// The latest reading of a page that is renewed at intervals.
    reading: GpuReading,
    history: VecDeque<LoadChange>,
    /// Whether older changes were dropped.
    shortened: bool,
}

impl LoadMeter {
    pub(crate) fn new(gpus: GpuOptions, start: Mono, keep: usize) -> Self {
        let load = BatchLoad::default();
        let state = LoadState {
            load,
            since: start,
            busy: 0,
            reading: GpuReading { at: start, load, joules: 0.0 },
            history: VecDeque::from([LoadChange { at: start, load }]),
            shortened: false,
        };
        Self { gpus, start, keep: keep.max(2), state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, LoadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> BatchLoad {
        self.lock().load
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut BatchLoad)) {
        let mut state = self.lock();
        // Read while the lock is held, so that changes are in order.
        let now = Mono::now();
        self.advance(&mut state, now);
        change(&mut state.load);
        let load = state.load;
        state.history.push_back(LoadChange { at: now, load });
        if state.history.len() > self.keep {
            state.history.pop_front();
            state.shortened = true;
        }
    }

    /// What the GPUs of a page show now.
    pub(crate) fn gpu_reading(&self) -> GpuReading {
        let mut state = self.lock();
        let now = Mono::now();
        self.advance(&mut state, now);
        if self.gpus.refresh == Nanos::ZERO { self.reading(&state, now) } else { state.reading }
    }

    /// The changes that are kept, and whether there were older ones.
    pub(crate) fn history(&self) -> (Vec<LoadChange>, bool) {
        let state = self.lock();
        (state.history.iter().copied().collect(), state.shortened)
    }

    pub(crate) fn forget_history(&self) {
        let mut state = self.lock();
        let load = state.load;
        state.history = VecDeque::from([LoadChange { at: Mono::now(), load }]);
        state.shortened = false;
    }

    /// Takes in the time since the last change, and the reading of the page if one was due in it.
    fn advance(&self, state: &mut LoadState, now: Mono) {
        let refresh = self.gpus.refresh.0;
        if let Some(rounds) = now.since(self.start).0.checked_div(refresh) {
            let due = self.start + Nanos(rounds * refresh);
            if due > state.reading.at {
                state.reading = self.reading(state, due);
            }
        }
        state.busy += self.busy(state, now);
        state.since = now;
    }

    fn reading(&self, state: &LoadState, at: Mono) -> GpuReading {
        let joules = self.gpus.joules(at.since(self.start), state.busy + self.busy(state, at));
        GpuReading { at, load: state.load, joules }
    }

    fn busy(&self, state: &LoadState, until: Mono) -> u128 {
        u128::from(state.load.running.min(self.gpus.full)) * u128::from(until.since(state.since).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(refresh: Nanos) -> LoadMeter {
        LoadMeter::new(GpuOptions { refresh, ..GpuOptions::default() }, Mono::now(), 100)
    }

    #[test]
    fn energy_is_the_integral_of_power() {
        let meter = meter(Nanos::ZERO);
        meter.change(|load| load.running = 4);
        meter.change(|load| load.running = 100);
        let reading = meter.gpu_reading();
        let (history, shortened) = meter.history();
        let ends = history[1..].iter().map(|change| change.at).chain([reading.at]);
        let joules: f64 = history
            .iter()
            .zip(ends)
            .map(|(change, end)| meter.gpus.watts(change.load.running) * end.since(change.at).as_secs_f64())
            .sum();
        assert!((reading.joules - joules).abs() < 1e-9 * joules, "{} {joules}", reading.joules);
        assert!(!shortened);
    }

    #[test]
    fn a_page_that_is_renewed_rarely_shows_its_first_reading() {
        let meter = meter(Nanos(3_600_000_000_000));
        meter.change(|load| load.running = 4);
        let reading = meter.gpu_reading();
        assert_eq!((reading.at, reading.load.running, reading.joules), (meter.start, 0, 0.0));
    }

    #[test]
    fn a_reading_that_was_due_before_a_change_shows_the_state_before_it() {
        let meter = meter(Nanos(1));
        meter.change(|load| load.running = 4);
        // Due in every nanosecond, so at the time of this change, and made before it.
        meter.change(|load| load.running = 7);
        assert_eq!(meter.lock().reading.load.running, 4);
    }

    #[test]
    fn old_changes_are_dropped() {
        let meter = LoadMeter::new(GpuOptions::default(), Mono::now(), 3);
        for running in 1..=5 {
            meter.change(|load| load.running = running);
        }
        let (history, shortened) = meter.history();
        assert_eq!((history.len(), history[0].load.running, shortened), (3, 3, true));
    }
}
