//! Memory that a run can have.

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;
use crate::text::gibibytes;

const MAX: &str = "sys/fs/cgroup/memory.max";
const USED: &str = "sys/fs/cgroup/memory.current";
const LITTLE: u64 = 1 << 30;

pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let machine = available(&files.text("proc/meminfo")?)?;
    // A container may have less than its machine.
    let room = files.number(MAX).map(|most| most.saturating_sub(files.number(USED).unwrap_or(0)));
    let free = room.map_or(machine, |room| room.min(machine));
    let seen = format!("{} available", gibibytes(free));
    if free < LITTLE {
        let meaning = "A run keeps some hundred bytes for each request, and its data set. A run with a million requests, or with long \
                       prompts, may not fit.";
        return Some(Finding::note(Check::Memory, seen, meaning));
    }
    Some(Finding::ok(Check::Memory, seen))
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample::machine;
    use crate::finding::Rank;

    const MEMINFO: &str = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20971520 kB\n";

    #[test]
    fn the_memory_of_the_machine_counts_without_a_container() {
        let (_folder, files) = machine(&[("proc/meminfo", MEMINFO), (MAX, "max\n")]);
        assert_eq!(check(&files).unwrap(), Finding::ok(Check::Memory, "20.0 GiB available"));
    }

    #[test]
    fn a_container_may_have_less() {
        let (_folder, files) = machine(&[("proc/meminfo", MEMINFO), (MAX, "1073741824\n"), (USED, "536870912\n")]);
        let finding = check(&files).unwrap();
        assert_eq!((finding.rank, finding.seen.as_str()), (Rank::Note, "0.5 GiB available"));
    }
}
