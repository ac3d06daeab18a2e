//! The part of a run in which nothing drifts. What is known to be no part of it is cut off by rule (`cut`); then the
//! beginning is shortened by tenths until the rest passes a test for drifts and steps (`drift`), at most by half, as
//! Heidelberger and Welch (1983) do.

mod cut;
mod drift;

pub use cut::{Cut, RequestSpan, cut};
pub use drift::{DriftVerdict, test_for_drift};

/// Tenths of the run after the cut that are given up at most.
const TENTHS: usize = 5;
/// The chance of a false alarm for a run that is steady from the first.
const FIRST_LOOK: f64 = 0.05;
/// For what is left of one that is not: a drift is now more likely, and there is less to see it in.
const LATER_LOOKS: f64 = 0.2;
/// The share of the slope that a drift must have kept.
const STILL: f64 = 0.5;
/// Requests without which nothing can be said.
pub const FEWEST: usize = 100;
/// The signal that the rate of answers is.
pub const COMPLETIONS: &str = "request_throughput";
/// A change below this share of the level does not matter, however certain it is.
pub const MATTERS: f64 = 0.05;

/// The time from `start` to `end`, in the unit of the requests' times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeWindow {
    pub start: f64,
    pub end: f64,
}

impl TimeWindow {
    pub fn contains(&self, at: f64) -> bool {
        self.start <= at && at <= self.end
    }

    /// Those of `items`, which are in the order of time, that are in the window.
    fn part_of<'a, T>(&self, items: &'a [T], at: impl Fn(&T) -> f64) -> &'a [T] {
        let first = items.partition_point(|item| at(item) < self.start);
        let after = items.partition_point(|item| at(item) <= self.end);
        &items[first..after.max(first)]
    }
}

/// What is watched for drift.
#[derive(Debug, Clone, Copy)]
pub struct Signal<'a> {
    pub name: &'a str,
    /// When, and what. In the order of time.
    pub points: &'a [(f64, f64)],
}

/// Why there is no steady state.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsteady {
    /// Fewer requests than can be judged are left between ramp and drain.
    TooShort { left: usize, needed: usize },
    /// A signal drifts or steps to the end. `change`: by how much of its level, from quarter to quarter.
    Drifts { signal: String, change: f64 },
}

/// The longest of the candidate windows within `cut` in which no signal drifts. `ends`: when requests ended, in order; their
/// rate is a signal of its own, [`COMPLETIONS`].
pub fn find(cut: TimeWindow, ends: &[f64], signals: &[Signal<'_>]) -> Result<TimeWindow, Unsteady> {
    let mut whole: Vec<DriftVerdict> = Vec::new();
    let mut drifting = None;
    for tenths in 0..=TENTHS {
        let share = 1.0 - tenths as f64 / 10.0;
        let window = TimeWindow { start: cut.end - (cut.end - cut.start) * share, end: cut.end };
        let inside = window.part_of(ends, |end| *end);
        if inside.len() < FEWEST {
            break;
        }
        let values = |signal: &Signal<'_>| -> Vec<f64> {
            window.part_of(signal.points, |point| point.0).iter().map(|point| point.1).collect()
        };
        let verdicts: Vec<DriftVerdict> = signals
            .iter()
            .map(|signal| test_for_drift(&values(signal)))
            .chain([test_for_drift(&counts(inside, window))])
            .collect();
        // Each signal has its share of the chance of a false alarm (Bonferroni).
        let significance = if tenths == 0 { FIRST_LOOK } else { LATER_LOOKS } / verdicts.len() as f64;
        let names = signals.iter().map(|signal| signal.name).chain([COMPLETIONS]);
        let unsteady = names.zip(&verdicts).enumerate().filter(|(index, (_, verdict))| {
            let goes_on = whole.get(*index).is_some_and(|whole| goes_on(whole, verdict, share));
            verdict.drifts(significance) || goes_on
        });
        match unsteady.max_by(|a, b| a.1.1.change.total_cmp(&b.1.1.change)) {
            None => return Ok(window),
            Some((_, (name, verdict))) => drifting = Some((name.to_owned(), verdict.change)),
        }
        if tenths == 0 {
            whole = verdicts;
        }
    }
    let left = cut.part_of(ends, |end| *end).len();
    let too_short = Unsteady::TooShort { left, needed: FEWEST };
    Err(drifting.map_or(too_short, |(signal, change)| Unsteady::Drifts { signal, change }))
}

/// Whether what drifted over the whole still drifts in the last `share` of it, as far as one can see in less of it.
fn goes_on(whole: &DriftVerdict, part: &DriftVerdict, share: f64) -> bool {
    let as_before = whole.slope * share;
    whole.drifts(FIRST_LOOK) && part.change > MATTERS && part.slope / as_before > STILL
}

/// Counts of equal blocks of the window, with about ten events in each.
fn counts(ends: &[f64], window: TimeWindow) -> Vec<f64> {
    let blocks = (ends.len() / 10).clamp(1, 1024);
    let length = (window.end - window.start) / blocks as f64;
    let mut counts = vec![0.0; blocks];
    for end in ends {
        let block = ((end - window.start) / length) as usize;
        counts[block.min(blocks - 1)] += 1.0;
    }
    counts
}
