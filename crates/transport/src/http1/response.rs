//! Reads one response out of successive socket reads, each with its time. No I/O: bytes are fed in.

use aiperf_clock::{ReadMark, ReadStamp};

use super::body_framing::{BodyFraming, content_length};
use crate::content_coding::ContentCoding;
use crate::error::TransportError;
use crate::exchange::{BodyLimit, Exchange};

/// A longer head is an error.
const MAX_HEAD: usize = 256 * 1024;
const MAX_HEADERS: usize = 256;
/// More than nearly any response has: room for all that are allowed takes longer to clear than a head to read.
const USUAL_HEADERS: usize = 32;

/// The state between two reads of one response.
#[derive(Debug)]
pub struct ResponseReader {
    /// Bytes of a head that is not complete yet.
    head: Vec<u8>,
    stage: ReadStage,
    keep_alive: bool,
}

/// How far the response has come.
#[derive(Debug)]
enum ReadStage {
    Head,
    Body(BodyFraming),
    /// A body that is unpacked as it comes.
    PackedBody(Box<PackedBody>),
}

#[derive(Debug)]
struct PackedBody {
    framing: BodyFraming,
    coding: ContentCoding,
    /// What one read brought, before it is unpacked.
    packed: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ReadProgress {
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
        Self { head: Vec::new(), stage: ReadStage::Head, keep_alive: true }
    }

    /// Takes the bytes of one read.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        stamp: ReadStamp,
        into: &mut Exchange,
    ) -> Result<ReadProgress, TransportError> {
        if !matches!(self.stage, ReadStage::Head) {
            return self.feed_body(bytes, stamp, into);
        }
        // Nearly always the whole head arrives in one read, and is parsed in place.
        if self.head.is_empty() {
            return self.feed_head(bytes, stamp, into);
        }
        let mut whole = std::mem::take(&mut self.head);
        whole.extend_from_slice(bytes);
        self.feed_head(&whole, stamp, into)
    }

    fn feed_head(
        &mut self,
        bytes: &[u8],
        stamp: ReadStamp,
        into: &mut Exchange,
    ) -> Result<ReadProgress, TransportError> {
        let mut rest = bytes;
        while let Some(used) = self.parse_head(rest, stamp, into)? {
            rest = &rest[used..];
            if !matches!(self.stage, ReadStage::Head) {
                return self.feed_body(rest, stamp, into);
            }
            // The head was an interim one (100 Continue): the real one follows.
        }
        if rest.len() > MAX_HEAD {
            return Err(TransportError::Protocol(format!("the response head is longer than {MAX_HEAD} bytes")));
        }
        self.head = rest.to_vec();
        Ok(ReadProgress::Reading)
    }

    /// Whether anything of the response has come.
    pub(crate) fn has_begun(&self) -> bool {
        !self.head.is_empty() || !matches!(self.stage, ReadStage::Head)
    }

    /// The peer closed the connection.
    pub fn end_of_stream(&mut self, into: &Exchange) -> Result<ReadProgress, TransportError> {
        let framing = match &self.stage {
            ReadStage::Head => None,
            ReadStage::Body(framing) => Some(*framing),
            ReadStage::PackedBody(body) => {
                if body.framing == BodyFraming::UntilClose {
                    body.coding.finish().map_err(TransportError::Truncated)?;
                }
                Some(body.framing)
            }
        };
        match framing {
            None if self.head.is_empty() && into.status.is_none() => Err(TransportError::Disconnected),
            None => Err(TransportError::Truncated("the connection closed inside the response head".into())),
            Some(BodyFraming::UntilClose) => Ok(ReadProgress::Complete { reusable: false }),
            Some(BodyFraming::Length(left)) => {
                Err(TransportError::Truncated(format!("the connection closed with {left} bytes of the body missing")))
            }
            Some(BodyFraming::Chunked(_)) => {
                Err(TransportError::Truncated("the connection closed before the last chunk of the body".into()))
            }
        }
    }

    fn feed_body(
        &mut self,
        bytes: &[u8],
        stamp: ReadStamp,
        into: &mut Exchange,
    ) -> Result<ReadProgress, TransportError> {
        let before = into.body.len();
        let (used, done) = match &mut self.stage {
            ReadStage::Head => return Ok(ReadProgress::Reading),
            ReadStage::Body(framing) => {
                let used = framing.decode(bytes, &mut into.body).map_err(TransportError::Protocol)?;
                (used, framing.is_done())
            }
            ReadStage::PackedBody(body) => match body.feed(bytes, &mut into.body) {
                Ok(fed) => fed,
                Err(error) => return into.check_length().and(Err(error)),
            },
        };
        into.check_length()?;
        if into.body.len() > before {
            into.marks.push(ReadMark::new(into.body.len(), stamp));
        }
        if !done {
            return Ok(ReadProgress::Reading);
        }
        // Bytes after the end belong to no request of ours: such a connection is not trusted again.
        Ok(ReadProgress::Complete { reusable: self.keep_alive && used == bytes.len() })
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
            Err(error) => return Err(HeadError::Other(not_a_head(bytes, error))),
        };
        let status = response.code.unwrap_or(0);
        if status == 101 {
            let upgrade = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("upgrade"));
            let to = upgrade.map_or_else(|| "another protocol".to_owned(), |header| header_text(header.value));
            return Err(HeadError::Other(TransportError::SwitchedProtocol(to)));
        }
        if (100..200).contains(&status) {
            return Ok(Some(used));
        }
        into.trace.headers_received = Some(stamp.at);
        // The request was sent before the response arrived, even if the thread read the clock later.
        into.trace.send_end = into.trace.send_end.map(|end| end.min(stamp.at));
        into.trace.head_bytes_received += used as u64;
        into.status = Some(status);
        response.reason.unwrap_or_default().clone_into(&mut into.reason);
        into.headers = response.headers.iter().map(|h| (h.name.to_owned(), header_text(h.value))).collect();
        self.keep_alive = response.version == Some(1);
        self.stage = self.stage_of(status, response.headers, into.body_limit).map_err(HeadError::Other)?;
        Ok(Some(used))
    }

    fn stage_of(
        &mut self,
        status: u16,
        headers: &[httparse::Header<'_>],
        limit: BodyLimit,
    ) -> Result<ReadStage, TransportError> {
        // Codings of the content, then those of the transfer, which were applied later.
        let mut codings: [Vec<u8>; 2] = Default::default();
        let mut length = None;
        for header in headers {
            if header.name.eq_ignore_ascii_case("transfer-encoding") {
                add_to_list(&mut codings[1], header.value);
            } else if header.name.eq_ignore_ascii_case("content-length") {
                let said = content_length(header.value).map_err(TransportError::Protocol)?;
                if length.replace(said).is_some_and(|before| before != said) {
                    return Err(TransportError::Protocol("Content-Length is given twice, and differently".into()));
                }
            } else if header.name.eq_ignore_ascii_case("content-encoding") {
                add_to_list(&mut codings[0], header.value);
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
        let chunked = take_chunked(&mut codings[1]);
        let framing = match (chunked, length) {
            _ if status == 204 || status == 304 => BodyFraming::Length(0),
            (true, _) => BodyFraming::chunked(),
            (false, Some(n)) if codings[1].is_empty() => BodyFraming::Length(n),
            (false, _) => {
                self.keep_alive = false;
                BodyFraming::UntilClose
            }
        };
        let is_packed = codings.iter().any(|list| !list.is_empty());
        let coding = if is_packed { coding_of(status, &codings.join(&b','), limit)? } else { None };
        Ok(match coding {
            None => ReadStage::Body(framing),
            Some(coding) => ReadStage::PackedBody(Box::new(PackedBody { framing, coding, packed: Vec::new() })),
        })
    }
}

/// The error for a server whose first bytes are a TLS record.
pub(crate) const SPEAKS_TLS: &str = "it speaks TLS; is its URL https:// instead?";

/// Why bytes are not a response head: a server may speak another protocol.
fn not_a_head(bytes: &[u8], error: httparse::Error) -> TransportError {
    /// A TLS record: alert or handshake, version 3.
    const IS_TLS: [[u8; 2]; 2] = [[0x15, 0x03], [0x16, 0x03]];
    /// Bytes of it that are shown.
    const SHOWN: usize = 60;
    if IS_TLS.iter().any(|start| bytes.starts_with(start)) {
        return TransportError::NotHttp(SPEAKS_TLS.to_owned());
    }
    if bytes.starts_with(b"HTTP/") {
        return TransportError::Protocol(error.to_string());
    }
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    let cut = if bytes.len() > SHOWN { "..." } else { "" };
    TransportError::NotHttp(format!("it begins with {shown:?}{cut}"))
}

fn add_to_list(list: &mut Vec<u8>, value: &[u8]) {
    if !list.is_empty() {
        list.push(b',');
    }
    list.extend_from_slice(value);
}

/// Whether a list of transfer codings ends in `chunked`, which is taken from it; `identity` means nothing.
fn take_chunked(transfer: &mut Vec<u8>) -> bool {
    let (before, last) = match transfer.iter().rposition(|byte| *byte == b',') {
        Some(comma) => (comma, &transfer[comma + 1..]),
        None => (0, &transfer[..]),
    };
    let last = last.trim_ascii();
    let chunked = last.eq_ignore_ascii_case(b"chunked");
    if chunked || last.eq_ignore_ascii_case(b"identity") {
        transfer.truncate(before);
    }
    chunked
}

/// The decoder for these codings. An error response may be packed in anything: its status says enough.
pub(crate) fn coding_of(
    status: u16,
    codings: &[u8],
    BodyLimit(limit): BodyLimit,
) -> Result<Option<ContentCoding>, TransportError> {
    match ContentCoding::named(codings, limit) {
        Err(_) if !(200..300).contains(&status) => Ok(None),
        coding => coding.map_err(TransportError::Protocol),
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
mod tests;
