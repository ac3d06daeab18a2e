//! Many texts at once. What each text is drawn from is fixed in the order, so that threads share the work without
//! touching the result.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::exact::{ExactText, Writer};

/// Less than this is done sooner than threads are started.
const TOKENS_WORTH_A_THREAD: usize = 50_000;

/// One text to write.
#[derive(Debug, Clone)]
pub(crate) struct TextOrder {
    /// What the text starts with, and its tokens.
    pub(crate) prefix: Option<(Arc<str>, usize)>,
    /// Tokens behind the prefix.
    pub(crate) tokens: usize,
    pub(crate) seed: u64,
}

impl TextOrder {
    fn fulfil(&self, writer: &Writer<'_>) -> ExactText {
        let (prefix, length) = self.prefix.as_ref().map_or(("", 0), |(text, tokens)| (text, *tokens));
        writer.write(prefix, length + self.tokens, self.seed)
    }
}

/// The texts, in the order of their orders.
pub(crate) fn fulfil(writer: &Writer<'_>, orders: &[TextOrder]) -> Vec<ExactText> {
    let tokens: usize = orders.iter().map(|order| order.tokens).sum();
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    fulfil_on(cores.min(tokens / TOKENS_WORTH_A_THREAD + 1), writer, orders)
}

fn fulfil_on(threads: usize, writer: &Writer<'_>, orders: &[TextOrder]) -> Vec<ExactText> {
    let write = |orders: &[TextOrder]| -> Vec<ExactText> { orders.iter().map(|order| order.fulfil(writer)).collect() };
    if threads <= 1 {
        return write(orders);
    }
    let share = orders.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> = orders.chunks(share).map(|part| scope.spawn(move || write(part))).collect();
        running
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

    use super::*;

    #[test]
    fn the_number_of_threads_does_not_change_the_texts() {
        let nowhere = HubEnvironment::from_variables(|_| None);
        let builtin = aiperf_tokenizer::load(&TokenizerRequest::named("builtin"), &nowhere).unwrap();
        let writer = Writer::new(&*builtin);
        let orders: Vec<TextOrder> =
            (0..23).map(|seed| TextOrder { prefix: None, tokens: 20 + seed as usize, seed }).collect();
        let alone = fulfil_on(1, &writer, &orders);
        for threads in [2, 5, 40] {
            assert_eq!(fulfil_on(threads, &writer, &orders), alone);
        }
        assert!(fulfil_on(4, &writer, &[]).is_empty());
    }
}
