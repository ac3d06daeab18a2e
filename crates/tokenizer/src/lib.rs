//! Token counting. One trait with three sources of tokenizers: the built-in o200k, a local folder or `tokenizer.json`, and a
//! Hugging Face id through the hub cache. [`load`] decides which one a name means.
#![forbid(unsafe_code)]

mod builtin;
mod chat;
mod count_cache;
mod error;
mod fast;
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
