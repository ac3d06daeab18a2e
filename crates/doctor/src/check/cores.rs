//! How many cores there are, and whether other programs use them.

use std::num::NonZero;
use std::thread;

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;

/// Programs that want to run, for each core, above which the client has to wait for its turn.
const BUSY: f64 = 0.5;

pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let text = files.text("proc/loadavg")?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(judge(cores, load))
}

fn judge(cores: usize, load: f64) -> Finding {
    let seen = format!("{cores} core{}, load {load:.2}", if cores == 1 { "" } else { "s" });
    #[expect(clippy::cast_precision_loss, reason = "few cores")]
    if load > BUSY * cores as f64 {
        let meaning = "Other programs use the CPU. Requests leave late and times come out longer than they are. Stop them, or wait.";
        return Finding::note(Check::Cores, seen, meaning);
    }
    if cores == 1 {
        let meaning = "The client and everything else share one core. Keep the server on another machine.";
        return Finding::note(Check::Cores, seen, meaning);
    }
    Finding::ok(Check::Cores, seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn a_machine_at_work_is_noted() {
        assert_eq!(judge(8, 3.9).rank, Rank::Ok);
        assert_eq!(judge(8, 4.1).rank, Rank::Note);
        assert_eq!(judge(1, 0.0).rank, Rank::Note);
        assert_eq!(judge(2, 0.25).seen, "2 cores, load 0.25");
    }
}
