//! The clocks of the system. Everything else in the workspace reads time through the types of this crate.

#[cfg(unix)]
pub(crate) use self::posix::{monotonic_nanos, process_cpu_nanos, wall_nanos};
#[cfg(not(unix))]
pub(crate) use self::standard::{monotonic_nanos, process_cpu_nanos, wall_nanos};

#[cfg(unix)]
mod posix {
    use rustix::time::{ClockId, clock_gettime};

    fn read(clock: ClockId) -> u64 {
        let time = clock_gettime(clock);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    pub(crate) fn monotonic_nanos() -> u64 {
        read(ClockId::Monotonic)
    }

    pub(crate) fn wall_nanos() -> u64 {
        read(ClockId::Realtime)
    }

    /// Processor time of all threads of this process together.
    pub(crate) fn process_cpu_nanos() -> u64 {
        read(ClockId::ProcessCPUTime)
    }
}

/// What the standard library offers on every system.
#[cfg(not(unix))]
mod standard {
    use std::sync::LazyLock;
    use std::time::{Instant, SystemTime, UNIX_EPOCH};

    pub(crate) fn wall_nanos() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
    }

    /// Counts from the wall time of the first call, so that processes of one machine agree to the millisecond.
    pub(crate) fn monotonic_nanos() -> u64 {
        static START: LazyLock<(Instant, u64)> = LazyLock::new(|| (Instant::now(), wall_nanos()));
        START.1 + START.0.elapsed().as_nanos() as u64
    }

    /// The standard library does not tell.
    pub(crate) const fn process_cpu_nanos() -> u64 {
        0
    }
}
