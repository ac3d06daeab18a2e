//! What the clock of the kernel counts with, and how long a look at it takes.

use aiperf_clock::Mono;

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;

const SOURCE: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";
const LOOKS: u32 = 20_000;
/// A look at a clock that is read without the kernel takes some ten nanoseconds.
const SLOW_NS: f64 = 300.0;

pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let source = files.text(SOURCE)?;
    Some(judge(&source, look_ns()))
}

fn look_ns() -> f64 {
    let begin = Mono::now();
    let mut last = begin;
    for _ in 0..LOOKS {
        last = Mono::now();
    }
    last.since(begin).as_secs_f64() * 1e9 / f64::from(LOOKS)
}

fn judge(source: &str, look_ns: f64) -> Finding {
    let seen = format!("{source}, {look_ns:.0} ns for each look");
    if matches!(source, "hpet" | "acpi_pm" | "jiffies" | "pit") || look_ns > SLOW_NS {
        let meaning = "Each look at this clock is slow, and every request takes several. CPU use is higher, and times at a high rate are \
                       coarser. If the machine has a better one, choose it: the kernel option clocksource=tsc";
        return Finding::note(Check::ClockSource, seen, meaning);
    }
    Finding::ok(Check::ClockSource, seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn slow_clocks_are_noted() {
        assert_eq!(judge("tsc", 25.0).rank, Rank::Ok);
        assert_eq!(judge("tsc", 900.0).rank, Rank::Note);
        assert_eq!(judge("hpet", 100.0).rank, Rank::Note);
    }
}
