//! A seed, and the streams derived from it.

use rand::rand_core::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The root of all randomness of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    value: u64,
    given: bool,
}

impl Seed {
    /// A seed that the user chose: the run can be repeated.
    pub const fn fixed(value: u64) -> Self {
        Self { value, given: true }
    }

    /// A seed from the operating system, for a run without a given seed.
    pub fn from_entropy() -> Self {
        let value = rand::rngs::SysRng.try_next_u64().unwrap_or_else(|_| u64::from(std::process::id()));
        Self { value, given: false }
    }

    /// The number, if the user chose it.
    pub const fn given(self) -> Option<u64> {
        if self.given { Some(self.value) } else { None }
    }

    /// The number with which a run can be repeated.
    pub const fn value(self) -> u64 {
        self.value
    }

    /// The stream of this name. The same seed and name always give the same draws.
    pub fn stream(self, name: &str) -> Stream {
        let digest = Sha256::digest(format!("{}:{name}", self.value));
        Stream { rng: ChaCha8Rng::from_seed(digest.into()) }
    }
}

/// One consumer's random numbers. `ChaCha8`: fast, and the same on every platform and in every release.
#[derive(Debug, Clone)]
pub struct Stream {
    pub(crate) rng: ChaCha8Rng,
}

impl Stream {
    /// A stream that no seed repeats, for ids that no other run may have.
    pub fn from_entropy() -> Self {
        let rng = ChaCha8Rng::try_from_rng(&mut rand::rngs::SysRng);
        rng.map_or_else(|_| Seed::from_entropy().stream("entropy"), |rng| Self { rng })
    }

    pub fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// A UUID of version 4: the first draw gives its upper half, the second its lower half.
    pub fn uuid(&mut self) -> Uuid {
        let (high, low) = (self.next_u64(), self.next_u64());
        uuid::Builder::from_random_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn first(seed: u64, name: &str) -> u64 {
        Seed::fixed(seed).stream(name).next_u64()
    }

    #[test]
    fn a_stream_depends_on_seed_and_name_only() {
        assert_eq!(first(42, "dataset.prompt.length"), first(42, "dataset.prompt.length"));
        assert_ne!(first(42, "dataset.prompt.length"), first(42, "dataset.prompt.corpus"));
        assert_ne!(first(42, "dataset.prompt.length"), first(43, "dataset.prompt.length"));
    }

    #[test]
    fn draws_are_pinned_so_that_a_new_release_repeats_an_old_run() {
        assert_eq!(first(42, "timing.request.poisson_interval"), 14_159_515_522_018_000_396);
        let uuid = Seed::fixed(42).stream("dataset.session.id").uuid();
        assert_eq!(uuid.to_string(), "54a0a29d-ccfb-49cb-af3f-dc486b9a5884");
    }

    #[test]
    fn entropy_streams_give_random_uuids_and_no_two_give_the_same() {
        let uuids: HashSet<Uuid> = (0..4)
            .flat_map(|_| {
                let mut stream = Stream::from_entropy();
                (0..1_000).map(move |_| stream.uuid())
            })
            .collect();
        assert_eq!(uuids.len(), 4_000);
        assert!(uuids.iter().all(|uuid| uuid.get_version_num() == 4));
    }
}
