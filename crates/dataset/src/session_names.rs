//! Session ids for conversations without one: numbered if the run is seeded, random UUIDs otherwise.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::SessionId;
use aiperf_seed::{Seed, Stream};

#[derive(Debug)]
pub(crate) struct SessionNames {
    /// Names that occur in the data.
    taken: HashSet<SessionId>,
    /// `session_000000`, `session_000001`, ... instead of UUIDs of version 4.
    numbered: bool,
    given: usize,
    stream: Stream,
}

impl SessionNames {
    pub(crate) fn new(seed: Seed, taken: HashSet<SessionId>) -> Self {
        Self { taken, numbered: seed.given().is_some(), given: 0, stream: seed.stream("dataset.session.id") }
    }

    pub(crate) fn next(&mut self) -> SessionId {
        loop {
            let name =
                if self.numbered { format!("session_{:06}", self.given) } else { self.stream.uuid().to_string() };
            self.given += 1;
            let id = SessionId(Arc::from(name));
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seeded_run_numbers_its_sessions_and_steps_over_names_in_use() {
        let taken = HashSet::from([SessionId(Arc::from("session_000001"))]);
        let mut names = SessionNames::new(Seed::fixed(1), taken);
        assert_eq!(names.next().to_string(), "session_000000");
        assert_eq!(names.next().to_string(), "session_000002");
    }

    #[test]
    fn a_run_without_seed_has_random_uuids() {
        let mut names = SessionNames::new(Seed::from_entropy(), HashSet::new());
        let (one, two) = (names.next().to_string(), names.next().to_string());
        assert_ne!(one, two);
        assert_eq!(uuid::Uuid::parse_str(&one).unwrap().get_version_num(), 4);
    }
}
