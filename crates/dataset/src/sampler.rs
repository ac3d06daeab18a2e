//! Draws the conversation to send next. Warmup and profiling share one sampler, so that profiling continues where warmup
//! ended.

use aiperf_config::Sampling;
use aiperf_conversation::ConversationIndex;
use aiperf_seed::{Seed, Stream};

/// Draws roots without end. A root is a conversation that no other conversation starts.
#[derive(Debug, Clone)]
pub struct Sampler {
    /// The conversations to draw from; at least one.
    roots: Vec<ConversationIndex>,
    order: DrawOrder,
}

#[derive(Debug, Clone)]
enum DrawOrder {
    Sequential { next: usize },
    Random(Stream),
    Shuffle { stream: Stream, deck: Vec<usize>, next: usize },
}

impl Sampler {
    pub(crate) fn new(sampling: Sampling, roots: Vec<ConversationIndex>, seed: Seed) -> Self {
        let order = match sampling {
            Sampling::Sequential => DrawOrder::Sequential { next: 0 },
            Sampling::Random => DrawOrder::Random(seed.stream("dataset.sampler.random")),
            Sampling::Shuffle => DrawOrder::Shuffle {
                stream: seed.stream("dataset.sampler.shuffle"),
                deck: (0..roots.len()).collect(),
                next: roots.len(),
            },
        };
        Self { roots, order }
    }

    /// The next conversation to start.
    pub fn draw(&mut self) -> ConversationIndex {
        let count = self.roots.len();
        let place = match &mut self.order {
            DrawOrder::Sequential { next } => {
                let index = *next;
                *next = (index + 1) % count;
                index
            }
            DrawOrder::Random(stream) => stream.below(count as u64) as usize,
            DrawOrder::Shuffle { stream, deck, next } => {
                if *next == count {
                    stream.shuffle(deck);
                    *next = 0;
                }
                *next += 1;
                deck[*next - 1]
            }
        };
        self.roots[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sampling: Sampling, seed: u64, conversations: usize, count: usize) -> Vec<usize> {
        let roots = (0..conversations).map(ConversationIndex).collect();
        let mut sampler = Sampler::new(sampling, roots, Seed::fixed(seed));
        (0..count).map(|_| sampler.draw().0).collect()
    }

    #[test]
    fn sequential_goes_round_in_file_order() {
        assert_eq!(draws(Sampling::Sequential, 1, 3, 7), [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn only_roots_are_drawn() {
        let roots = vec![ConversationIndex(1), ConversationIndex(4)];
        for sampling in [Sampling::Sequential, Sampling::Random, Sampling::Shuffle] {
            let mut sampler = Sampler::new(sampling, roots.clone(), Seed::fixed(3));
            let drawn: Vec<ConversationIndex> = (0..20).map(|_| sampler.draw()).collect();
            assert!(drawn.iter().all(|index| roots.contains(index)), "{drawn:?}");
            assert!(roots.iter().all(|root| drawn.contains(root)), "{drawn:?}");
        }
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
