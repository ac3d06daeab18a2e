//! Which conversation comes next. One sampler serves warmup and profiling, so that profiling goes on where warmup ended.

use std::num::NonZeroUsize;

use aiperf_config::Sampling;
use aiperf_seed::{Seed, Stream};

/// Draws indices of conversations, without end.
#[derive(Debug, Clone)]
pub struct Sampler {
    conversations: NonZeroUsize,
    order: Order,
}

#[derive(Debug, Clone)]
enum Order {
    Sequential { next: usize },
    Random(Stream),
    Shuffle { stream: Stream, deck: Vec<usize>, next: usize },
}

impl Sampler {
    pub fn new(sampling: Sampling, conversations: NonZeroUsize, seed: Seed) -> Self {
        let order = match sampling {
            Sampling::Sequential => Order::Sequential { next: 0 },
            Sampling::Random => Order::Random(seed.stream("dataset.sampler.random")),
            Sampling::Shuffle => Order::Shuffle {
                stream: seed.stream("dataset.sampler.shuffle"),
                deck: (0..conversations.get()).collect(),
                next: conversations.get(),
            },
        };
        Self { conversations, order }
    }

    /// The index of the next conversation to start.
    pub fn draw(&mut self) -> usize {
        let count = self.conversations.get();
        match &mut self.order {
            Order::Sequential { next } => {
                let index = *next;
                *next = (index + 1) % count;
                index
            }
            Order::Random(stream) => stream.below(count as u64) as usize,
            Order::Shuffle { stream, deck, next } => {
                if *next == count {
                    stream.shuffle(deck);
                    *next = 0;
                }
                *next += 1;
                deck[*next - 1]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sampling: Sampling, seed: u64, conversations: usize, count: usize) -> Vec<usize> {
        let mut sampler = Sampler::new(sampling, NonZeroUsize::new(conversations).unwrap(), Seed::fixed(seed));
        (0..count).map(|_| sampler.draw()).collect()
    }

    #[test]
    fn sequential_goes_round_in_file_order() {
        assert_eq!(draws(Sampling::Sequential, 1, 3, 7), [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn random_draws_with_replacement_and_repeats_with_its_seed() {
        let some = draws(Sampling::Random, 1, 10, 10);
        assert_eq!(some, draws(Sampling::Random, 1, 10, 10));
        assert_ne!(some, draws(Sampling::Random, 2, 10, 10));
        let many = draws(Sampling::Random, 1, 10, 1_000);
        assert!((0..10).all(|index| (50..200).contains(&many.iter().filter(|d| **d == index).count())));
    }

    #[test]
    fn shuffle_deals_every_conversation_once_before_it_shuffles_again() {
        let dealt = draws(Sampling::Shuffle, 1, 20, 40);
        for half in dealt.chunks(20) {
            let mut sorted = half.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        }
        assert_ne!(dealt[..20], dealt[20..]);
        assert_eq!(dealt, draws(Sampling::Shuffle, 1, 20, 40));
    }
}
