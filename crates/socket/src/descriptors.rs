//! Every connection takes a descriptor: the usual limit of 1,024 is soon reached, and the kernel's table of them starts
//! small.

use std::io;

#[cfg(unix)]
use rustix::io::{Errno, fcntl_dupfd_cloexec};
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the descriptor limit of the process as far as the system allows. Returns the new limit; `None` means unlimited.
#[cfg(unix)]
pub fn raise_descriptor_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // A system that refuses leaves the old limit; connections beyond it fail with a clear error.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
    getrlimit(Resource::Nofile).current
}

/// Makes the kernel's descriptor table large enough for `wanted`, or for as many as the limit allows. A table that grows
/// while several threads share it makes the one that asks for a descriptor wait for all the others (10 to 20 ms each time
/// it doubles); before there are threads it costs nothing.
#[cfg(unix)]
pub fn grow_descriptor_table(wanted: u64) {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let highest = wanted.min(limit).saturating_sub(1);
    let Ok(highest) = i32::try_from(highest) else { return };
    // The table stays as large as it once was. Where this fails, connections only open more slowly.
    drop(fcntl_dupfd_cloexec(io::stderr(), highest));
}

/// Whether a call failed because the process or the system has no descriptor left.
#[cfg(unix)]
pub fn lacks_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// Whether a call failed because the system has no socket left.
#[cfg(not(unix))]
pub fn lacks_descriptors(error: &io::Error) -> bool {
    const WSAEMFILE: i32 = 10_024;
    error.raw_os_error() == Some(WSAEMFILE)
}

/// `None`: Windows has no limit of sockets.
#[cfg(not(unix))]
pub const fn raise_descriptor_limit() -> Option<u64> {
    None
}

/// Does nothing: Windows has no such table.
#[cfg(not(unix))]
pub const fn grow_descriptor_table(_wanted: u64) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_limit_never_gets_lower() {
        let before = getrlimit(Resource::Nofile).current;
        let after = raise_descriptor_limit();
        assert!(after.is_none() || before.is_some_and(|before| after.is_some_and(|after| after >= before)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_table_grows_and_no_descriptor_is_left_behind() {
        let table = || -> u64 {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let size = status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap();
            size.trim().parse().unwrap()
        };
        let wanted = 900.min(raise_descriptor_limit().unwrap_or(u64::MAX));
        grow_descriptor_table(wanted);
        assert!(table() >= wanted, "{} < {wanted}", table());
        assert!(!std::path::Path::new(&format!("/proc/self/fd/{}", wanted - 1)).exists());
    }
}
