//! Every connection takes a descriptor, and the usual limit of 1,024 is soon reached.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the process's descriptor limit as far as the system allows, and says where it stands.
pub fn raise_descriptor_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // A system that refuses leaves the old limit; connections beyond it fail with a clear error.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
    getrlimit(Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_never_gets_lower() {
        let before = getrlimit(Resource::Nofile).current;
        let after = raise_descriptor_limit();
        assert!(after.is_none() || before.is_some_and(|before| after.is_some_and(|after| after >= before)));
    }
}
