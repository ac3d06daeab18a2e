//! Token counting. One trait, and the tokenizers behind it: the built-in o200k, a local folder or `tokenizer.json`, and
//! a Hugging Face id through the hub cache. Which of them a name means is decided in one place, [`load`].
#![forbid(unsafe_code)]

mod builtin;
mod chat;
mod count_cache;
mod error;
mod hub;
mod json;
mod load;
mod pieces;
mod tokenizer;

pub use aiperf_hub::HubEnvironment;
pub use chat::ChatTemplate;
pub use error::TokenizerError;
pub use load::{BUILTIN, TokenizerRequest, has_revisions, load};
pub use tokenizer::Tokenizer;
