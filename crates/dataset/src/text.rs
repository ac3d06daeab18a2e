//! Text that nobody wrote, cut to an exact number of tokens: generated prose and program text, passages of a file, and
//! tokens in the order of the vocabulary.

mod boundary;
mod code;
mod exact;
mod order;
mod passage;
mod prose;
mod random_token;
mod vocabulary;
mod writer;

pub(crate) use exact::ExactText;
pub(crate) use order::{Prefix, TextOrder};
pub(crate) use vocabulary::words;
pub(crate) use writer::{Start, Writer};
