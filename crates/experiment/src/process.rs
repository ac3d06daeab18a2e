//! What the system says of this process: the processor time of its threads, and its descriptors. Linux only; elsewhere
//! nothing is known.

use std::collections::HashMap;
use std::fs;

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::{DescriptorUse, ThreadLoad, ThreadRole};
use rustix::io::Errno;

/// Follows the threads that keep time.
#[derive(Debug, Default)]
pub(crate) struct ThreadClock {
    last: HashMap<u32, (Mono, Nanos)>,
}

impl ThreadClock {
    /// Of the conductor and the workers, the one that ran most since the last call.
    pub(crate) fn busiest(&mut self, now: Mono) -> Option<ThreadLoad> {
        let process = std::process::id();
        let mut busiest: Option<ThreadLoad> = None;
        for entry in fs::read_dir("/proc/self/task").ok()?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let role = if id == process {
                ThreadRole::Conductor
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

pub(crate) fn open_descriptors() -> Option<DescriptorUse> {
    let limit = aiperf_socket::raise_descriptor_limit()?;
    let open = match fs::read_dir("/proc/self/fd") {
        Ok(entries) => entries.count() as u64,
        // None is left to count them with.
        Err(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => limit,
        Err(_) => return None,
    };
    Some(DescriptorUse { open, limit })
}
