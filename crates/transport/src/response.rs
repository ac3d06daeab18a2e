//! Reads one response out of successive socket reads, each with its time. No I/O: bytes are fed in.

use aiperf_clock::{ReadMark, ReadStamp};

use crate::body::{Framing, content_length};
use crate::coding::Coding;
use crate::error::TransportError;
use crate::exchange::Exchange;

/// A head longer than this is no head.
const MAX_HEAD: usize = 256 * 1024;
const MAX_HEADERS: usize = 256;
/// More than nearly any response has: room for all that are allowed takes longer to clear than a head to read.
const USUAL_HEADERS: usize = 32;

/// The state between two reads of one response.
#[derive(Debug)]
pub struct ResponseReader {
    /// Bytes of a head that is not complete yet.
    head: Vec<u8>,
    stage: Stage,
    keep_alive: bool,
}

/// How far the response has come.
#[derive(Debug)]
enum Stage {
    Head,
    Body(Framing),
    /// A body that is unpacked as it comes.
    PackedBody(Box<PackedBody>),
}

#[derive(Debug)]
struct PackedBody {
    framing: Framing,
    coding: Coding,
    /// What one read brought, before it is unpacked.
    packed: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    Reading,
    /// The response is complete; whether the connection can carry another request.
    Complete { reusable: bool },
}

/// Why a head was not read.
enum HeadError {
    /// There are more headers than slots.
    TooMany,
    Other(TransportError),
}

impl Default for ResponseReader {
    fn default() -> Self {
        Self::new()
    }
}

impl ResponseReader {
    pub const fn new() -> Self {
        Self { head: Vec::new(), stage: Stage::Head, keep_alive: true }
    }

    /// Takes the bytes of one read.
    pub fn feed(&mut self, bytes: &[u8], stamp: ReadStamp, into: &mut Exchange) -> Result<Progress, TransportError> {
        if !matches!(self.stage, Stage::Head) {
            return self.feed_body(bytes, stamp, into);
        }
        // Nearly always the whole head comes in one read, and then it is parsed where it lies.
        if self.head.is_empty() {
            if let Some(used) = self.parse_head(bytes, stamp, into)? {
                return self.after_head(&bytes[used..], stamp, into);
            }
            self.head.extend_from_slice(bytes);
            return Ok(Progress::Reading);
        }
        let mut whole = std::mem::take(&mut self.head);
        whole.extend_from_slice(bytes);
        if let Some(used) = self.parse_head(&whole, stamp, into)? {
            return self.after_head(&whole[used..], stamp, into);
        }
        if whole.len() > MAX_HEAD {
            return Err(TransportError::Protocol(format!("the response head is longer than {MAX_HEAD} bytes")));
        }
        self.head = whole;
        Ok(Progress::Reading)
    }

    /// The peer closed the connection.
    pub fn end_of_stream(&mut self, into: &Exchange) -> Result<Progress, TransportError> {
        let framing = match &self.stage {
            Stage::Head => None,
            Stage::Body(framing) => Some(*framing),
            Stage::PackedBody(body) => {
                if body.framing == Framing::UntilClose {
                    body.coding.finish().map_err(TransportError::Truncated)?;
                }
                Some(body.framing)
            }
        };
        match framing {
            None if self.head.is_empty() && into.status.is_none() => Err(TransportError::Disconnected),
            None => Err(TransportError::Truncated("the connection closed inside the response head".into())),
            Some(Framing::UntilClose) => Ok(Progress::Complete { reusable: false }),
            Some(Framing::Length(left)) => {
                Err(TransportError::Truncated(format!("the connection closed with {left} bytes of the body missing")))
            }
            Some(Framing::Chunked(_)) => {
                Err(TransportError::Truncated("the connection closed before the last chunk of the body".into()))
            }
        }
    }

    fn after_head(&mut self, rest: &[u8], stamp: ReadStamp, into: &mut Exchange) -> Result<Progress, TransportError> {
        if !matches!(self.stage, Stage::Head) {
            return self.feed_body(rest, stamp, into);
        }
        // The head was an interim one (100 Continue): the real one follows.
        if rest.is_empty() { Ok(Progress::Reading) } else { self.feed(rest, stamp, into) }
    }

    fn feed_body(&mut self, bytes: &[u8], stamp: ReadStamp, into: &mut Exchange) -> Result<Progress, TransportError> {
        let before = into.body.len();
        let (used, done) = match &mut self.stage {
            Stage::Head => return Ok(Progress::Reading),
            Stage::Body(framing) => {
                let used = framing.decode(bytes, &mut into.body).map_err(TransportError::Protocol)?;
                (used, framing.is_done())
            }
            Stage::PackedBody(body) => body.feed(bytes, &mut into.body)?,
        };
        if into.body.len() > before {
            into.marks.push(ReadMark::new(into.body.len(), stamp));
        }
        if !done {
            return Ok(Progress::Reading);
        }
        // Bytes after the end belong to no request of ours: such a connection is not trusted again.
        Ok(Progress::Complete { reusable: self.keep_alive && used == bytes.len() })
    }

    /// Parses a head at the start of `bytes`; `None` when it is not complete, else its length.
    fn parse_head(
        &mut self,
        bytes: &[u8],
        stamp: ReadStamp,
        into: &mut Exchange,
    ) -> Result<Option<usize>, TransportError> {
        let mut slots = [httparse::EMPTY_HEADER; USUAL_HEADERS];
        match self.parse_head_into(&mut slots, bytes, stamp, into) {
            Err(HeadError::TooMany) => {
                let mut slots = [httparse::EMPTY_HEADER; MAX_HEADERS];
                self.parse_head_into(&mut slots, bytes, stamp, into)
            }
            parsed => parsed,
        }
        .map_err(|error| match error {
            HeadError::TooMany => TransportError::Protocol(httparse::Error::TooManyHeaders.to_string()),
            HeadError::Other(error) => error,
        })
    }

    fn parse_head_into<'a>(
        &mut self,
        slots: &mut [httparse::Header<'a>],
        bytes: &'a [u8],
        stamp: ReadStamp,
        into: &mut Exchange,
    ) -> Result<Option<usize>, HeadError> {
        let mut response = httparse::Response::new(slots);
        let used = match response.parse(bytes) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(HeadError::TooMany),
            Err(e) => return Err(HeadError::Other(TransportError::Protocol(e.to_string()))),
        };
        let status = response.code.unwrap_or(0);
        if (100..200).contains(&status) {
            return Ok(Some(used));
        }
        into.trace.headers_received = Some(stamp.at);
        // The question was out before the answer came, whenever the thread was given time to look at the clock.
        into.trace.send_end = into.trace.send_end.map(|end| end.min(stamp.at));
        into.trace.head_bytes_received += used as u64;
        into.status = Some(status);
        response.reason.unwrap_or_default().clone_into(&mut into.reason);
        into.headers = response.headers.iter().map(|h| (h.name.to_owned(), header_text(h.value))).collect();
        self.keep_alive = response.version == Some(1);
        self.stage = self.stage_of(status, response.headers).map_err(HeadError::Other)?;
        Ok(Some(used))
    }

    fn stage_of(&mut self, status: u16, headers: &[httparse::Header<'_>]) -> Result<Stage, TransportError> {
        let mut coding = None;
        let mut length = None;
        let mut chunked = false;
        for header in headers {
            if header.name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = header.value.to_ascii_lowercase().ends_with(b"chunked");
            } else if header.name.eq_ignore_ascii_case("content-length") {
                length = Some(content_length(header.value).map_err(TransportError::Protocol)?);
            } else if header.name.eq_ignore_ascii_case("content-encoding") {
                coding = Coding::named(header.value).map_err(TransportError::Protocol)?;
            } else if header.name.eq_ignore_ascii_case("connection") {
                let value = header.value.to_ascii_lowercase();
                let has = |word: &str| value.split(|b| *b == b',').any(|t| t.trim_ascii() == word.as_bytes());
                if has("close") {
                    self.keep_alive = false;
                } else if has("keep-alive") {
                    self.keep_alive = true;
                }
            }
        }
        let framing = match (chunked, length) {
            _ if status == 204 || status == 304 => Framing::Length(0),
            (true, _) => Framing::chunked(),
            (false, Some(n)) => Framing::Length(n),
            (false, None) => {
                self.keep_alive = false;
                Framing::UntilClose
            }
        };
        Ok(match coding {
            None => Stage::Body(framing),
            Some(coding) => Stage::PackedBody(Box::new(PackedBody { framing, coding, packed: Vec::new() })),
        })
    }
}

impl PackedBody {
    /// How many bytes of the read belong to the body, and whether it is complete.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(usize, bool), TransportError> {
        self.packed.clear();
        let used = self.framing.decode(bytes, &mut self.packed).map_err(TransportError::Protocol)?;
        self.coding.decode(&self.packed, out).map_err(TransportError::Protocol)?;
        if self.framing.is_done() {
            self.coding.finish().map_err(TransportError::Truncated)?;
        }
        Ok((used, self.framing.is_done()))
    }
}

/// The value of a header: UTF-8, or Latin-1 as HTTP once had it.
pub(crate) fn header_text(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, StampSource};

    use super::*;

    fn at(nanos: u64) -> ReadStamp {
        ReadStamp::user(Mono::from_nanos(nanos))
    }

    fn read_in_steps(wire: &[u8], step: usize) -> (Exchange, Result<Progress, TransportError>) {
        let mut exchange = Exchange::default();
        let mut reader = ResponseReader::new();
        let mut last = Ok(Progress::Reading);
        for (n, piece) in wire.chunks(step).enumerate() {
            last = reader.feed(piece, at(n as u64 + 1), &mut exchange);
            if !matches!(last, Ok(Progress::Reading)) {
                return (exchange, last);
            }
        }
        if matches!(last, Ok(Progress::Reading)) {
            last = reader.end_of_stream(&exchange);
        }
        (exchange, last)
    }

    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";

    #[test]
    fn a_chunked_response_reads_alike_in_any_cut() {
        for step in 1..CHUNKED.len() {
            let (exchange, end) = read_in_steps(CHUNKED, step);
            assert_eq!(end.unwrap(), Progress::Complete { reusable: true });
            assert_eq!(exchange.body, b"hello world");
            assert_eq!(exchange.status, Some(200));
            assert_eq!(exchange.marks.last().unwrap().end, 11);
        }
    }

    #[test]
    fn a_byte_is_stamped_by_the_read_that_brought_it() {
        let mut exchange = Exchange::default();
        let mut reader = ResponseReader::new();
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab";
        assert_eq!(reader.feed(head, at(5), &mut exchange).unwrap(), Progress::Reading);
        let end =
            reader.feed(b"cd", ReadStamp::kernel(Mono::from_nanos(9), Mono::from_nanos(12)), &mut exchange).unwrap();
        assert_eq!(end, Progress::Complete { reusable: true });
        assert_eq!(exchange.trace.headers_received, Some(Mono::from_nanos(5)));
        let stamps: Vec<_> = exchange.marks.iter().map(|m| (m.end, m.at.as_nanos(), m.source)).collect();
        assert_eq!(stamps, [(2, 5, StampSource::User), (4, 9, StampSource::Kernel)]);
    }

    #[test]
    fn interim_responses_are_skipped() {
        let wire = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        for step in [1, 7, wire.len()] {
            let (exchange, end) = read_in_steps(wire, step);
            assert_eq!(exchange.status, Some(200));
            assert_eq!(end.unwrap(), Progress::Complete { reusable: true });
        }
    }

    #[test]
    fn a_body_without_length_ends_with_the_connection() {
        let (exchange, end) = read_in_steps(b"HTTP/1.1 200 OK\r\n\r\nall of it", 8);
        assert_eq!(end.unwrap(), Progress::Complete { reusable: false });
        assert_eq!(exchange.body, b"all of it");
    }

    #[test]
    fn a_packed_body_is_unpacked_with_the_times_of_its_reads() {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let mut chunks = Vec::new();
        for part in ["hello", " world"] {
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.flush().unwrap();
            chunks.push(std::mem::take(encoder.get_mut()));
        }
        chunks.push(encoder.finish().unwrap());
        let mut exchange = Exchange::default();
        let mut reader = ResponseReader::new();
        let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(reader.feed(head, at(1), &mut exchange).unwrap(), Progress::Reading);
        for (index, chunk) in chunks.iter().enumerate() {
            let framed = [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
            // The last byte of what belongs together comes late.
            let (early, late) = framed.split_at(framed.len() - 4);
            let start = 10 * (index as u64 + 1);
            reader.feed(early, at(start), &mut exchange).unwrap();
            reader.feed(late, at(start + 1), &mut exchange).unwrap();
        }
        let end = reader.feed(b"0\r\n\r\n", at(90), &mut exchange).unwrap();
        assert_eq!(end, Progress::Complete { reusable: true });
        assert_eq!(exchange.body, b"hello world");
        let times: Vec<_> = exchange.marks.iter().map(|mark| (mark.end, mark.at.as_nanos() / 10)).collect();
        assert_eq!((times[0].1, times.last().unwrap()), (1, &(11, 2)));
    }

    #[test]
    fn a_packed_body_that_is_not_whole_broke_off() {
        let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08";
        assert!(read_in_steps(wire, 99).1.unwrap_err().to_string().contains("too early"));
        let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: lzma\r\nContent-Length: 1\r\n\r\nx";
        assert!(read_in_steps(wire, 99).1.unwrap_err().to_string().contains("lzma"));
        let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(read_in_steps(wire, 99).1.unwrap(), Progress::Complete { reusable: true });
    }

    #[test]
    fn header_values_are_utf_8_or_latin_1() {
        let (exchange, _) =
            read_in_steps(b"HTTP/1.1 200 OK\r\nA: \xc3\xbc\r\nB: \xfc\r\nContent-Length: 0\r\n\r\n", 99);
        assert_eq!((exchange.header("a"), exchange.header("b")), (Some("ü"), Some("ü")));
    }

    #[test]
    fn what_breaks_off_is_an_error_that_says_where() {
        let cut = |wire: &[u8]| read_in_steps(wire, 4).1.unwrap_err().to_string();
        assert!(cut(b"").contains("before it answered"));
        assert!(cut(b"HTTP/1.1 200 OK\r\nConte").contains("response head"));
        assert!(cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").contains("6 bytes"));
        assert!(cut(&CHUNKED[..CHUNKED.len() - 5]).contains("last chunk"));
        assert!(cut(b"SSH-2.0-OpenSSH_9\r\n").contains("not valid HTTP"));
    }

    #[test]
    fn a_connection_that_says_close_or_sends_too_much_is_not_reused() {
        let close = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx";
        assert_eq!(read_in_steps(close, 999).1.unwrap(), Progress::Complete { reusable: false });
        let extra = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz";
        assert_eq!(read_in_steps(extra, 999).1.unwrap(), Progress::Complete { reusable: false });
        let old = b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx";
        assert_eq!(read_in_steps(old, 999).1.unwrap(), Progress::Complete { reusable: false });
    }
}
