//! Byte-pair encoding: splits text by the patterns of the model families and merges the pieces to tokens. The tables are laid
//! out so that they can be stored in a file and used as they were read.
#![forbid(unsafe_code)]

mod alphabet;
mod char_class;
mod hash;
mod marked_words;
mod merge;
mod pair_table;
mod regex_split;
mod split;
mod table_file;
mod token_table;
mod vocabulary;
mod vocabulary_builder;
mod word_pattern;

pub use alphabet::{byte_of_char, bytes_of_token};
pub use hash::{checksum, hash};
pub use marked_words::{Lead, MARK, MarkedWords};
pub use regex_split::RegexSplit;
pub use split::{Splitter, Stage};
pub use table_file::{DamagedTables, TableReader, TableWriter};
pub use vocabulary::Vocabulary;
pub use vocabulary_builder::{BuildError, VocabularyBuilder};
pub use word_pattern::{Pieces, WordPattern};
