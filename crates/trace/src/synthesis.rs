//! A trace changed as asked, and in nothing else: times, lengths of shared and own parts, outputs, number of trees.
//!
//! What requests share is read from the prefix tree: the leading blocks that another request has too, behind the same
//! blocks. A shared block becomes as many blocks as the factor says for its depth, the same ones in every request, so that
//! what was shared stays shared.

mod effect;
mod stretch;

use aiperf_config::TraceSynthesis;
use aiperf_seed::Seed;

use crate::analysis::session_members;
use crate::prefix::PrefixTree;
use crate::{Prompt, Request, Trace};
use stretch::{BlockNames, Stretch};

pub use effect::{Effectless, effectless};

/// Changes the trace. The seed says which session goes to which copy of the tree. A trace may be left without requests when
/// all of them are longer than the longest that is wanted.
pub fn synthesize(asked: &TraceSynthesis, trace: &mut Trace, seed: Seed) {
    let change = Change(asked);
    if let Some(longest) = asked.max_isl {
        trace.requests.retain(|request| request.input_tokens().is_none_or(|tokens| tokens <= longest));
    }
    if change.changes_prompts() {
        change.change_prompts(trace, seed);
    }
    for request in &mut trace.requests {
        change.change_times_and_output(request);
    }
}

struct Change<'a>(&'a TraceSynthesis);

impl Change<'_> {
    #[allow(clippy::float_cmp, reason = "a factor that was not given is exactly one")]
    fn changes_prompts(&self) -> bool {
        self.0.prefix_len != 1.0 || self.0.prompt_len != 1.0 || self.0.prefix_roots > 1
    }

    #[allow(clippy::float_cmp, reason = "a factor that was not given is exactly one")]
    fn change_times_and_output(&self, request: &mut Request) {
        if self.0.speedup != 1.0 {
            request.timestamp_ms = request.timestamp_ms.map(|time| time / self.0.speedup);
            request.delay_ms = request.delay_ms.map(|delay| delay / self.0.speedup);
        }
        if self.0.output_len != 1.0 {
            let scaled = |tokens: u64| ((tokens as f64 * self.0.output_len).round_ties_even() as u64).max(1);
            request.output_tokens = request.output_tokens.map(scaled);
        }
        if let Some(most) = self.0.max_osl {
            request.output_tokens = request.output_tokens.map(|tokens| tokens.min(most));
        }
    }

    fn change_prompts(&self, trace: &mut Trace, seed: Seed) {
        let tree = PrefixTree::of(trace);
        let copies = self.copies(trace, &tree, seed);
        let mut names = BlockNames::of(trace);
        for (index, (request, copy)) in trace.requests.iter_mut().zip(copies).enumerate() {
            let path = tree.path(index);
            let shared = path.iter().take_while(|node| tree.count[**node as usize] >= 2).count();
            let Prompt::Length { tokens, blocks } = &mut request.prompt else { continue };
            let stretch = Stretch {
                block_size: u64::from(trace.block_size),
                prefix: self.0.prefix_len,
                own: self.0.prompt_len,
                longest: self.0.max_isl,
            };
            (*tokens, *blocks) = stretch.apply(*tokens, blocks, shared, &mut names);
            if copy > 0 {
                for block in blocks {
                    *block = names.in_copy(*block, copy);
                }
            }
        }
    }

    /// The copy of the tree that each request goes to. A session stays together: what its turns share is its own.
    fn copies(&self, trace: &Trace, tree: &PrefixTree, seed: Seed) -> Vec<u32> {
        let members = session_members(trace, tree);
        let mut stream = seed.stream("dataset.synthesis.synthesizer");
        let sessions = members.iter().copied().max().map_or(0, |last| last + 1);
        let drawn: Vec<u32> =
            (0..sessions).map(|_| stream.below(u64::from(self.0.prefix_roots.max(1))) as u32).collect();
        members.into_iter().map(|session| drawn[session]).collect()
    }
}

#[cfg(test)]
mod tests;
