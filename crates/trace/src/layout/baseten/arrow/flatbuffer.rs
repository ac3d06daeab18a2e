//! Tables of the `FlatBuffers` encoding, in which Arrow describes its data, read in place. Every offset is checked, because a
//! damaged file can contain any number.

/// An offset leads out of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// A table: an offset in the bytes of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlatTable<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FlatTable<'a> {
    pub(super) fn root(bytes: &'a [u8]) -> Result<Self, Damaged> {
        Ok(Self { bytes, at: u32::from_le_bytes(number(bytes, 0)?) as usize })
    }

    pub(super) fn byte(self, field: usize) -> Result<Option<u8>, Damaged> {
        self.value(field)?.map(|at| number(self.bytes, at).map(|[byte]| byte)).transpose()
    }

    pub(super) fn short(self, field: usize) -> Result<Option<i16>, Damaged> {
        self.value(field)?.map(|at| number(self.bytes, at).map(i16::from_le_bytes)).transpose()
    }

    pub(super) fn int(self, field: usize) -> Result<Option<i32>, Damaged> {
        self.value(field)?.map(|at| number(self.bytes, at).map(i32::from_le_bytes)).transpose()
    }

    pub(super) fn long(self, field: usize) -> Result<Option<i64>, Damaged> {
        self.value(field)?.map(|at| number(self.bytes, at).map(i64::from_le_bytes)).transpose()
    }

    pub(super) fn table(self, field: usize) -> Result<Option<Self>, Damaged> {
        let at = self.value(field)?.map(|at| self.target(at)).transpose()?;
        Ok(at.map(|at| Self { bytes: self.bytes, at }))
    }

    pub(super) fn text(self, field: usize) -> Result<Option<&'a str>, Damaged> {
        let Some(bytes) = self.items(field, 1)? else { return Ok(None) };
        str::from_utf8(bytes).map(Some).map_err(|_| Damaged)
    }

    /// The tables of a vector; none if the field is missing.
    pub(super) fn tables(self, field: usize) -> Result<Vec<Self>, Damaged> {
        let Some(at) = self.value(field)? else { return Ok(Vec::new()) };
        let start = self.target(at)?;
        let offsets = self.items(field, 4)?.unwrap_or_default();
        let places = (0..offsets.len()).step_by(4).map(|place| start + 4 + place);
        places.map(|place| Ok(Self { bytes: self.bytes, at: self.target(place)? })).collect()
    }

    /// The bytes of a vector whose items have `size` bytes each.
    pub(super) fn items(self, field: usize, size: usize) -> Result<Option<&'a [u8]>, Damaged> {
        let Some(at) = self.value(field)? else { return Ok(None) };
        let start = self.target(at)?;
        let count = u32::from_le_bytes(number(self.bytes, start)?) as usize;
        let end = count.checked_mul(size).and_then(|length| (start + 4).checked_add(length)).ok_or(Damaged)?;
        self.bytes.get(start + 4..end).map(Some).ok_or(Damaged)
    }

    /// The offset of the value of a field; `None` if the field is missing.
    fn value(self, field: usize) -> Result<Option<usize>, Damaged> {
        let back = i64::from(i32::from_le_bytes(number(self.bytes, self.at)?));
        let layout = usize::try_from(self.at as i64 - back).map_err(|_| Damaged)?;
        let length = usize::from(u16::from_le_bytes(number(self.bytes, layout)?));
        let slot = 4 + 2 * field;
        if slot + 2 > length {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(number(self.bytes, layout + slot)?));
        Ok((offset != 0).then_some(self.at + offset))
    }

    /// The target of the offset at this position.
    fn target(self, at: usize) -> Result<usize, Damaged> {
        let offset = u32::from_le_bytes(number(self.bytes, at)?) as usize;
        at.checked_add(offset).filter(|target| *target < self.bytes.len()).ok_or(Damaged)
    }
}

/// The bytes of a number at an offset.
pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Damaged> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or(Damaged)
}
