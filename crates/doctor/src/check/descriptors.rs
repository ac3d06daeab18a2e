//! How many files and connections a process may have open.

use crate::finding::{Check, Finding};
use crate::text::count;

/// Below this even a small load fails.
const TOO_FEW: u64 = 256;
/// Enough for the connections that one client address can have to one server address.
const PLENTY: u64 = 65_536;

pub(crate) fn check() -> Finding {
    judge(greatest_limit())
}

#[cfg(unix)]
fn greatest_limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).maximum
}

/// Windows has no limit of sockets.
#[cfg(not(unix))]
const fn greatest_limit() -> Option<u64> {
    None
}

/// A run raises its own limit to the greatest that it may have.
fn judge(most: Option<u64>) -> Finding {
    let Some(most) = most else { return Finding::ok(Check::Descriptors, "no limit") };
    let seen = format!("at most {}", count(most));
    let raise = "Each connection takes one. For more: ulimit -Hn 1048576 as root, or LimitNOFILE= of the service, or --ulimit nofile= of \
                 the container.";
    if most < TOO_FEW {
        Finding::problem(Check::Descriptors, seen, raise)
    } else if most < PLENTY {
        Finding::note(Check::Descriptors, seen, raise)
    } else {
        Finding::ok(Check::Descriptors, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn the_greatest_limit_decides() {
        assert_eq!(judge(Some(100)).rank, Rank::Problem);
        assert_eq!(judge(Some(4_096)).rank, Rank::Note);
        assert_eq!(judge(Some(1_048_576)), Finding::ok(Check::Descriptors, "at most 1,048,576"));
        assert_eq!(judge(None).rank, Rank::Ok);
    }
}
