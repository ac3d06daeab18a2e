//! Changes a trace: times, lengths of shared and unshared parts, output lengths, and number of prefix trees.
//!
//! Requests share the leading blocks that other requests also have after the same blocks, as the prefix tree shows. A shared
//! block becomes as many blocks as the factor requires at its depth, and the same ones in every request, so that shared
//! prefixes stay shared.

mod effect;
mod stretch;

use aiperf_config::TraceSynthesis;
use aiperf_seed::Seed;

use crate::analysis::session_members;
use crate::prefix_tree::PrefixTree;
use crate::{Trace, TracePrompt, TraceRequest};
use stretch::{BlockNames, Stretch};

pub use effect::{Effectless, effectless};

/// Changes the trace. The seed determines which session goes to which copy of the tree. No request remains if all of them
/// exceed the maximum length.
pub fn synthesize(asked: &TraceSynthesis, trace: &mut Trace, seed: Seed) {
    let change = SynthesisChange(asked);
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

struct SynthesisChange<'a>(&'a TraceSynthesis);

impl SynthesisChange<'_> {
    #[allow(clippy::float_cmp, reason = "a factor that was not given is exactly one")]
    fn changes_prompts(&self) -> bool {
        self.0.prefix_len != 1.0 || self.0.prompt_len != 1.0 || self.0.prefix_roots > 1
    }

    #[allow(clippy::float_cmp, reason = "a factor that was not given is exactly one")]
    fn change_times_and_output(&self, request: &mut TraceRequest) {
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
            let TracePrompt::Length { tokens, blocks } = &mut request.prompt else { continue };
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

    /// The copy of the tree for each request. All requests of a session go to the same copy.
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
