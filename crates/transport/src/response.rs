//! Reads one response out of successive socket reads, each with its time. No I/O: bytes are fed in.

use aiperf_clock::{ReadMark, ReadStamp};

use crate::body::{Framing, content_length};
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
    framing: Option<Framing>,
    keep_alive: bool,
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
        Self { head: Vec::new(), framing: None, keep_alive: true }
    }

    /// Takes the bytes of one read.
    pub fn feed(&mut self, bytes: &[u8], stamp: ReadStamp, into: &mut Exchange) -> Result<Progress, TransportError> {
        if self.framing.is_some() {
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
        match self.framing {
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
        if self.framing.is_some() {
            return self.feed_body(rest, stamp, into);
        }
        // The head was an interim one (100 Continue): the real one follows.
        if rest.is_empty() { Ok(Progress::Reading) } else { self.feed(rest, stamp, into) }
    }

    fn feed_body(&mut self, bytes: &[u8], stamp: ReadStamp, into: &mut Exchange) -> Result<Progress, TransportError> {
        let Some(framing) = &mut self.framing else { return Ok(Progress::Reading) };
        let before = into.body.len();
        let used = framing.decode(bytes, &mut into.body).map_err(TransportError::Protocol)?;
        if into.body.len() > before {
            into.marks.push(ReadMark::new(into.body.len(), stamp));
        }
        if !framing.is_done() {
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
        into.trace.head_bytes_received += used as u64;
        into.status = Some(status);
        response.reason.unwrap_or_default().clone_into(&mut into.reason);
        into.headers = response
            .headers
            .iter()
            .map(|h| (h.name.to_owned(), String::from_utf8_lossy(h.value).into_owned()))
            .collect();
        self.keep_alive = response.version == Some(1);
        self.framing = Some(self.framing_of(status, response.headers).map_err(HeadError::Other)?);
        Ok(Some(used))
    }

    fn framing_of(&mut self, status: u16, headers: &[httparse::Header<'_>]) -> Result<Framing, TransportError> {
        let mut length = None;
        let mut chunked = false;
        for header in headers {
            if header.name.eq_ignore_ascii_case("transfer-encoding") {
                chunked = header.value.to_ascii_lowercase().ends_with(b"chunked");
            } else if header.name.eq_ignore_ascii_case("content-length") {
                length = Some(content_length(header.value).map_err(TransportError::Protocol)?);
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
        Ok(match (chunked, length) {
            _ if status == 204 || status == 304 => Framing::Length(0),
            (true, _) => Framing::chunked(),
            (false, Some(n)) => Framing::Length(n),
            (false, None) => {
                self.keep_alive = false;
                Framing::UntilClose
            }
        })
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
