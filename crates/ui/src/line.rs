//! One line of progress, as text.

use aiperf_clock::Nanos;

/// Where a run stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// What is going on: `Warmup`, `Profiling`, `Processing records`.
    pub activity: String,
    pub done: u64,
    pub in_flight: u64,
    pub failed: u64,
    /// Requests in all, when known.
    pub expected: Option<u64>,
    /// Length of the phase, when it ends by time.
    pub duration: Option<Nanos>,
    pub elapsed: Nanos,
}

const BAR: usize = 20;

/// `Profiling  120/200 |############        |  60%  12.3 s, 16 in flight, 98.1 req/s`
pub fn render(snapshot: &Snapshot) -> String {
    let elapsed = snapshot.elapsed.as_secs_f64();
    let share = match (snapshot.expected, snapshot.duration) {
        (Some(all), _) if all > 0 => Some(snapshot.done as f64 / all as f64),
        (_, Some(length)) if length > Nanos::ZERO => Some(elapsed / length.as_secs_f64()),
        _ => None,
    };
    let mut line = format!("{}  {}", snapshot.activity, snapshot.done);
    if let Some(all) = snapshot.expected {
        line.push_str(&format!("/{all}"));
    }
    if let Some(share) = share.map(|s| s.clamp(0.0, 1.0)) {
        let filled = (share * BAR as f64).round() as usize;
        line.push_str(&format!(" |{}{}| {:3.0}%", "#".repeat(filled), " ".repeat(BAR - filled), share * 100.0));
    }
    line.push_str(&format!("  {elapsed:.1} s, {} in flight", snapshot.in_flight));
    if snapshot.failed > 0 {
        line.push_str(&format!(", {} failed", snapshot.failed));
    }
    if elapsed > 0.0 && snapshot.done > 0 {
        line.push_str(&format!(", {:.1} req/s", snapshot.done as f64 / elapsed));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_phase_shows_its_share() {
        let snapshot = Snapshot {
            activity: "Profiling".into(),
            done: 5,
            in_flight: 2,
            failed: 1,
            expected: Some(10),
            elapsed: Nanos(2_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(
            render(&snapshot),
            "Profiling  5/10 |##########          |  50%  2.0 s, 2 in flight, 1 failed, 2.5 req/s"
        );
    }

    #[test]
    fn a_timed_phase_shows_its_share_of_the_time() {
        let snapshot = Snapshot {
            activity: "Warmup".into(),
            duration: Some(Nanos(4_000_000_000)),
            elapsed: Nanos(1_000_000_000),
            ..Snapshot::default()
        };
        assert_eq!(render(&snapshot), "Warmup  0 |#####               |  25%  1.0 s, 0 in flight");
    }
}
