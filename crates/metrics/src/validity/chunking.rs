//! Whether streamed events carry one token each.

use super::ValidityNote;
use crate::MetricContext;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::record::formula::output_length;

/// Another tokenizer than the server's counts a text some 10 to 20 % longer or shorter, which does not tell anything about events.
pub const TOKENS_PER_CHUNK: f64 = 1.25;

/// Tokens and events of the replies that came in several events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Chunking {
    tokens: u64,
    chunks: u64,
}

impl Chunking {
    /// The server's own count if it gives one: it knows what it sent.
    pub(super) fn of(columns: &Columns, context: &MetricContext) -> Self {
        let mut seen = Self::default();
        if !(context.streaming && context.endpoint.facts().produces_tokens) {
            return seen;
        }
        for row in columns.rows().filter(Facts::succeeded) {
            let counted = || output_length(&row).map(|tokens| tokens as u64);
            let tokens = row.fact(Fact::UsageCompletion).or_else(counted);
            let gaps = row.fact(Fact::Gaps).filter(|gaps| *gaps > 0);
            if let (Some(tokens), Some(gaps)) = (tokens, gaps) {
                seen.tokens += tokens;
                seen.chunks += gaps + 1;
            }
        }
        seen
    }

    pub(super) fn several(&self) -> Option<ValidityNote> {
        let note = ValidityNote::ChunksWithSeveralTokens { tokens: self.tokens, chunks: self.chunks };
        (self.chunks > 0 && note.figure() > TOKENS_PER_CHUNK).then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_or_so_for_each_event_is_as_it_should_be() {
        assert_eq!(Chunking { tokens: 120, chunks: 100 }.several(), None);
        assert_eq!(Chunking::default().several(), None);
        let note = Chunking { tokens: 400, chunks: 100 }.several().unwrap();
        assert!((note.figure() - 4.0).abs() < 1e-12);
    }
}
