//! A response as it came off the wire: its bytes, and when each part of them arrived.

use aiperf_clock::{Mono, ReadMark};

/// The decoded body of a 2xx response with the time of every socket read that added to it.
#[derive(Debug, Clone, Copy)]
pub struct ResponseBody<'a> {
    /// Value of `Content-Type`, as sent.
    pub content_type: Option<&'a str>,
    pub bytes: &'a [u8],
    /// One mark per socket read, in order; the last one ends the body.
    pub marks: &'a [ReadMark],
}

impl ResponseBody<'_> {
    /// When the byte before offset `end` had arrived: the stamp of the first read that reaches that far.
    pub fn arrival(&self, end: usize) -> Option<Mono> {
        let mark = self.marks.partition_point(|m| m.end < end);
        self.marks.get(mark).or(self.marks.last()).map(|m| m.at)
    }

    /// Media type without parameters, lower case.
    pub fn media_type(&self) -> Option<String> {
        let text = self.content_type?;
        Some(text.split(';').next().unwrap_or(text).trim().to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_arrives_with_the_read_that_brought_it() {
        let marks = [ReadMark::user(4, Mono::from_nanos(10)), ReadMark::user(9, Mono::from_nanos(20))];
        let body = ResponseBody { content_type: None, bytes: b"123456789", marks: &marks };
        assert_eq!(body.arrival(4), Some(Mono::from_nanos(10)));
        assert_eq!(body.arrival(5), Some(Mono::from_nanos(20)));
        assert_eq!(body.arrival(9), Some(Mono::from_nanos(20)));
    }
}
