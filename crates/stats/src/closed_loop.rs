//! Throughput of a closed loop, in which a slot sends its next request when the last one is answered. Requests that were
//! sent together end together, so counts per second swing by whole waves and say little of how another run would differ.
//! What varies are the times that slots are held: with C slots, a run of length T has C T = (sum of cycles) + (idle time at
//! the end), a cycle being a request and the gap before it. So the rate A / T is a ratio, and its variance that of
//! W = sum(z) + end, with z = amount - rate * cycle / C for each request (Cochran, "Sampling Techniques", 1977, 6.4; Crane and
//! Iglehart, "Simulating stable stochastic systems, III", 1975). The sum has the long-run variance of the series z. The rest
//! depends on how slots happen to lie when the run ends, for which there is no formula: the run is played again with cycles
//! drawn from its own (Efron, "Bootstrap methods: another look at the jackknife", 1979).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use aiperf_seed::{Seed, Stream};

use crate::batches::{batch_size, means};
use crate::distribution::student_t_quantile;
use crate::long_run::{Criterion, LongRun};
use crate::mean::MEAN_FLOOR;
use crate::{Estimate, Interval, Level, Support, TimeSpan};

/// Requests that are played again, over all replays.
const REPLAYED: usize = 100_000;
/// Requests of one replay, and waves of all slots that it has at least.
const REPLAY_LENGTH: usize = 2_000;
const REPLAY_WAVES: usize = 8;
const MOST_REPLAYS: usize = 200;
const FEWEST_REPLAYS: usize = 30;
/// Cycles that alternate make a run more regular; beyond this it is more likely chance.
const LEAST_INFLATION: f64 = 0.5;
/// Points in time at which the ages of requests are looked at.
const LOOKS: usize = 128;
const NANOS: f64 = 1e9;
/// A request may seem to start this much before the end that it waited for, in nanoseconds.
const CLOCK_STEP: i64 = 1_000;

/// A request that held a slot, in seconds. `amount`: what it counts for; 0 if it failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldSlot {
    pub start: f64,
    pub end: f64,
    pub amount: f64,
}

/// What the span of a rate ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// As many requests as were asked for were sent, and all were waited for.
    Count,
    /// Sending stopped at a point in time, and what was in flight was waited for.
    Time,
    /// The loop went on: the span is a part of a run from its start.
    Ongoing,
    /// The loop went on, and had gone on before the span began.
    Inside,
}

/// How sure the throughput of a closed loop is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedLoopRate {
    pub estimate: Estimate,
    /// The share of the squared width of the interval that comes from the ends of the run. It shrinks with the square of the
    /// number of requests, the rest with their number.
    pub end_share: f64,
}

/// Amount per second. `requests`: all that held a slot, in any order; those that ended within the span count. `None` when the
/// span has no length or nothing ended in it.
pub fn closed_loop_rate(requests: &[HeldSlot], span: TimeSpan, end: RunEnd, level: Level) -> Option<ClosedLoopRate> {
    let length = span.end - span.start;
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    let mut requests = requests.to_vec();
    requests.sort_unstable_by(|a, b| a.start.total_cmp(&b.start).then(a.end.total_cmp(&b.end)));
    let slots = Slots::of(&requests, span);
    let counted: Vec<Cycle> = slots.cycles.iter().copied().filter(|cycle| span.holds(cycle.end)).collect();
    let total: f64 = counted.iter().map(|cycle| cycle.amount).sum();
    let time: f64 = counted.iter().map(|cycle| cycle.length).sum();
    let count = counted.len();
    if count == 0 {
        return None;
    }
    let value = total / length;
    let few = |effective_samples: f64| {
        let support = Support::TooFew { needed: MEAN_FLOOR };
        Some(ClosedLoopRate {
            estimate: Estimate { value, interval: None, effective_samples, support },
            end_share: 0.0,
        })
    };
    if total <= 0.0 || time <= 0.0 {
        return few(count as f64);
    }
    // What one second of a slot brings: with the time at the end in which slots wait for the last request, if that is in the
    // span.
    let pace = match end {
        RunEnd::Count | RunEnd::Time => value / slots.opened.len() as f64,
        RunEnd::Ongoing | RunEnd::Inside => total / time,
    };
    let residuals: Vec<f64> = counted.iter().map(|cycle| cycle.amount - pace * cycle.length).collect();
    let size = batch_size(count);
    let batches = means(&residuals, size);
    let Some(run) = LongRun::by(&batches, Criterion::Akaike) else { return few(count as f64) };
    let inflation = run.inflation.max(LEAST_INFLATION);
    let of_sum = run.variance * inflation / batches.len() as f64 * (count * count) as f64;
    let single = variance(residuals.iter().copied());
    let worth =
        if of_sum > 0.0 { (count as f64 * (count as f64 * single) / of_sum).min(count as f64) } else { count as f64 };
    if worth < MEAN_FLOOR as f64 || run.independent(batches.len()) < MEAN_FLOOR as f64 / 2.0 {
        return few(worth);
    }
    let ends = match end {
        RunEnd::Count | RunEnd::Time => slots.replayed(&counted, pace, end),
        RunEnd::Ongoing => slots.of_ages(&requests, span, pace, 1.0),
        RunEnd::Inside => slots.of_ages(&requests, span, pace, 2.0),
    };
    // The ends may take away from the variance of the sum, but not all of it.
    let variance = (of_sum + ends.variance).max(of_sum / 4.0);
    let freedom = if variance > 0.0 {
        let parts = of_sum * of_sum / run.freedom + ends.variance * ends.variance / ends.freedom;
        (variance * variance / parts).max(1.0)
    } else {
        run.freedom
    };
    let reach = student_t_quantile(1.0 - level.tail(), freedom) * variance.sqrt() / total;
    let interval = Interval { low: value * (-reach).exp(), high: value * reach.exp() };
    let estimate = Estimate { value, interval: Some(interval), effective_samples: worth, support: Support::Enough };
    let end_share = if variance > 0.0 { (1.0 - of_sum / variance).clamp(0.0, 1.0) } else { 0.0 };
    Some(ClosedLoopRate { estimate, end_share })
}

/// A request with the time that its slot waited before it.
#[derive(Debug, Clone, Copy)]
struct Cycle {
    length: f64,
    end: f64,
    amount: f64,
}

/// Variance of an amount that the ends of a run add, and how well it is known.
struct Ends {
    variance: f64,
    freedom: f64,
}

/// Requests assigned to slots.
struct Slots {
    /// When each slot was used first, since the span began.
    opened: Vec<f64>,
    /// In the order of starts.
    cycles: Vec<Cycle>,
    last_start: f64,
    origin: f64,
}

impl Slots {
    /// `requests`: in the order of starts. Each one follows the request that ended first among those that no other has
    /// followed so far.
    fn of(requests: &[HeldSlot], span: TimeSpan) -> Self {
        let nanos = |at: f64| ((at - span.start) * NANOS) as i64;
        let mut free: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
        let (mut opened, mut cycles) = (Vec::new(), Vec::with_capacity(requests.len()));
        for request in requests {
            let (start, end) = (nanos(request.start), nanos(request.end));
            let mut before = None;
            if let Some(first) = free.peek_mut()
                && first.0 <= start + CLOCK_STEP
            {
                before = Some(PeekMut::pop(first).0);
            }
            if before.is_none() {
                opened.push(request.start - span.start);
            }
            let length = (end - before.unwrap_or(start).min(start)) as f64 / NANOS;
            cycles.push(Cycle { length, end: request.end, amount: request.amount });
            free.push(Reverse(end));
        }
        let last_start = requests.last().map_or(0.0, |request| request.start - span.start);
        Self { opened, cycles, last_start, origin: span.start }
    }

    /// Plays the run again and again with cycles drawn from its own, and takes what the sum of residuals does not explain.
    fn replayed(&self, counted: &[Cycle], pace: f64, end: RunEnd) -> Ends {
        let (slots, count) = (self.opened.len(), counted.len());
        let length = REPLAY_LENGTH.max(REPLAY_WAVES * slots);
        // Whole waves are left out, so that the last one has as many requests.
        let left_out = if count > length { (count - length).div_ceil(slots) * slots } else { 0 };
        let length = count - left_out;
        let stop = self.last_start * length as f64 / count as f64;
        let replays = (REPLAYED / length).clamp(FEWEST_REPLAYS, MOST_REPLAYS);
        let mut stream = Seed::fixed(1_979).stream("closed loop");
        let opened: Vec<u64> = self.opened.iter().map(|at| nanos(*at)).collect();
        let lengths: Vec<u64> = counted.iter().map(|cycle| nanos(cycle.length)).collect();
        let (mut sums, mut wholes) = (Vec::with_capacity(replays), Vec::with_capacity(replays));
        for _ in 0..replays {
            let limit = if end == RunEnd::Count { Limit::Requests(length) } else { Limit::Time(nanos(stop)) };
            let replay = LoopReplay::play(&opened, &lengths, counted, limit, &mut stream);
            sums.push(replay.amount - pace * replay.held);
            wholes.push(replay.amount - pace * slots as f64 * replay.length);
        }
        let variance = variance(wholes.iter().copied()) - variance(sums.iter().copied());
        Ends { variance, freedom: (replays - 1) as f64 }
    }

    /// A span that begins or ends in the middle of requests counts more or fewer of them than it held slots for: by their ages
    /// at its edges.
    fn of_ages(&self, requests: &[HeldSlot], span: TimeSpan, pace: f64, edges: f64) -> Ends {
        let step = (span.end - span.start) / LOOKS as f64;
        let mut ages = vec![0.0; LOOKS];
        for request in requests {
            let first = ((request.start - self.origin) / step).ceil().max(0.0);
            let mut look = first as usize;
            while look < LOOKS && self.origin + look as f64 * step < request.end {
                ages[look] += self.origin + look as f64 * step - request.start;
                look += 1;
            }
        }
        // The first looks see a loop that has just begun, the last ones miss what is still in flight.
        let settled = if edges > 1.0 { &ages[..] } else { &ages[LOOKS / 8..LOOKS - LOOKS / 8] };
        Ends { variance: edges * pace * pace * variance(settled.iter().copied()), freedom: LOOKS as f64 / 4.0 }
    }
}

fn nanos(seconds: f64) -> u64 {
    (seconds.max(0.0) * NANOS) as u64
}

/// When slots stop to send.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Requests(usize),
    Time(u64),
}

/// One closed loop with drawn cycles.
struct LoopReplay {
    amount: f64,
    /// Seconds that slots were held, over all of them.
    held: f64,
    /// Seconds until the last slot was free.
    length: f64,
}

impl LoopReplay {
    fn play(opened: &[u64], lengths: &[u64], cycles: &[Cycle], limit: Limit, stream: &mut Stream) -> Self {
        let mut free: BinaryHeap<Reverse<u64>> = opened.iter().map(|at| Reverse(*at)).collect();
        let (mut amount, mut held, mut last, mut sent) = (0.0, 0_u64, 0_u64, 0_usize);
        while let Some(mut slot) = free.peek_mut() {
            let goes_on = match limit {
                Limit::Requests(most) => sent < most,
                Limit::Time(stop) => slot.0 <= stop,
            };
            if !goes_on {
                break;
            }
            let drawn = stream.below(cycles.len() as u64) as usize;
            amount += cycles[drawn].amount;
            held += lengths[drawn];
            slot.0 += lengths[drawn];
            last = last.max(slot.0);
            sent += 1;
        }
        Self { amount, held: held as f64 / NANOS, length: last as f64 / NANOS }
    }
}

fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (count, sum) = values.clone().fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    let mean = sum / count;
    values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0_f64).max(1.0)
}
