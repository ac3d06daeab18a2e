//! Randomness of one request. Its draws hang on the seed, on what was asked and on how often that was asked before, never on
//! which thread served it or when: two runs that send the same requests meet the same server.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use aiperf_seed::{Seed, Stream};

use crate::generation::prefix_cache::content_hash;

/// Beyond this many different contents, repetitions of new ones are no longer distinguished.
const REMEMBERED: usize = 1 << 20;

/// Counts how often each content was asked.
#[derive(Debug, Default)]
pub(crate) struct Repetitions(Mutex<HashMap<u64, u32>>);

/// The root of one request's random streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draws {
    seed: Seed,
    content: u64,
    repetition: u32,
}

impl Repetitions {
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn draws(&self, seed: Seed, path: &str, body: &[u8]) -> Draws {
        let content = content_hash(&[path.as_bytes(), body]);
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = asked.len() < REMEMBERED;
        let repetition = if let Some(count) = asked.get_mut(&content) {
            *count += 1;
            *count
        } else {
            if room {
                asked.insert(content, 0);
            }
            0
        };
        Draws { seed, content, repetition }
    }
}

impl Draws {
    pub(crate) fn stream(&self, name: &str) -> Stream {
        let mut full = String::with_capacity(48);
        // Writing to a string cannot fail.
        let _ = write!(full, "sim.{:016x}.{}.{name}", self.content, self.repetition);
        self.seed.stream(&full)
    }

    /// A number that stands for this request: the key of its words and the end of its id.
    pub(crate) fn key(&self) -> u64 {
        content_hash(&[&self.content.to_le_bytes(), &self.repetition.to_le_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_content_and_repetition_but_not_order() {
        let seen = |order: &[&str]| {
            let repetitions = Repetitions::default();
            let mut draws: Vec<(String, u64)> = order
                .iter()
                .map(|body| {
                    let draws = repetitions.draws(Seed::fixed(1), "/v1", body.as_bytes());
                    ((*body).to_owned(), draws.stream("ttft").next_u64())
                })
                .collect();
            draws.sort();
            draws
        };
        let one = seen(&["a", "b", "a"]);
        assert_eq!(one, seen(&["b", "a", "a"]));
        assert_ne!(one[0], one[1], "the same question twice is not answered at the same speed");
    }
}
