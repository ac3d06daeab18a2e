//! `traceparent`: the place of a request in a distributed trace, as the W3C recommendation writes it.

use std::fmt;

/// Ids of the trace and of the span of one request. Both derive from the id of the request, so that whoever sends the request and
/// whoever reports its span need nothing but that id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent([u8; 16]);

impl TraceParent {
    /// From the bytes of the request's id, a random UUID.
    pub const fn of_request(id: [u8; 16]) -> Self {
        Self(id)
    }

    pub const fn trace_id(&self) -> [u8; 16] {
        self.0
    }

    /// The second half of the id. It has the variant bits of a UUID and therefore is never zero, which would not be valid.
    pub fn span_id(&self) -> [u8; 8] {
        let mut half = [0; 8];
        half.copy_from_slice(&self.0[8..]);
        half
    }
}

/// The value of the header; the trace is marked as sampled, so that the server records it.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>, bytes: &[u8]| bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"));
        f.write_str("00-")?;
        hex(f, &self.0)?;
        f.write_str("-")?;
        hex(f, &self.0[8..])?;
        f.write_str("-01")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_ids_in_hexadecimal() {
        let parent = TraceParent::of_request(*b"\x01\x23\x45\x67\x89\xab\x4d\xef\x81\x23\x45\x67\x89\xab\xcd\xef");
        assert_eq!(parent.to_string(), "00-0123456789ab4def8123456789abcdef-8123456789abcdef-01");
        assert_eq!(parent.span_id(), *b"\x81\x23\x45\x67\x89\xab\xcd\xef");
    }
}
