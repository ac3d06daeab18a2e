//! Ids that no other request or session has, in this run or any other: random, whatever seed the run was given. Made
//! without asking the system each time.

use aiperf_seed::Stream;
use uuid::{Builder, Uuid};

#[derive(Debug)]
pub(crate) struct Ids(Stream);

impl Ids {
    pub(crate) fn new() -> Self {
        Self(Stream::from_entropy())
    }

    pub(crate) fn make(&mut self) -> Uuid {
        let (high, low) = (self.0.next_u64(), self.0.next_u64());
        Builder::from_random_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_random_uuids_and_no_two_makers_give_the_same() {
        let made: HashSet<Uuid> = (0..4)
            .flat_map(|_| {
                let mut ids = Ids::new();
                (0..1_000).map(move |_| ids.make())
            })
            .collect();
        assert_eq!(made.len(), 4_000);
        assert!(made.iter().all(|id| id.get_version_num() == 4));
    }
}
