//! How much processor time this process has used.

use rustix::time::{ClockId, clock_gettime};

use crate::Nanos;

/// Processor time of all threads of this process together, since it started.
pub fn process_cpu() -> Nanos {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Nanos(used.tv_sec as u64 * 1_000_000_000 + used.tv_nsec as u64)
}
