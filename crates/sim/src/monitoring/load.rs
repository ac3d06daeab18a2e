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
    fn start(&mut self, kv_blocks: u32) {
        self.running += 1;
        self.kv_blocks += u64::from(kv_blocks);
    }

    fn has_room(&self, limits: &BatchLimits, kv_blocks: u32) -> bool {
        self.running < limits.running && self.kv_blocks + u64::from(kv_blocks) <= limits.kv_blocks
    }
}

/// How much can run at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchLimits {
    pub(crate) running: u32,
    pub(crate) kv_blocks: u64,
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
    limits: BatchLimits,
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
    /// The load before a request last left, and when that was.
    before_release: LoadChange,
    /// The latest reading of a page that is renewed at intervals.
    reading: GpuReading,
    history: VecDeque<LoadChange>,
    /// Whether older changes were dropped.
    shortened: bool,
}

impl LoadMeter {
    pub(crate) fn new(gpus: GpuOptions, limits: BatchLimits, start: Mono, keep: usize) -> Self {
        let load = BatchLoad::default();
        let state = LoadState {
            load,
            since: start,
            busy: 0,
            before_release: LoadChange { at: start, load },
            reading: GpuReading { at: start, load, joules: 0.0 },
            history: VecDeque::from([LoadChange { at: start, load }]),
            shortened: false,
        };
        Self { gpus, limits, start, keep: keep.max(2), state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, LoadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> BatchLoad {
        self.lock().load
    }

    /// A request begins to wait.
    pub(crate) fn wait(&self) {
        self.change(&mut self.lock(), |load| load.waiting += 1);
    }

    /// A request that waited went away.
    pub(crate) fn give_up(&self) {
        self.change(&mut self.lock(), |load| load.waiting -= 1);
    }

    /// A request that waited has its place.
    pub(crate) fn run_waiting(&self, kv_blocks: u32) {
        self.change(&mut self.lock(), |load| {
            load.waiting -= 1;
            load.start(kv_blocks);
        });
    }

    /// A request has its place without waiting. The result is the time from which it has it: its arrival, unless a busy server
    /// found it only after another one had left a batch in which there was no room for it.
    pub(crate) fn run_at_once(&self, arrival: Mono, kv_blocks: u32) -> Mono {
        let mut state = self.lock();
        let LoadChange { at, load } = state.before_release;
        self.change(&mut state, |load| load.start(kv_blocks));
        if load.has_room(&self.limits, kv_blocks) { arrival } else { arrival.max(at) }
    }

    /// A request leaves the batch.
    pub(crate) fn leave(&self, kv_blocks: u32) {
        let mut state = self.lock();
        let before = state.load;
        let at = self.change(&mut state, |load| {
            load.running -= 1;
            load.kv_blocks -= u64::from(kv_blocks);
        });
        state.before_release = LoadChange { at, load: before };
    }

    /// Changes the load and returns the time of the change. It is read while the lock is held, so that changes are in order.
    fn change(&self, state: &mut LoadState, change: impl FnOnce(&mut BatchLoad)) -> Mono {
        let now = Mono::now();
        self.advance(state, now);
        change(&mut state.load);
        let load = state.load;
        state.history.push_back(LoadChange { at: now, load });
        if state.history.len() > self.keep {
            state.history.pop_front();
            state.shortened = true;
        }
        now
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

    const LIMITS: BatchLimits = BatchLimits { running: 3, kv_blocks: 10 };

    fn meter(refresh: Nanos) -> LoadMeter {
        LoadMeter::new(GpuOptions { refresh, ..GpuOptions::default() }, LIMITS, Mono::now(), 100)
    }

    fn run(meter: &LoadMeter, times: u32) {
        for _ in 0..times {
            meter.run_at_once(Mono::default(), 1);
        }
    }

    #[test]
    fn energy_is_the_integral_of_power() {
        let meter = meter(Nanos::ZERO);
        run(&meter, 20);
        meter.leave(1);
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
        run(&meter, 4);
        let reading = meter.gpu_reading();
        assert_eq!((reading.at, reading.load.running, reading.joules), (meter.start, 0, 0.0));
    }

    #[test]
    fn a_reading_that_was_due_before_a_change_shows_the_state_before_it() {
        let meter = meter(Nanos(1));
        run(&meter, 4);
        // Due in every nanosecond, so at the time of this change, and made before it.
        run(&meter, 1);
        assert_eq!(meter.lock().reading.load.running, 4);
    }

    #[test]
    fn old_changes_are_dropped() {
        let meter = LoadMeter::new(GpuOptions::default(), LIMITS, Mono::now(), 3);
        run(&meter, 5);
        let (history, shortened) = meter.history();
        assert_eq!((history.len(), history[0].load.running, shortened), (3, 3, true));
    }

    #[test]
    fn waiting_requests_run_or_give_up() {
        let meter = meter(Nanos::ZERO);
        for _ in 0..3 {
            meter.wait();
        }
        meter.give_up();
        meter.run_waiting(4);
        assert_eq!(meter.now(), BatchLoad { running: 1, waiting: 1, kv_blocks: 4 });
        meter.leave(4);
        assert_eq!(meter.now(), BatchLoad { running: 0, waiting: 1, kv_blocks: 0 });
    }

    #[test]
    fn nobody_has_a_place_before_it_was_free() {
        let meter = meter(Nanos::ZERO);
        let arrival = Mono::now();
        assert_eq!(meter.run_at_once(arrival, 9), arrival);
        meter.leave(9);
        assert_eq!(meter.run_at_once(arrival, 1), arrival, "there was room for one block");
        assert!(meter.run_at_once(arrival, 2) > arrival, "there was no room for two");
        run(&meter, 1);
        meter.leave(1);
        let freed = meter.lock().before_release.at;
        assert_eq!(meter.run_at_once(arrival, 1), freed, "all three places were taken");
        assert_eq!(meter.run_at_once(freed + Nanos(1), 1), freed + Nanos(1));
    }
}
