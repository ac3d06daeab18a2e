//! Generated text with an exact number of tokens: prose, program code, passages of a file, and tokens in the order of the
//! vocabulary.

mod boundary;
mod code;
mod exact;
mod passage;
mod plan;
mod prose;
mod random_token;
mod vocabulary;
mod writer;

pub(crate) use exact::ExactText;
pub(crate) use plan::{Prefix, TextPlan};
pub(crate) use vocabulary::words;
pub(crate) use writer::{TextStart, TextWriter};
