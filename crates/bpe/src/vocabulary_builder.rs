//! Builds a vocabulary from its tokens and merges.

use crate::alphabet::bytes_of_token;
use crate::marked_words::neighbour_bit;
use crate::pair_table::PairTable;
use crate::token_table::{EMPTY, TokenTable};
use crate::vocabulary::{Smallest, Vocabulary};

/// Ids above this are not those of a vocabulary: a table of them would take gigabytes.
const HIGHEST_ID: u32 = 1 << 22;
/// Bytes of the table of neighbouring characters: some hundred thousand pairs in eight million bits.
const NEIGHBOURS: usize = 1 << 20;

/// Why a vocabulary cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// Two tokens with this id or the same text.
    Twice(u32),
    IdTooHigh(u32),
    EmptyToken(u32),
    /// A merge of tokens that do not exist, or to one that does not.
    UnknownToken(String),
    /// The bytes that a text may need are not all in the vocabulary.
    MissingBytes,
    /// A merge of the token of a single byte.
    MergedByte(String),
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Twice(id) => write!(f, "token {id} is there twice"),
            Self::IdTooHigh(id) => write!(f, "the id {id} is too high"),
            Self::EmptyToken(id) => write!(f, "token {id} is empty"),
            Self::UnknownToken(token) => write!(f, "a merge needs the token {token:?}, which does not exist"),
            Self::MissingBytes => write!(f, "the vocabulary has no tokens for some bytes"),
            Self::MergedByte(token) => write!(f, "a merge has the token {token:?} of a single byte"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Collects tokens, then merges.
#[derive(Debug)]
pub struct VocabularyBuilder {
    smallest: Smallest,
    bytes: Vec<u8>,
    spans: Vec<(u32, u32)>,
    findable: Vec<u32>,
    tokens: Option<TokenTable>,
    merges: Vec<(u32, u32, u32)>,
    /// The bytes of the merge that is being added.
    pair: Vec<u8>,
}

impl VocabularyBuilder {
    /// A byte-level vocabulary: the characters of tokens stand for bytes.
    pub fn of_bytes() -> Self {
        Self::new(Smallest::Bytes)
    }

    /// A vocabulary of characters, with a token such as `<0x0A>` for each byte.
    pub fn of_characters() -> Self {
        Self::new(Smallest::Characters)
    }

    fn new(smallest: Smallest) -> Self {
        Self {
            smallest,
            bytes: Vec::new(),
            spans: Vec::new(),
            findable: Vec::new(),
            tokens: None,
            merges: Vec::new(),
            pair: Vec::new(),
        }
    }

    pub fn add_token(&mut self, token: &str, id: u32) -> Result<(), BuildError> {
        if id > HIGHEST_ID {
            return Err(BuildError::IdTooHigh(id));
        }
        let start = self.bytes.len() as u32;
        let is_findable = self.append(token);
        if start == self.bytes.len() as u32 {
            return Err(BuildError::EmptyToken(id));
        }
        let at = id as usize;
        if self.spans.len() <= at {
            self.spans.resize(at + 1, (0, 0));
        }
        if self.spans[at] != (0, 0) {
            return Err(BuildError::Twice(id));
        }
        self.spans[at] = (start, self.bytes.len() as u32);
        if is_findable {
            self.findable.push(id);
        }
        Ok(())
    }

    /// Appends the bytes of a token. Those of a special token in a byte-level vocabulary are its own text, and no text is
    /// encoded as it by merges.
    fn append(&mut self, token: &str) -> bool {
        if self.smallest == Smallest::Bytes {
            if bytes_of_token(token, &mut self.bytes) {
                return true;
            }
            self.bytes.extend(token.as_bytes());
            return false;
        }
        self.bytes.extend(token.as_bytes());
        true
    }

    /// Adds the next merge. All tokens must have been added.
    pub fn add_merge(&mut self, left: &str, right: &str) -> Result<(), BuildError> {
        let tokens = if let Some(tokens) = &self.tokens {
            tokens
        } else {
            let table = TokenTable::new(std::mem::take(&mut self.bytes), &self.spans, &self.findable);
            self.tokens.insert(table.map_err(BuildError::Twice)?)
        };
        self.pair.clear();
        let add = |token: &str, bytes: &mut Vec<u8>| match self.smallest {
            Smallest::Bytes => bytes_of_token(token, bytes),
            Smallest::Characters => {
                bytes.extend(token.as_bytes());
                true
            }
        };
        let unknown = |token: &str| BuildError::UnknownToken(token.to_owned());
        if !add(left, &mut self.pair) {
            return Err(unknown(left));
        }
        let middle = self.pair.len();
        if !add(right, &mut self.pair) {
            return Err(unknown(right));
        }
        let left_id = tokens.id_of(&self.pair[..middle]).ok_or_else(|| unknown(left))?;
        let right_id = tokens.id_of(&self.pair[middle..]).ok_or_else(|| unknown(right))?;
        let joined = tokens.id_of(&self.pair).ok_or_else(|| unknown(&format!("{left}{right}")))?;
        if self.smallest == Smallest::Characters
            && let Some(token) = [left, right].into_iter().find(|t| is_byte(t))
        {
            return Err(BuildError::MergedByte(token.to_owned()));
        }
        self.merges.push((left_id, right_id, joined));
        Ok(())
    }

    /// `whole_first`: whether a piece that is a token is encoded as that token, whatever the merges say.
    pub fn build(mut self, whole_first: bool) -> Result<Vocabulary, BuildError> {
        let tokens = match self.tokens.take() {
            Some(tokens) => tokens,
            None => TokenTable::new(self.bytes, &self.spans, &self.findable).map_err(BuildError::Twice)?,
        };
        let single = |bytes: &[u8]| tokens.id_of(bytes).unwrap_or(EMPTY);
        let of_byte: [u32; 256] = match self.smallest {
            Smallest::Bytes => std::array::from_fn(|byte| single(&[byte as u8])),
            Smallest::Characters => std::array::from_fn(|byte| single(format!("<0x{byte:02X}>").as_bytes())),
        };
        let of_ascii: [u32; 128] = std::array::from_fn(|byte| single(&[byte as u8]));
        // Bytes that occur in no UTF-8 text may be missing, and those of characters with a token of their own.
        let is_needed = |byte: usize| match of_ascii.get(byte) {
            Some(own) => *own == EMPTY,
            None => matches!(byte, 0x80..=0xBF | 0xC2..=0xF4),
        };
        if self.smallest == Smallest::Characters && (0..256).any(|byte| of_byte[byte] == EMPTY && is_needed(byte)) {
            return Err(BuildError::MissingBytes);
        }
        let neighbours = match self.smallest {
            Smallest::Bytes => Box::default(),
            Smallest::Characters => neighbours(&tokens, &self.merges),
        };
        Ok(Vocabulary {
            pairs: PairTable::new(&self.merges),
            tokens,
            smallest: self.smallest,
            whole_first,
            of_byte: Box::new(of_byte),
            of_ascii: Box::new(of_ascii),
            neighbours,
        })
    }
}

/// Whether this is the token of a byte.
fn is_byte(token: &str) -> bool {
    token.len() == 6 && token.starts_with("<0x") && token.ends_with('>')
}

/// A bit for each two characters that are next to each other in a merged token.
fn neighbours(tokens: &TokenTable, merges: &[(u32, u32, u32)]) -> Box<[u8]> {
    let mut bits = vec![0; NEIGHBOURS].into_boxed_slice();
    // Only the seam of each merge: the pairs within its parts come from their own merges.
    for (left, right, _) in merges {
        let text = |id: u32| tokens.bytes_of(id).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        if let (Some(before), Some(after)) = (text(*left).chars().next_back(), text(*right).chars().next()) {
            let bit = neighbour_bit(before, after, NEIGHBOURS);
            bits[bit / 8] |= 1 << (bit % 8);
        }
    }
    bits
}
