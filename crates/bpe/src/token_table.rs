//! The tokens of a vocabulary: their bytes by id, and their ids by bytes.

use crate::hash::hash;
use crate::table_file::{DamagedTables, TableReader, TableWriter};

pub(crate) const EMPTY: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct TokenTable {
    bytes: Box<[u8]>,
    /// For each id, where its bytes start and end: eight bytes. An id without a token has none.
    spans: Box<[u8]>,
    /// A hash table of ids with open addressing: four bytes each.
    slots: Box<[u8]>,
}

impl TokenTable {
    /// `spans` is indexed by id. The tokens with the ids in `findable` can be looked up. An error is the id of a token that is
    /// there twice.
    pub(crate) fn new(bytes: Vec<u8>, spans: &[(u32, u32)], findable: &[u32]) -> Result<Self, u32> {
        let count = (2 * findable.len()).next_power_of_two().max(2);
        let spans = spans.iter().flat_map(|(start, end)| [start.to_le_bytes(), end.to_le_bytes()]).flatten().collect();
        let slots = vec![u8::MAX; 4 * count].into();
        let mut table = Self { bytes: bytes.into(), spans, slots };
        for &id in findable {
            let mut slot = table.first_slot(table.bytes_of(id).unwrap_or_default());
            loop {
                match table.id_in(slot) {
                    EMPTY => break,
                    other if table.bytes_of(other) == table.bytes_of(id) => return Err(id),
                    _ => slot = (slot + 1) & (count - 1),
                }
            }
            table.slots.as_chunks_mut::<4>().0[slot] = id.to_le_bytes();
        }
        Ok(table)
    }

    pub(crate) fn read(reader: &mut TableReader<'_>) -> Result<Self, DamagedTables> {
        let table = Self { bytes: reader.section()?, spans: reader.section()?, slots: reader.section()? };
        let is_whole = table.spans.len().is_multiple_of(8)
            && table.slots.len().is_multiple_of(4)
            && (table.slots.len() / 4).is_power_of_two();
        if is_whole { Ok(table) } else { Err(DamagedTables) }
    }

    pub(crate) fn write(&self, writer: &mut TableWriter<'_>) -> std::io::Result<()> {
        [&self.bytes, &self.spans, &self.slots].into_iter().try_for_each(|section| writer.section(section))
    }

    /// One more than the highest id.
    pub(crate) fn ids(&self) -> u32 {
        (self.spans.len() / 8) as u32
    }

    /// The bytes of a token; `None` for an id without one.
    #[inline]
    pub(crate) fn bytes_of(&self, id: u32) -> Option<&[u8]> {
        let span = u64::from_le_bytes(*self.spans.as_chunks::<8>().0.get(id as usize)?);
        let (start, end) = (span as u32 as usize, (span >> 32) as usize);
        self.bytes.get(start..end).filter(|bytes| !bytes.is_empty())
    }

    /// The id of the token with exactly these bytes.
    #[inline]
    pub(crate) fn id_of(&self, bytes: &[u8]) -> Option<u32> {
        let last = self.slots.len() / 4 - 1;
        let mut slot = self.first_slot(bytes);
        // A table has empty slots. The limit is for one that was damaged in a way that its checksum does not show.
        for _ in 0..=last {
            let id = self.id_in(slot);
            if id == EMPTY {
                return None;
            }
            if self.bytes_of(id) == Some(bytes) {
                return Some(id);
            }
            slot = (slot + 1) & last;
        }
        None
    }

    fn id_in(&self, slot: usize) -> u32 {
        u32::from_le_bytes(self.slots.as_chunks::<4>().0[slot])
    }

    fn first_slot(&self, bytes: &[u8]) -> usize {
        let bits = (self.slots.len() / 4).trailing_zeros();
        (hash(bytes) >> (64 - bits)) as usize
    }
}
