//! Tables as bytes: sections, each with its length and a checksum, so that they can be used as they were read.

use std::io::{self, Read, Write};

use crate::hash::checksum;

/// The stored tables are not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedTables;

/// Writes sections.
pub struct TableWriter<'w>(&'w mut dyn Write);

impl std::fmt::Debug for TableWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TableWriter")
    }
}

impl<'w> TableWriter<'w> {
    pub fn new(to: &'w mut dyn Write) -> Self {
        Self(to)
    }

    pub fn section(&mut self, content: &[u8]) -> io::Result<()> {
        self.0.write_all(&(content.len() as u64).to_le_bytes())?;
        self.0.write_all(&checksum(content).to_le_bytes())?;
        self.0.write_all(content)
    }
}

/// Reads sections, in the order in which they were written.
pub struct TableReader<'r>(&'r mut dyn Read);

impl std::fmt::Debug for TableReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TableReader")
    }
}

/// Longer sections are damaged ones: no vocabulary is that large.
const LONGEST: u64 = 1 << 30;

impl<'r> TableReader<'r> {
    pub fn new(from: &'r mut dyn Read) -> Self {
        Self(from)
    }

    pub fn section(&mut self) -> Result<Box<[u8]>, DamagedTables> {
        let length = self.number()?;
        let expected = self.number()?;
        if length > LONGEST {
            return Err(DamagedTables);
        }
        // Grows with what is there: a damaged length must not reserve a gigabyte.
        let mut content = Vec::with_capacity(length.min(1 << 26) as usize);
        Read::take(&mut *self.0, length).read_to_end(&mut content).map_err(|_| DamagedTables)?;
        if content.len() as u64 == length && checksum(&content) == expected {
            Ok(content.into_boxed_slice())
        } else {
            Err(DamagedTables)
        }
    }

    fn number(&mut self) -> Result<u64, DamagedTables> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes).map_err(|_| DamagedTables)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_and_damage_is_seen() {
        let mut bytes = Vec::new();
        let mut writer = TableWriter::new(&mut bytes);
        writer.section(b"the first").unwrap();
        writer.section(&[7; 100]).unwrap();
        let mut whole = bytes.as_slice();
        let mut reader = TableReader::new(&mut whole);
        assert_eq!(&*reader.section().unwrap(), b"the first");
        assert_eq!(&*reader.section().unwrap(), &[7; 100]);
        assert!(reader.section().is_err());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let mut from = damaged.as_slice();
            let mut reader = TableReader::new(&mut from);
            assert!(reader.section().and_then(|_| reader.section()).is_err(), "{at}");
            let mut cut = &bytes[..at];
            let mut reader = TableReader::new(&mut cut);
            assert!(reader.section().and_then(|_| reader.section()).is_err(), "{at}");
        }
    }
}
