//! Ramp-up and drain, cut by rule. Sending ends with the last request: what comes after is the drain. The ramp is over when
//! the requests in flight have come to nine tenths of their usual number, and as many have been answered since.

use super::TimeWindow;

/// A request on the time line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestSpan {
    pub start: f64,
    pub end: f64,
}

/// The share of the usual number in flight at which the ramp is taken to be over.
const FULL: f64 = 0.9;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// What is left, by the times at which requests ended.
    pub window: TimeWindow,
    /// How many requests were usually in flight.
    pub plateau: u64,
}

/// `None` when nothing is left.
pub fn cut(requests: impl Iterator<Item = RequestSpan>) -> Option<Cut> {
    let (mut starts, mut ends): (Vec<f64>, Vec<f64>) = requests.map(|request| (request.start, request.end)).unzip();
    starts.sort_unstable_by(f64::total_cmp);
    ends.sort_unstable_by(f64::total_cmp);
    let (first, last) = (*starts.first()?, *starts.last()?);
    let plateau = usual_level(&starts, &ends, f64::midpoint(first, last), last);
    let full = first_at_level(&starts, &ends, (FULL * plateau as f64).ceil() as u64)?;
    let answered = ends.partition_point(|end| *end <= full) + plateau as usize;
    let start = ends.get(answered).copied()?;
    (start < last).then_some(Cut { window: TimeWindow { start, end: last }, plateau })
}

/// The level that requests in flight were at or below for half of the time.
fn usual_level(starts: &[f64], ends: &[f64], from: f64, to: f64) -> u64 {
    // How long each level held; a level is never above the number of requests.
    let mut held: Vec<f64> = Vec::new();
    let (mut level, mut since) = (0_usize, from);
    walk(starts, ends, |at, up| {
        let until = at.clamp(from, to);
        if until > since {
            held.resize(held.len().max(level + 1), 0.0);
            held[level] += until - since;
            since = until;
        }
        level = if up { level + 1 } else { level.saturating_sub(1) };
        true
    });
    let half = held.iter().sum::<f64>() / 2.0;
    let mut passed = 0.0;
    let usual = held.iter().position(|time| {
        passed += time;
        passed >= half
    });
    usual.map_or(1, |level| level.max(1) as u64)
}

fn first_at_level(starts: &[f64], ends: &[f64], wanted: u64) -> Option<f64> {
    let (mut level, mut found) = (0_u64, None);
    walk(starts, ends, |at, up| {
        level = if up { level + 1 } else { level.saturating_sub(1) };
        if up && level >= wanted {
            found = Some(at);
        }
        found.is_none()
    });
    found
}

/// Starts and ends in the order of time until `step` has seen enough. Who ends when another starts has ended first.
fn walk(starts: &[f64], ends: &[f64], mut step: impl FnMut(f64, bool) -> bool) {
    let (mut starts, mut ends) = (starts.iter().peekable(), ends.iter().peekable());
    loop {
        let up = match (starts.peek(), ends.peek()) {
            (Some(start), Some(end)) => start < end,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return,
        };
        let at = if up { starts.next() } else { ends.next() };
        if !at.is_some_and(|at| step(*at, up)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `slots` requests in flight, of one second each, slot by slot from `gap` seconds apart.
    fn closed_loop(slots: u32, gap: f64, rounds: u32) -> Vec<RequestSpan> {
        let request = |slot: u32, round: u32| {
            let start = f64::from(slot) * gap + f64::from(round) * 1.001;
            RequestSpan { start, end: start + 1.0 }
        };
        (0..slots).flat_map(|slot| (0..rounds).map(move |round| request(slot, round))).collect()
    }

    #[test]
    fn the_ramp_is_over_when_each_slot_was_answered_once() {
        let cut = cut(closed_loop(10, 0.5, 40).into_iter()).unwrap();
        assert_eq!(cut.plateau, 10);
        // Nine of ten are in flight after 4 s; ten answers later it is about 5 s.
        assert!((4.5..6.0).contains(&cut.window.start), "{cut:?}");
    }

    #[test]
    fn the_drain_begins_with_the_last_request() {
        let requests = closed_loop(4, 0.0, 50);
        let last = requests.iter().map(|request| request.start).fold(0.0, f64::max);
        assert!((cut(requests.into_iter()).unwrap().window.end - last).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_left_of_a_run_that_is_all_ramp() {
        assert_eq!(cut(closed_loop(10, 0.0, 1).into_iter()), None);
        assert_eq!(cut(std::iter::empty()), None);
    }
}
