//! A limit on CPU time that a container has: at the limit the whole process stands still for up to a tenth of a second.

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;

/// Of control groups, version 2 and 1.
const MAX: &str = "sys/fs/cgroup/cpu.max";
const OLD_QUOTA: &str = "sys/fs/cgroup/cpu/cpu.cfs_quota_us";
const OLD_PERIOD: &str = "sys/fs/cgroup/cpu/cpu.cfs_period_us";

/// Nothing to say where there is no limit.
pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let (quota, period) = limit(files)?;
    let seen = format!("{:.1} cores, counted over {:.0} ms", quota / period, period / 1000.0);
    let meaning = "The container may use no more CPU time. A client that reaches the limit stands still until the next period, and \
                   every stream with it. Give it more than it needs: the summary of a run says what it used.";
    Some(Finding::note(Check::CpuLimit, seen, meaning))
}

fn limit(files: &MachineFiles) -> Option<(f64, f64)> {
    if let Some(text) = files.text(MAX) {
        let (quota, period) = text.split_once(' ')?;
        return Some((quota.parse().ok()?, period.parse().ok()?));
    }
    // Without a limit, the quota is -1.
    let quota: f64 = files.text(OLD_QUOTA)?.parse().ok().filter(|quota| *quota > 0.0)?;
    Some((quota, files.text(OLD_PERIOD)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample::machine;

    #[test]
    fn a_limit_is_said_in_cores() {
        let (_folder, files) = machine(&[(MAX, "150000 100000\n")]);
        assert_eq!(check(&files).unwrap().seen, "1.5 cores, counted over 100 ms");
        let (_folder, files) = machine(&[(OLD_QUOTA, "200000\n"), (OLD_PERIOD, "100000\n")]);
        assert_eq!(check(&files).unwrap().seen, "2.0 cores, counted over 100 ms");
    }

    #[test]
    fn no_limit_is_not_worth_a_line() {
        let (_folder, files) = machine(&[(MAX, "max 100000\n")]);
        assert_eq!(check(&files), None);
        let (_folder, files) = machine(&[(OLD_QUOTA, "-1\n"), (OLD_PERIOD, "100000\n")]);
        assert_eq!(check(&files), None);
        let (_folder, files) = machine(&[]);
        assert_eq!(check(&files), None);
    }
}
