//! A bit writer, most significant bit first.

#[derive(Debug, Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    pending: u64,
    waiting: u32,
}

impl Bits {
    /// Appends the lowest `count` bits of a value; at most 32.
    pub(super) fn put(&mut self, value: u32, count: u32) {
        let kept = u64::from(value) & ((1 << count) - 1);
        self.pending = self.pending << count | kept;
        self.waiting += count;
        while self.waiting >= 8 {
            self.waiting -= 8;
            self.bytes.push((self.pending >> self.waiting) as u8);
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.bytes.len() as u32 * 8 + self.waiting
    }

    /// Filled up with zeros to whole bytes.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let missing = (8 - self.waiting % 8) % 8;
        self.put(0, missing);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_fill_bytes_from_the_top() {
        let mut bits = Bits::default();
        bits.put(0b101, 3);
        bits.put(0, 0);
        bits.put(0xffff, 9);
        assert_eq!(bits.len(), 12);
        assert_eq!(bits.into_bytes(), [0b1011_1111, 0b1111_0000]);
    }
}
