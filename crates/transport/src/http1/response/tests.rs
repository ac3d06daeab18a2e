//! Responses cut into reads of any size.

use aiperf_clock::{Mono, StampSource};

use super::*;

fn at(nanos: u64) -> ReadStamp {
    ReadStamp::user(Mono::from_nanos(nanos))
}

fn read_in_steps(wire: &[u8], step: usize) -> (Exchange, Result<ReadProgress, TransportError>) {
    let mut exchange = Exchange::default();
    let mut reader = ResponseReader::new();
    let mut last = Ok(ReadProgress::Reading);
    for (n, piece) in wire.chunks(step).enumerate() {
        last = reader.feed(piece, at(n as u64 + 1), &mut exchange);
        if !matches!(last, Ok(ReadProgress::Reading)) {
            return (exchange, last);
        }
    }
    if matches!(last, Ok(ReadProgress::Reading)) {
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
        assert_eq!(end.unwrap(), ReadProgress::Complete { reusable: true });
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
    assert_eq!(reader.feed(head, at(5), &mut exchange).unwrap(), ReadProgress::Reading);
    let end = reader.feed(b"cd", ReadStamp::kernel(Mono::from_nanos(9), Mono::from_nanos(12)), &mut exchange).unwrap();
    assert_eq!(end, ReadProgress::Complete { reusable: true });
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
        assert_eq!(end.unwrap(), ReadProgress::Complete { reusable: true });
    }
}

#[test]
fn a_body_without_length_ends_with_the_connection() {
    let (exchange, end) = read_in_steps(b"HTTP/1.1 200 OK\r\n\r\nall of it", 8);
    assert_eq!(end.unwrap(), ReadProgress::Complete { reusable: false });
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
    assert_eq!(reader.feed(head, at(1), &mut exchange).unwrap(), ReadProgress::Reading);
    for (index, chunk) in chunks.iter().enumerate() {
        let framed = [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
        // The last byte of what belongs together comes late.
        let (early, late) = framed.split_at(framed.len() - 4);
        let start = 10 * (index as u64 + 1);
        reader.feed(early, at(start), &mut exchange).unwrap();
        reader.feed(late, at(start + 1), &mut exchange).unwrap();
    }
    let end = reader.feed(b"0\r\n\r\n", at(90), &mut exchange).unwrap();
    assert_eq!(end, ReadProgress::Complete { reusable: true });
    assert_eq!(exchange.body, b"hello world");
    let times: Vec<_> = exchange.marks.iter().map(|mark| (mark.end, mark.at.as_nanos() / 10)).collect();
    assert_eq!((times[0].1, times.last().unwrap()), (1, &(11, 2)));
}

#[test]
fn codings_of_content_and_transfer_come_off_in_turn() {
    use std::io::Write;
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let chunked = |heads: &str, body: &[u8]| {
        let start = format!("HTTP/1.1 200 OK\r\n{heads}\r\n\r\n{:x}\r\n", body.len());
        [start.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
    };
    let (once, twice) = (packed(b"all of it"), packed(&packed(b"all of it")));
    for wire in [
        chunked("Transfer-Encoding: gzip, Chunked", &once),
        chunked("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", &once),
        chunked("Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked", &twice),
        chunked("Content-Encoding: gzip\r\nContent-Encoding: x-gzip\r\nTransfer-Encoding: chunked", &twice),
    ] {
        let (exchange, end) = read_in_steps(&wire, 7);
        assert_eq!(end.unwrap(), ReadProgress::Complete { reusable: true });
        assert_eq!(exchange.body, b"all of it");
    }
    let plain = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(read_in_steps(plain, 99).0.body, b"ok");
    let unknown = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\nok";
    assert!(read_in_steps(unknown, 99).1.unwrap_err().to_string().contains("\"xchunked\""));
}

#[test]
fn an_error_in_an_unknown_coding_is_still_that_error() {
    let wire = b"HTTP/1.1 404 Not Found\r\nContent-Encoding: lzma\r\nContent-Length: 2\r\n\r\nxy";
    let (exchange, end) = read_in_steps(wire, 99);
    assert_eq!((end.unwrap(), exchange.status), (ReadProgress::Complete { reusable: true }, Some(404)));
}

#[test]
fn a_packed_body_that_is_not_whole_broke_off() {
    let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08";
    assert!(read_in_steps(wire, 99).1.unwrap_err().to_string().contains("too early"));
    let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: lzma\r\nContent-Length: 1\r\n\r\nx";
    assert!(read_in_steps(wire, 99).1.unwrap_err().to_string().contains("lzma"));
    let wire = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(read_in_steps(wire, 99).1.unwrap(), ReadProgress::Complete { reusable: true });
}

#[test]
fn header_values_are_utf_8_or_latin_1() {
    let (exchange, _) = read_in_steps(b"HTTP/1.1 200 OK\r\nA: \xc3\xbc\r\nB: \xfc\r\nContent-Length: 0\r\n\r\n", 99);
    assert_eq!((exchange.header("a"), exchange.header("b")), (Some("ü"), Some("ü")));
}

#[test]
fn what_breaks_off_is_an_error_that_says_where() {
    let cut = |wire: &[u8]| read_in_steps(wire, 4).1.unwrap_err().to_string();
    assert!(cut(b"").contains("before it answered"));
    assert!(cut(b"HTTP/1.1 200 OK\r\nConte").contains("response head"));
    assert!(cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").contains("6 bytes"));
    assert!(cut(&CHUNKED[..CHUNKED.len() - 5]).contains("last chunk"));
    let other = cut(b"SSH-2.0-OpenSSH_9\r\n");
    assert!(other.contains("not an HTTP response: it begins with \"SSH-"), "{other}");
    assert!(cut(b"HTTP/3.7 200 OK\r\n\r\n").contains("not valid HTTP"));
    let secure = cut(b"\x15\x03\x01\x00\x02\x02\x46");
    assert!(secure.contains("speaks TLS") && secure.ends_with("is its URL https:// instead?"), "{secure}");
    let switched = cut(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
    assert!(switched.starts_with("101 Switching Protocols: the server switches to websocket"), "{switched}");
}

#[test]
fn a_connection_that_says_close_or_sends_too_much_is_not_reused() {
    let close = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(read_in_steps(close, 999).1.unwrap(), ReadProgress::Complete { reusable: false });
    let extra = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz";
    assert_eq!(read_in_steps(extra, 999).1.unwrap(), ReadProgress::Complete { reusable: false });
    let old = b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx";
    assert_eq!(read_in_steps(old, 999).1.unwrap(), ReadProgress::Complete { reusable: false });
}

#[test]
fn any_number_of_interim_responses_is_skipped() {
    let wire = [b"HTTP/1.1 100 \r\n\r\n".repeat(20_000), b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()];
    let (exchange, end) = read_in_steps(&wire.concat(), 1 << 20);
    assert_eq!((exchange.status, end.unwrap()), (Some(200), ReadProgress::Complete { reusable: true }));
}

#[test]
fn lengths_that_differ_are_refused() {
    let twice = |other: &str| {
        let wire = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: {other}\r\n\r\nok");
        read_in_steps(wire.as_bytes(), 99).1
    };
    assert_eq!(twice("2").unwrap(), ReadProgress::Complete { reusable: true });
    assert!(twice("3").unwrap_err().to_string().contains("differently"));
}

#[test]
fn a_body_that_goes_on_for_ever_fails_at_the_limit_and_gives_its_memory_back() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let mut exchange = Exchange { body_limit: BodyLimit(1_000), ..Exchange::default() };
    let mut reader = ResponseReader::new();
    reader.feed(head, at(1), &mut exchange).unwrap();
    let comment = b": still here\n\n";
    let failed = (0..1_000).find_map(|_| reader.feed(comment, at(2), &mut exchange).err()).unwrap();
    assert!(matches!(failed, TransportError::BodyTooLong { limit: 1_000 }), "{failed}");
    assert!(failed.to_string().contains("AIPERF_HTTP_BODY_LIMIT_MB"));
    assert_eq!((exchange.body.capacity(), exchange.marks.len()), (0, 0));
}

#[test]
fn a_packed_body_has_the_same_limit() {
    let packed = {
        use std::io::Write as _;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
        encoder.finish().unwrap()
    };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
    let mut exchange = Exchange { body_limit: BodyLimit(100_000), ..Exchange::default() };
    let mut reader = ResponseReader::new();
    reader.feed(head.as_bytes(), at(1), &mut exchange).unwrap();
    let failed = reader.feed(&packed, at(2), &mut exchange).unwrap_err();
    assert!(matches!(failed, TransportError::BodyTooLong { limit: 100_000 }), "{failed}");
}
