//! CPU time that the host of a virtual machine gave to others.

use std::thread;
use std::time::Duration;

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;

const WATCHED: Duration = Duration::from_millis(500);
/// The place of stolen time among the numbers of a line of `/proc/stat`.
const STEAL: usize = 7;

pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let before = spent(&files.text("proc/stat")?)?;
    thread::sleep(WATCHED);
    let after = spent(&files.text("proc/stat")?)?;
    Some(judge(before, after))
}

/// Ticks in all, and those that were stolen, since the machine was started.
fn spent(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    // Guest time, which comes after, is part of user time.
    Some((ticks.iter().take(STEAL + 1).sum(), *ticks.get(STEAL)?))
}

fn judge(before: (u64, u64), after: (u64, u64)) -> Finding {
    let all = after.0.saturating_sub(before.0).max(1);
    let stolen = after.1.saturating_sub(before.1);
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    let percent = 100.0 * stolen as f64 / all as f64;
    let seen = format!("{percent:.1} % within {} ms", WATCHED.as_millis());
    let meaning = "The host runs other machines on these cores. Times of a run contain pauses that are not the server's. Use a machine \
                   with cores of its own.";
    if percent >= 10.0 {
        Finding::problem(Check::Steal, seen, meaning)
    } else if percent >= 1.0 {
        Finding::note(Check::Steal, seen, meaning)
    } else {
        Finding::ok(Check::Steal, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn stolen_time_is_a_share_of_all_time() {
        let text = "cpu  100 0 50 800 10 0 5 35 20 0\ncpu0 1 2 3\n";
        assert_eq!(spent(text), Some((1000, 35)));
        assert_eq!(spent("intr 1\n"), None);
        let rank = |stolen: u64| judge((1000, 35), (1100, 35 + stolen)).rank;
        assert_eq!((rank(0), rank(1), rank(9), rank(10)), (Rank::Ok, Rank::Note, Rank::Note, Rank::Problem));
    }
}
