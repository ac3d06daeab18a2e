//! How late a sleeping thread wakes: requests on a schedule leave that much late.

use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;

use crate::finding::{Check, Finding};

const SLEEP: Duration = Duration::from_millis(1);
const SLEEPS: usize = 100;
const LATE_MS: f64 = 1.0;

pub(crate) fn check() -> Finding {
    let mut late: Vec<f64> = (0..SLEEPS).map(|_| lateness_ms()).collect();
    late.sort_by(f64::total_cmp);
    judge(late[SLEEPS / 2], late[SLEEPS * 95 / 100])
}

fn lateness_ms() -> f64 {
    let begin = Mono::now();
    thread::sleep(SLEEP);
    (Mono::now().since(begin).as_secs_f64() - SLEEP.as_secs_f64()) * 1e3
}

fn judge(p50_ms: f64, p95_ms: f64) -> Finding {
    let seen = format!("wakes {p50_ms:.2} ms late (p95 {p95_ms:.2} ms)");
    if p95_ms > LATE_MS {
        let meaning = "Requests on a schedule leave late by about as much. Each record has the time at which its request really left, and \
                       the summary says how late they were. A machine with less other work is more exact.";
        return Finding::note(Check::Timer, seen, meaning);
    }
    Finding::ok(Check::Timer, seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn late_wakes_are_noted() {
        assert_eq!(judge(0.06, 0.4).rank, Rank::Ok);
        assert_eq!(judge(0.06, 1.4).rank, Rank::Note);
        assert_eq!(judge(0.055, 0.4).seen, "wakes 0.06 ms late (p95 0.40 ms)");
    }
}
