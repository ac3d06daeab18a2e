//! What the system says of this process and its machine: the processor time of threads and of all processors, and
//! descriptors. Linux only; elsewhere nothing is known.

use std::collections::HashMap;
use std::fs;

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::{DescriptorUse, MachineTime, ThreadLoad, ThreadRole};
use aiperf_socket::{lacks_descriptors, raise_descriptor_limit};

/// Follows the threads that keep time.
#[derive(Debug, Default)]
pub(crate) struct ThreadClock {
    last: HashMap<u32, (Mono, Nanos)>,
}

impl ThreadClock {
    /// The thread that used most processor time since the last call, among the scheduler and the workers.
    pub(crate) fn busiest(&mut self, now: Mono) -> Option<ThreadLoad> {
        let process = std::process::id();
        let mut busiest: Option<ThreadLoad> = None;
        for entry in fs::read_dir("/proc/self/task").ok()?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let role = if id == process {
                ThreadRole::Scheduler
            } else if name.starts_with("worker-") {
                ThreadRole::Worker
            } else {
                continue;
            };
            let Some(used) = on_processor(&entry.path().join("schedstat")) else { continue };
            if let Some((then, before)) = self.last.insert(id, (now, used)) {
                let wall = now.since(then).as_secs_f64();
                let share = Nanos(used.0.saturating_sub(before.0)).as_secs_f64() / wall.max(1e-9);
                if busiest.is_none_or(|most| share > most.share) {
                    busiest = Some(ThreadLoad { role, share });
                }
            }
        }
        busiest
    }
}

/// The first field of `schedstat`: nanoseconds on a processor.
fn on_processor(path: &std::path::Path) -> Option<Nanos> {
    fs::read_to_string(path).ok()?.split_whitespace().next()?.parse().ok().map(Nanos)
}

/// Follows the time of all processors.
#[derive(Debug, Default)]
pub(crate) struct MachineClock {
    last: Option<MachineTime>,
}

impl MachineClock {
    /// Since the last call.
    pub(crate) fn passed(&mut self) -> Option<MachineTime> {
        let now = machine_time(&fs::read_to_string("/proc/stat").ok()?, ticks_per_second())?;
        let before = self.last.replace(now)?;
        let since = |now: Nanos, before: Nanos| Nanos(now.0.saturating_sub(before.0));
        Some(MachineTime { busy: since(now.busy, before.busy), stolen: since(now.stolen, before.stolen) })
    }
}

#[cfg(unix)]
fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

/// Without `/proc` nobody asks.
#[cfg(not(unix))]
const fn ticks_per_second() -> u64 {
    1
}

/// The first line: ticks in user mode, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen.
fn machine_time(stat: &str, ticks_per_second: u64) -> Option<MachineTime> {
    let ticks: Vec<u64> = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().flat_map(str::parse).collect();
    let [user, nice, system, _idle, _disks, interrupts, soft, stolen, ..] = ticks[..] else { return None };
    let time = |ticks: u64| Nanos(ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1)));
    Some(MachineTime { busy: time(user + nice + system + interrupts + soft), stolen: time(stolen) })
}

pub(crate) fn open_descriptors() -> Option<DescriptorUse> {
    let limit = raise_descriptor_limit()?;
    let open = match fs::read_dir("/proc/self/fd") {
        Ok(entries) => entries.count() as u64,
        // None is left to count them with.
        Err(error) if lacks_descriptors(&error) => limit,
        Err(_) => return None,
    };
    Some(DescriptorUse { open, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_stat_tells_busy_and_stolen_time() {
        let stat = "cpu  100 20 30 5000 7 1 2 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
        let busy = Nanos(1_530_000_000);
        assert_eq!(machine_time(stat, 100), Some(MachineTime { busy, stolen: Nanos(90_000_000) }));
        assert_eq!(machine_time("cpu  1 2 3\n", 100), None);
        assert_eq!(machine_time("", 100), None);
    }
}
