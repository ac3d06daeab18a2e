//! The time that throughput is measured over.

use aiperf_clock::{Mono, Nanos};

/// The window of a phase: from before the first permission to send until the last request ended. Phases that are measured together
/// have the union of their windows: what lies between them, and a time that two of them share, is not counted twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseWindow {
    pub start: Mono,
    pub end: Mono,
    /// Times between joined phases, in order, in which nothing of them was in flight.
    gaps: Vec<(Mono, Mono)>,
    is_joined: bool,
}

impl PhaseWindow {
    pub const fn new(start: Mono, end: Mono) -> Self {
        Self { start, end, gaps: Vec::new(), is_joined: false }
    }

    /// The union of the windows of phases. `None` if there are none.
    pub fn join(windows: &[Self]) -> Option<Self> {
        let mut sorted: Vec<&Self> = windows.iter().collect();
        sorted.sort_by_key(|window| window.start);
        let (first, others) = sorted.split_first()?;
        let mut joined = (*first).clone();
        for window in others {
            if window.start > joined.end {
                joined.gaps.push((joined.end, window.start));
            }
            joined.gaps.extend(&window.gaps);
            joined.end = joined.end.max(window.end);
            joined.is_joined = true;
        }
        Some(joined)
    }

    /// Whether it covers several phases.
    pub const fn is_joined(&self) -> bool {
        self.is_joined
    }

    pub fn length(&self) -> Nanos {
        let gaps: u64 = self.gaps.iter().map(|(from, to)| to.since(*from).0).sum();
        Nanos(self.end.since(self.start).0.saturating_sub(gaps))
    }

    /// Times that do not count, in nanoseconds of the monotonic clock.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = (u64, u64)> {
        self.gaps.iter().map(|(from, to)| (from.as_nanos(), to.as_nanos()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: u64, end: u64) -> PhaseWindow {
        PhaseWindow::new(Mono::from_nanos(start), Mono::from_nanos(end))
    }

    #[test]
    fn a_shared_time_counts_once_and_the_time_between_phases_not_at_all() {
        let joined = PhaseWindow::join(&[window(100, 200), window(150, 260), window(300, 310)]).unwrap();
        assert_eq!((joined.start, joined.end), (Mono::from_nanos(100), Mono::from_nanos(310)));
        assert_eq!(joined.length(), Nanos(170));
        assert_eq!(joined.gaps().collect::<Vec<_>>(), [(260, 300)]);
    }

    #[test]
    fn one_phase_is_its_own_window() {
        assert_eq!(PhaseWindow::join(&[window(1, 5)]), Some(window(1, 5)));
        assert_eq!(PhaseWindow::join(&[]), None);
    }
}
