//! When the frames of each stream passed the socket.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use aiperf_clock::{Mono, ReadStamp};

use super::frame::Http2FrameScanner;
use crate::http1::SPEAKS_TLS;

/// The kind of a frame.
const SETTINGS: u8 = 4;

/// The times of one connection's frames: noted where bytes are read and written, read by the requests.
#[derive(Debug)]
pub(super) struct FrameTimes {
    inbound: Http2FrameScanner,
    outbound: Http2FrameScanner,
    streams: HashMap<u32, StreamTimes>,
    /// How the server's first bytes begin.
    beginning: Option<[u8; 6]>,
}

#[derive(Debug, Default)]
struct StreamTimes {
    sent: SentPart,
    /// Waits for the last byte of the request to be written.
    waiting: Option<Waker>,
    head: Option<ReadStamp>,
    head_bytes: u64,
    /// Body bytes that have arrived.
    arrived: usize,
    /// Where each frame of the body ends, and when it had arrived; those before what was read are gone.
    marks: VecDeque<(usize, ReadStamp)>,
}

/// What of a request has been written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SentPart {
    pub(super) head_at: Option<Mono>,
    pub(super) head_bytes: u64,
    pub(super) body_bytes: u64,
    /// Frames that carried body bytes.
    pub(super) writes: u64,
    pub(super) end: Option<Mono>,
}

impl FrameTimes {
    pub(super) fn shared() -> Rc<RefCell<Self>> {
        let (inbound, outbound) = (Http2FrameScanner::default(), Http2FrameScanner::after_preface());
        Rc::new(RefCell::new(Self { inbound, outbound, streams: HashMap::new(), beginning: None }))
    }

    /// If the server's first bytes are not HTTP/2: what they are, and what to do about it.
    pub(super) fn other_protocol(&self) -> Option<&'static str> {
        match &self.beginning? {
            b"HTTP/1" => Some("it answers in HTTP/1.1; use --http-version 1.1"),
            [0x15 | 0x16, 0x03, ..] => Some(SPEAKS_TLS),
            // The first frame of a server is SETTINGS (RFC 9113 section 3.4).
            [_, _, _, kind, ..] if *kind != SETTINGS => Some("the server does not speak it on this port"),
            _ => None,
        }
    }

    /// Bytes were read.
    pub(super) fn received(&mut self, bytes: &[u8], stamp: ReadStamp) {
        if self.beginning.is_none() {
            // A beginning that is spread over several reads is not examined.
            self.beginning = Some(bytes.first_chunk().copied().unwrap_or([0, 0, 0, SETTINGS, 0, 0]));
        }
        let streams = &mut self.streams;
        self.inbound.feed(bytes, |frame| {
            let Some(stream) = streams.get_mut(&frame.stream) else { return };
            if let Some(count) = frame.data() {
                stream.arrived += count;
                stream.marks.push_back((stream.arrived, stamp));
            } else if let (None, Some(count)) = (stream.head, frame.headers()) {
                stream.head_bytes += count as u64;
                stream.head = frame.ends_headers().then_some(stamp);
            }
        });
    }

    /// The socket accepted bytes.
    pub(super) fn written(&mut self, bytes: &[u8], at: Mono) {
        let streams = &mut self.streams;
        self.outbound.feed(bytes, |frame| {
            let Some(stream) = streams.get_mut(&frame.stream) else { return };
            let sent = &mut stream.sent;
            if let Some(count) = frame.headers() {
                sent.head_bytes += count as u64;
                sent.head_at = Some(at);
            } else if let Some(count) = frame.data().filter(|count| *count > 0) {
                sent.body_bytes += count as u64;
                sent.writes += 1;
            }
            if frame.ends_stream() {
                sent.end = Some(at);
                if let Some(waiting) = stream.waiting.take() {
                    waiting.wake();
                }
            }
        });
    }
}

/// The times of one stream. Dropping it forgets them.
#[derive(Debug)]
pub(super) struct StreamHandle {
    times: Rc<RefCell<FrameTimes>>,
    stream: u32,
}

impl StreamHandle {
    /// To be opened before the connection writes the request.
    pub(super) fn open(times: &Rc<RefCell<FrameTimes>>, stream: u32) -> Self {
        times.borrow_mut().streams.insert(stream, StreamTimes::default());
        Self { times: Rc::clone(times), stream }
    }

    fn with<T>(&self, look: impl FnOnce(&mut StreamTimes) -> T) -> Option<T> {
        self.times.borrow_mut().streams.get_mut(&self.stream).map(look)
    }

    pub(super) fn sent(&self) -> SentPart {
        self.with(|times| times.sent).unwrap_or_default()
    }

    /// Resolves when the socket has accepted the last byte of the request.
    pub(super) async fn all_sent(&self) -> Mono {
        poll_fn(|cx| {
            let sent = self.with(|times| {
                times.waiting = Some(cx.waker().clone());
                times.sent.end
            });
            sent.flatten().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// When the response's head had arrived, and its size.
    pub(super) fn head(&self) -> Option<(ReadStamp, u64)> {
        self.with(|times| times.head.map(|stamp| (stamp, times.head_bytes))).flatten()
    }

    /// When the first `end` bytes of the body had arrived. Must be called with growing `end`.
    pub(super) fn arrival(&self, end: usize) -> Option<ReadStamp> {
        let find = |times: &mut StreamTimes| {
            while times.marks.front().is_some_and(|(reached, _)| *reached < end) {
                times.marks.pop_front();
            }
            times.marks.front().map(|(_, stamp)| *stamp)
        };
        self.with(find).flatten()
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        self.times.borrow_mut().streams.remove(&self.stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let mut wire = vec![0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream];
        wire.extend_from_slice(payload);
        wire
    }

    fn at(nanos: u64) -> ReadStamp {
        ReadStamp::user(Mono::from_nanos(nanos))
    }

    #[test]
    fn each_frame_has_the_time_of_the_read_that_completed_it() {
        let times = FrameTimes::shared();
        let (one, three) = (StreamHandle::open(&times, 1), StreamHandle::open(&times, 3));
        let wire = [
            frame(1, 4, 1, b"head"),
            frame(1, 4, 3, b"he"),
            frame(0, 0, 3, b"three"),
            frame(0, 0, 1, b"one"),
            frame(0, 1, 1, b"end"),
        ]
        .concat();
        // The cut falls into the data of stream 1.
        let (early, late) = wire.split_at(wire.len() - 14);
        times.borrow_mut().received(early, at(10));
        times.borrow_mut().received(late, at(20));
        assert_eq!((one.head(), three.head()), (Some((at(10), 4)), Some((at(10), 2))));
        assert_eq!(three.arrival(5), Some(at(10)));
        assert_eq!((one.arrival(3), one.arrival(6), one.arrival(7)), (Some(at(20)), Some(at(20)), None));
        drop(one);
        assert_eq!(times.borrow().streams.len(), 1);
    }

    #[test]
    fn a_request_is_sent_when_the_frame_that_ends_it_was_written() {
        let times = FrameTimes::shared();
        let page = StreamHandle::open(&times, 1);
        let preface = [b'x'; super::super::frame::PREFACE];
        times.borrow_mut().written(&preface, Mono::from_nanos(1));
        times.borrow_mut().written(&frame(1, 4, 1, b"head"), Mono::from_nanos(2));
        assert_eq!((page.sent().head_at, page.sent().end), (Some(Mono::from_nanos(2)), None));
        times.borrow_mut().written(&frame(0, 1, 1, b"body!"), Mono::from_nanos(3));
        let sent = page.sent();
        assert_eq!((sent.head_bytes, sent.body_bytes, sent.writes, sent.end), (4, 5, 1, Some(Mono::from_nanos(3))));
    }
}
