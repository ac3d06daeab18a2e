//! Text that nobody wrote: generated prose, cut to an exact number of tokens.

mod exact;
mod order;
mod prose;
mod vocabulary;

pub(crate) use exact::{ExactText, Writer};
pub(crate) use order::TextOrder;
pub(crate) use vocabulary::words;
