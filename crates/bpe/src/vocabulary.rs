//! A vocabulary with its merges: encodes pieces of text.

use std::cell::RefCell;

use crate::merge::Merger;
use crate::pair_table::PairTable;
use crate::table_file::{DamagedTables, TableReader, TableWriter};
use crate::token_table::{EMPTY, TokenTable};

thread_local! {
    static MERGER: RefCell<Merger> = RefCell::new(Merger::default());
}

/// How a piece is cut into the smallest tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Smallest {
    /// Bytes. A byte without a token is left out.
    Bytes,
    /// Characters; the bytes of a character without a token of its own.
    Characters,
}

/// The tokens of a vocabulary, and how they are merged.
#[derive(Debug)]
pub struct Vocabulary {
    pub(crate) tokens: TokenTable,
    pub(crate) pairs: PairTable,
    pub(crate) smallest: Smallest,
    /// Whether a piece that is a token is encoded as that token, whatever the merges say.
    pub(crate) whole_first: bool,
    /// The token of each byte: alone, or as part of a character without a token.
    pub(crate) of_byte: Box<[u32; 256]>,
    /// The token of each ASCII character.
    pub(crate) of_ascii: Box<[u32; 128]>,
    /// Two neighbouring characters are in no token if their bit is not set. See [`crate::MarkedWords`].
    pub(crate) neighbours: Box<[u8]>,
}

impl Vocabulary {
    /// Reads what [`Vocabulary::write`] has written.
    pub fn read(reader: &mut TableReader<'_>) -> Result<Self, DamagedTables> {
        let settings = reader.section()?;
        let [smallest, whole_first, ids @ ..] = &*settings else { return Err(DamagedTables) };
        let ids: Vec<u32> = ids.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)).collect();
        let (of_byte, of_ascii) = ids.split_at_checked(256).ok_or(DamagedTables)?;
        let vocabulary = Self {
            smallest: if *smallest == 0 { Smallest::Bytes } else { Smallest::Characters },
            whole_first: *whole_first != 0,
            of_byte: Box::new(of_byte.try_into().map_err(|_| DamagedTables)?),
            of_ascii: Box::new(of_ascii.try_into().map_err(|_| DamagedTables)?),
            neighbours: reader.section()?,
            tokens: TokenTable::read(reader)?,
            pairs: PairTable::read(reader)?,
        };
        let has_neighbours = vocabulary.neighbours.len().is_power_of_two();
        if has_neighbours || vocabulary.smallest == Smallest::Bytes { Ok(vocabulary) } else { Err(DamagedTables) }
    }

    pub fn write(&self, writer: &mut TableWriter<'_>) -> std::io::Result<()> {
        let mut settings = vec![u8::from(self.smallest == Smallest::Characters), u8::from(self.whole_first)];
        settings.extend(self.of_byte.iter().chain(&*self.of_ascii).flat_map(|id| id.to_le_bytes()));
        writer.section(&settings)?;
        writer.section(&self.neighbours)?;
        self.tokens.write(writer)?;
        self.pairs.write(writer)
    }

    /// One more than the highest id.
    pub fn ids(&self) -> u32 {
        self.tokens.ids()
    }

    /// The bytes of a token; `None` for an id without one.
    pub fn bytes_of(&self, id: u32) -> Option<&[u8]> {
        self.tokens.bytes_of(id)
    }

    /// Whether each byte has a token of its own.
    pub fn has_all_bytes(&self) -> bool {
        !self.of_byte.contains(&EMPTY)
    }

    /// Appends the tokens of a piece.
    pub fn encode_piece(&self, piece: &str, ids: &mut Vec<u32>) {
        self.with_tokens(piece, |tokens| ids.extend(tokens));
    }

    /// The number of tokens of a piece.
    pub fn count_piece(&self, piece: &str) -> usize {
        self.with_tokens(piece, <[u32]>::len)
    }

    #[inline]
    fn with_tokens<R>(&self, piece: &str, take: impl FnOnce(&[u32]) -> R) -> R {
        if self.whole_first
            && let Some(id) = self.tokens.id_of(piece.as_bytes())
        {
            return take(&[id]);
        }
        MERGER.with_borrow_mut(|merger| {
            self.fill(piece, &mut merger.symbols);
            merger.merge(&self.pairs);
            let taken = take(&merger.symbols);
            merger.clear();
            taken
        })
    }

    /// The smallest tokens of a piece.
    fn fill(&self, piece: &str, symbols: &mut Vec<u32>) {
        match self.smallest {
            Smallest::Bytes => {
                let tokens = piece.bytes().map(|byte| self.of_byte[usize::from(byte)]);
                symbols.extend(tokens.filter(|token| *token != EMPTY));
            }
            Smallest::Characters => {
                for c in piece.chars() {
                    let mut buffer = [0; 4];
                    let bytes = c.encode_utf8(&mut buffer).as_bytes();
                    let ascii = self.of_ascii.get(c as usize).copied();
                    match ascii.or_else(|| self.tokens.id_of(bytes)).filter(|id| *id != EMPTY) {
                        Some(id) => symbols.push(id),
                        None => symbols.extend(bytes.iter().map(|byte| self.of_byte[usize::from(*byte)])),
                    }
                }
            }
        }
    }
}
