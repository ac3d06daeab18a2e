//! When the next page is due.

use aiperf_clock::Nanos;

/// Shortest pause between two pages of one source.
const SHORTEST: Nanos = Nanos(10_000_000);
/// At most one part in this number of the time is spent on waiting for a page while pages come more often than asked for.
const LATENCY_SHARE: u64 = 50;
/// The pause is this part of the time since the phase began, until it reaches the interval.
const ELAPSED_SHARE: u64 = 10;

/// How often a page is fetched. Right after the start of a phase pages are fetched more often: otherwise a phase of two seconds
/// would have six values of a gauge, and the first of them from before the load. A page that takes long to make is not fetched
/// more often than asked for, because making it costs the server time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cadence {
    pub interval: Nanos,
}

impl Cadence {
    /// The pause until the next page. `elapsed` is the time since the phase began, if one has.
    pub fn pause(self, elapsed: Option<Nanos>, latency: Nanos) -> Nanos {
        let Some(elapsed) = elapsed else { return self.interval };
        // The first pages of a phase tell when its load began, whatever they cost.
        if elapsed.0 < 2 * SHORTEST.0 {
            return SHORTEST.min(self.interval);
        }
        let dense = Nanos((elapsed.0 / ELAPSED_SHARE).max(latency.0.saturating_mul(LATENCY_SHARE)));
        dense.max(SHORTEST).min(self.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn pages_come_often_at_the_start_of_a_phase() {
        let cadence = Cadence { interval: Nanos(333 * MS) };
        let pause = |elapsed: u64, latency: u64| cadence.pause(Some(Nanos(elapsed)), Nanos(latency)).0 / MS;
        assert_eq!(cadence.pause(None, Nanos(0)), Nanos(333 * MS));
        assert_eq!((pause(0, 0), pause(500 * MS, 0), pause(9_000 * MS, 0)), (10, 50, 333));
        assert_eq!(pause(5 * MS, 2 * MS), 10, "the start of the load is worth a page");
        assert_eq!(pause(50 * MS, 2 * MS), 100, "the server spends 2 % of its time on pages at most");
        assert_eq!(pause(50 * MS, 100 * MS), 333);
        assert_eq!(Cadence { interval: Nanos(MS) }.pause(Some(Nanos(0)), Nanos(0)), Nanos(MS));
    }
}
