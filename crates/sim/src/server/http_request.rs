//! Reads HTTP/1.1 requests from bytes. It does no I/O: it returns how many bytes it took, or that it needs more.

/// The largest head that is read.
pub(crate) const MOST_HEAD: usize = 64 * 1024;
/// The largest body that is read.
pub(crate) const MOST_BODY: usize = 256 * 1024 * 1024;
const MOST_HEADERS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: BodyLength,
    pub(crate) keep_alive: bool,
    /// Whether the client understands chunked replies.
    pub(crate) chunked_replies: bool,
    pub(crate) expects_continue: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    Known(usize),
    Chunked,
}

/// Bytes that are not an HTTP request, or not one that can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    Malformed(&'static str),
    TooLarge,
}

impl Head {
    /// The head and its length, or `None` while it is incomplete.
    pub(crate) fn parse(input: &[u8]) -> Result<Option<(Self, usize)>, Unreadable> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(input) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if input.len() > MOST_HEAD => return Err(Unreadable::TooLarge),
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(Unreadable::TooLarge),
            Err(_) => return Err(Unreadable::Malformed("not an HTTP/1 request")),
        };
        let (Some(method), Some(target), Some(version)) = (request.method, request.path, request.version) else {
            return Err(Unreadable::Malformed("no request line"));
        };
        let mut head = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::with_capacity(request.headers.len()),
            body: BodyLength::Known(0),
            keep_alive: version == 1,
            chunked_replies: version == 1,
            expects_continue: false,
        };
        for header in request.headers.iter() {
            let value = String::from_utf8_lossy(header.value).trim().to_owned();
            head.take_header(header.name, &value)?;
            head.headers.push((header.name.to_owned(), value));
        }
        Ok(Some((head, length)))
    }

    fn take_header(&mut self, name: &str, value: &str) -> Result<(), Unreadable> {
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().map_err(|_| Unreadable::Malformed("content-length is not a number"))?;
            if length > MOST_BODY {
                return Err(Unreadable::TooLarge);
            }
            if self.body != BodyLength::Chunked {
                self.body = BodyLength::Known(length);
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if !value.eq_ignore_ascii_case("chunked") {
                return Err(Unreadable::Malformed("the only transfer encoding is chunked"));
            }
            self.body = BodyLength::Chunked;
        } else if name.eq_ignore_ascii_case("connection") {
            for token in value.split(',').map(str::trim) {
                if token.eq_ignore_ascii_case("close") {
                    self.keep_alive = false;
                } else if token.eq_ignore_ascii_case("keep-alive") {
                    self.keep_alive = true;
                }
            }
        } else if name.eq_ignore_ascii_case("expect") {
            self.expects_continue = value.eq_ignore_ascii_case("100-continue");
        }
        Ok(())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split_once('?').map_or(self.target.as_str(), |(path, _)| path)
    }

    /// What follows the question mark of the target.
    pub(crate) fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// Puts a chunked body together as its bytes come in.
#[derive(Debug, Default)]
pub(crate) struct ChunkedBody {
    pub(crate) body: Vec<u8>,
    /// Bytes of the input that are done with.
    pub(crate) taken: usize,
}

impl ChunkedBody {
    /// Goes on with `input`, which is all that came after the head; true once the body is complete.
    pub(crate) fn advance(&mut self, input: &[u8]) -> Result<bool, Unreadable> {
        loop {
            let rest = input.get(self.taken..).unwrap_or_default();
            let (line, size) = match httparse::parse_chunk_size(rest) {
                Ok(httparse::Status::Complete((line, size))) => (line, size as usize),
                Ok(httparse::Status::Partial) => return Ok(false),
                Err(_) => return Err(Unreadable::Malformed("bad chunk size")),
            };
            if size == 0 {
                return Ok(self.end_of_trailers(&rest[line..], line));
            }
            if size > MOST_BODY || self.body.len() + size > MOST_BODY {
                return Err(Unreadable::TooLarge);
            }
            let Some(chunk) = rest.get(line..line + size + 2) else { return Ok(false) };
            let (data, end) = chunk.split_at(size);
            if end != b"\r\n" {
                return Err(Unreadable::Malformed("a chunk is longer than its size"));
            }
            self.body.extend_from_slice(data);
            self.taken += line + size + 2;
        }
    }

    /// Trailers end like a head: with an empty line.
    fn end_of_trailers(&mut self, trailers: &[u8], line: usize) -> bool {
        let end = if trailers.starts_with(b"\r\n") {
            Some(2)
        } else {
            trailers.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
        };
        if let Some(end) = end {
            self.taken += line + end;
        }
        end.is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_head_says_how_its_body_ends_and_whether_the_connection_stays() {
        let input = b"POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\ncontent-length: 5\r\nConnection: close\r\nX-Request-ID: r1\r\n\r\nhello";
        let (head, length) = Head::parse(input).unwrap().unwrap();
        assert_eq!((head.path(), head.body, head.keep_alive), ("/v1/x", BodyLength::Known(5), false));
        assert_eq!(head.header("x-request-id"), Some("r1"));
        assert_eq!(&input[length..], b"hello");
        for end in 0..length {
            assert_eq!(Head::parse(&input[..end]).unwrap(), None);
        }
    }

    #[test]
    fn what_is_not_http_is_refused() {
        assert!(Head::parse(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").is_err());
        assert!(Head::parse(b"POST / HTTP/1.1\r\ncontent-length: many\r\n\r\n").is_err());
        let huge = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", usize::MAX);
        assert_eq!(Head::parse(huge.as_bytes()), Err(Unreadable::TooLarge));
    }

    #[test]
    fn a_chunked_body_may_arrive_byte_by_byte() {
        let wire = b"5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\nNEXT";
        let mut body = ChunkedBody::default();
        let done = (0..=wire.len()).find(|&end| body.advance(&wire[..end]).unwrap()).unwrap();
        assert_eq!(body.body, b"hello world");
        assert_eq!(&wire[body.taken..], b"NEXT");
        assert_eq!(done, wire.len() - 4);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(input in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Head::parse(&input);
            let _ = ChunkedBody::default().advance(&input);
        }

        #[test]
        fn a_chunked_body_is_the_same_however_it_is_cut(
            parts in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..20), 0..6),
            step in 1_usize..9,
        ) {
            let mut wire = Vec::new();
            for part in &parts {
                wire.extend_from_slice(format!("{:x}\r\n", part.len()).as_bytes());
                wire.extend_from_slice(part);
                wire.extend_from_slice(b"\r\n");
            }
            wire.extend_from_slice(b"0\r\n\r\n");
            let mut body = ChunkedBody::default();
            let mut end = 0;
            while !body.advance(&wire[..end]).unwrap() {
                end = (end + step).min(wire.len());
            }
            prop_assert_eq!(body.body, parts.concat());
            prop_assert_eq!(body.taken, wire.len());
        }
    }
}
