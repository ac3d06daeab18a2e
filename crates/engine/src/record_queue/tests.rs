//! The queue to the record threads: its budget, its order, what it spills, and between threads.

use std::fs::File;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aiperf_clock::{ReadMark, ReadStamp, StampSource};
use aiperf_conversation::ContextMode;
use aiperf_endpoint::{BuildError, EndpointSettings, History, ResponseBody};
use aiperf_protocol::EndpointKind;
use aiperf_transport::Exchange;
use bytes::Bytes;
use uuid::Uuid;

use super::spill::SpillFile;
use super::*;
use crate::queue::unbounded;
use crate::request::bodies::{Began, Bodies, ConversationLease};
use crate::request::credit::{Session, SessionKey};
use crate::request::follow_up::FollowUp;

const LONGEST: Nanos = Nanos(1_000_000);

#[derive(Debug)]
struct NoBodies;

impl Bodies for NoBodies {
    fn fixed(&self, _conversation: usize, _turn: usize) -> Result<Bytes, BuildError> {
        Ok(Bytes::new())
    }

    fn single_token(&self, _conversation: usize, _turn: usize) -> Result<Bytes, BuildError> {
        Ok(Bytes::new())
    }

    fn begin(&self, _conversation: usize, _began: Began) {}

    fn end(&self, _conversation: usize) {}
}

fn session() -> Arc<Session> {
    let bodies: Arc<dyn Bodies> = Arc::new(NoBodies);
    Arc::new(Session {
        conversation: 0,
        root_conversation: 0,
        correlation_id: "session".to_owned(),
        target: 0,
        depth: 0,
        parent_correlation_id: None,
        root_correlation_id: "session".to_owned(),
        history: Mutex::new(History::new(ContextMode::MessageArrayWithResponses)),
        worker: 0,
        phase: 0,
        number: 0,
        turns: 1,
        id: SessionKey(1),
        is_root: true,
        _lease: ConversationLease::take(&bodies, 0, Began::Drawn),
    })
}

fn at(nanos: u64) -> Mono {
    Mono::from_nanos(nanos)
}

/// A request whose response has a body of this many bytes.
fn finished(number: u64, bytes: usize) -> Box<Finished> {
    let body = vec![b'0' + (number % 10) as u8; bytes];
    let marks = vec![
        ReadMark::new(bytes / 2, ReadStamp::kernel(at(number), at(number + 5))),
        ReadMark::user(bytes, at(number + 9)),
    ];
    let pair = |name: &str| (name.to_owned(), number.to_string());
    let exchange = Exchange {
        status: Some(200),
        headers: vec![pair("a"), pair("content-type")],
        trailers: vec![pair("t")],
        body,
        marks,
        ..Exchange::default()
    };
    Box::new(Finished {
        phase: 0,
        session: session(),
        turn: 0,
        number,
        request_id: Uuid::nil(),
        worker: 0,
        due: at(1),
        issued: at(1),
        start: at(1),
        end: at(2),
        exchange,
        streamed: None,
        result: Ok(()),
        body: Bytes::from(format!("request {number}")),
        body_is_fixed: false,
        is_single_token: false,
        follow_up: None,
    })
}

/// What must come back as it was.
fn contents(finished: &Finished) -> impl PartialEq + std::fmt::Debug + use<> {
    let Exchange { body, marks, headers, trailers, .. } = finished.exchange.clone();
    (finished.number, body, marks, headers, trailers, finished.body.clone())
}

#[expect(clippy::vec_box, reason = "the queue hands them out in boxes")]
fn take_all(reader: &mut RecordReader) -> Vec<Box<Finished>> {
    let mut all: Vec<_> = std::iter::from_fn(|| reader.receive()).map(|work| work.finished).collect();
    all.sort_unstable_by_key(|finished| finished.number);
    all
}

#[test]
fn a_closed_loop_waits_while_the_budget_is_used_up() {
    let (sender, queue) = record_queue(20_000);
    let mut reader = queue.reader(LONGEST);
    assert!(sender.send(finished(0, 10_000), Pressure::HoldBack).is_ok());
    let Err(RefusedRecord::Full(second)) = sender.send(finished(1, 10_000), Pressure::HoldBack) else {
        panic!("there was room");
    };
    let first = reader.receive().unwrap();
    assert_eq!(first.finished.number, 0);
    assert!(sender.send(finished(2, 10_000), Pressure::HoldBack).is_err(), "a record is made of the first");
    // The budget never refuses the only one.
    drop(sender.send(finished(3, 1), Pressure::Spill));
    assert_eq!(reader.receive().unwrap().finished.number, 3);
    drop(reader);
    let mut reader = queue.reader(LONGEST);
    assert_eq!(queue.figures().held, 0);
    assert!(sender.send(finished(4, 1_000_000), Pressure::HoldBack).is_ok());
    assert!(sender.send(second, Pressure::HoldBack).is_err());
    drop(sender);
    assert_eq!(take_all(&mut reader).len(), 1);
    assert_eq!(queue.figures().held, 0);
    assert!(queue.figures().most_held >= 1_000_000);
}

#[test]
fn waits_that_overlap_are_counted_once() {
    let (sender, queue) = record_queue(1);
    for (since, until) in [(10, 30), (20, 40), (25, 35), (60, 70)] {
        sender.note_held_back(at(since), at(until));
    }
    let HeldBack { requests, since, lasted, .. } = queue.figures().held_back;
    assert_eq!((requests, since, lasted), (4, at(10), Nanos(40)));
}

#[test]
fn without_record_threads_nothing_is_kept() {
    let (sender, queue) = record_queue(1_000_000);
    let reader = queue.reader(LONGEST);
    assert!(sender.send(finished(0, 10), Pressure::HoldBack).is_ok());
    drop(reader);
    assert!(matches!(sender.send(finished(1, 10), Pressure::HoldBack), Err(RefusedRecord::Closed)));
    assert_eq!(queue.0.lock().len(), 0);
}

#[test]
fn what_a_session_waits_for_comes_first() {
    let (sender, queue) = record_queue(1_000_000);
    let mut reader = queue.reader(LONGEST);
    let (events, _events) = unbounded();
    for number in 0..10 {
        let mut request = finished(number, 100);
        if number == 7 {
            request.follow_up = Some(FollowUp::new(session(), 0, at(1), at(1), events.clone()));
        }
        assert!(sender.send(request, Pressure::HoldBack).is_ok());
    }
    assert_eq!(reader.receive().unwrap().finished.number, 7);
}

#[test]
fn what_is_spilled_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = Arc::new(SpillFile::create(folder.path()).unwrap());
    assert_eq!(
        folder.path().read_dir().unwrap().count(),
        0,
        "the file has no name, so that nothing can be left behind"
    );
    let mut scratch = Vec::new();
    let spilled: Vec<_> =
        (0..20).map(|number| file.spill(finished(number, 1_000 * number as usize), &mut scratch).unwrap()).collect();
    for (number, spilled) in spilled.into_iter().enumerate() {
        let expected = finished(number as u64, 1_000 * number);
        let back = spilled.read_back();
        assert_eq!(contents(&back), contents(&expected));
        assert!(back.result.is_ok());
    }
}

#[test]
fn an_open_loop_spills_what_is_beyond_the_budget_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, queue) = record_queue(100_000);
    let mut reader = queue.reader(LONGEST);
    let spiller = SpillThread::start(&queue, folder.path(), |cause| panic!("{cause}")).unwrap();
    for number in 0..200 {
        assert!(sender.send(finished(number, 10_000), Pressure::Spill).is_ok());
    }
    while queue.figures().held > 100_000 {
        thread::sleep(Duration::from_millis(1));
    }
    drop(sender);
    spiller.join();
    let all = take_all(&mut reader);
    assert_eq!(all.len(), 200);
    for (number, back) in all.iter().enumerate() {
        assert_eq!(contents(back), contents(&finished(number as u64, 10_000)));
    }
    let figures = queue.figures();
    assert!(figures.spilled >= 190 && figures.spilled_bytes > 10_000 * figures.spilled, "{figures:?}");
    assert_eq!(figures.held, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let (sender, queue) = record_queue(1_000);
    let mut reader = queue.reader(LONGEST);
    let shared = Arc::clone(&queue.0);
    let spiller = thread::spawn(move || {
        shared.spill(|| File::options().read(true).write(true).open("/dev/full").map(SpillFile::of))
    });
    for number in 0..50 {
        assert!(sender.send(finished(number, 5_000), Pressure::Spill).is_ok());
    }
    let failure = spiller.join().unwrap().unwrap_err();
    assert_eq!(failure.kind(), std::io::ErrorKind::StorageFull);
    drop(sender);
    let all = take_all(&mut reader);
    assert_eq!(all.len(), 50);
    assert!(all.iter().all(|back| back.result.is_ok() && back.exchange.body.len() == 5_000));
}

#[test]
fn a_spilled_response_that_cannot_be_read_back_is_a_failed_request() {
    let file = tempfile::tempfile().unwrap();
    let spill = Arc::new(SpillFile::of(file.try_clone().unwrap()));
    let spilled = spill.spill(finished(1, 1_000), &mut Vec::new()).unwrap();
    file.set_len(0).unwrap();
    let back = spilled.read_back();
    assert!(matches!(back.result, Err(crate::ExchangeError::SpillLost(_))), "{:?}", back.result);
}

/// A stream of chat events, and its reads of one event each.
fn stream(events: usize) -> (Vec<u8>, Vec<ReadMark>) {
    let (mut body, mut marks) = (Vec::new(), Vec::new());
    for number in 0..events {
        let event = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" w{number}\"}}}}]}}\n\n");
        body.extend_from_slice(event.as_bytes());
        marks.push(ReadMark::user(body.len(), at(number as u64)));
    }
    body.extend_from_slice(b"data: [DONE]\n\n");
    marks.push(ReadMark::user(body.len(), at(events as u64)));
    (body, marks)
}

#[test]
fn segments_are_read_in_order_whichever_thread_reads_them() {
    const READERS: usize = 3;
    let (body, marks) = stream(400);
    let endpoint = aiperf_endpoint::of(EndpointKind::Chat, &EndpointSettings::default());
    let content_type = Some("text/event-stream");
    let whole = endpoint.read(ResponseBody { content_type, bytes: &body, marks: &marks }).unwrap();
    let (sender, queue) = record_queue(usize::MAX);
    let (done, replies) = mpsc::channel();
    for _ in 0..READERS {
        let (mut reader, done) = (queue.reader(LONGEST), done.clone());
        thread::spawn(move || {
            while let Some(RecordWork { finished, read }) = reader.receive() {
                assert!(finished.exchange.body.is_empty() && finished.exchange.body_length() > 0);
                let reply = read.reader.unwrap().finish(Some("text/event-stream")).unwrap();
                done.send((reply, read.reads.kernel, read.reads.user)).unwrap();
            }
        });
    }
    drop(done);
    for number in 0..20 {
        let streamed = Arc::new(StreamedBody::new(endpoint.reader().unwrap()));
        let mut request = finished(number, 0);
        (request.exchange.body, request.exchange.marks) = (Vec::new(), Vec::new());
        let mut start = 0;
        for mark in &marks {
            request.exchange.body.extend_from_slice(&body[start..mark.end]);
            start = mark.end;
            request.exchange.marks.push(ReadMark { end: request.exchange.body.len(), ..*mark });
            if request.exchange.body.len() > 500 {
                sender.send_segment(&streamed, request.exchange.take_segment());
            }
        }
        assert_eq!((request.exchange.body_length(), request.exchange.reads()), (body.len(), marks.len()));
        assert_eq!(request.exchange.first_body_byte(), Some(at(0)));
        assert_eq!(request.exchange.last_body_byte(), Some(at(400)));
        request.streamed = Some(streamed);
        assert!(sender.send(request, Pressure::HoldBack).is_ok());
    }
    drop(sender);
    let replies: Vec<_> = replies.iter().collect();
    assert_eq!(replies.len(), 20);
    for (reply, kernel, user) in replies {
        assert_eq!((&reply, kernel, user), (&whole, 0, marks.len() as u64));
    }
    assert_eq!(queue.figures().held, 0);
}

/// Nobody sleeps while something is there, and the budget is free again at the end.
#[test]
fn no_wake_up_is_lost_between_threads() {
    const PER_SENDER: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    for round in 0..4 {
        let (sender, queue) = record_queue(if round % 2 == 0 { 50_000 } else { 1_000_000_000 });
        let spiller = SpillThread::start(&queue, folder.path(), |cause| panic!("{cause}")).unwrap();
        let (done, all_done) = mpsc::channel();
        for _ in 0..3 {
            let (mut reader, done) = (queue.reader(LONGEST), done.clone());
            thread::spawn(move || {
                let taken: Vec<u64> =
                    std::iter::from_fn(|| reader.receive()).map(|work| work.finished.number).collect();
                let _ = done.send(taken);
            });
        }
        for index in 0..3 {
            let sender = sender.clone();
            thread::spawn(move || {
                let pressure = if index == 0 { Pressure::HoldBack } else { Pressure::Spill };
                for number in 0..PER_SENDER {
                    let mut request = finished(index * PER_SENDER + number, 1_000);
                    while let Err(RefusedRecord::Full(back)) = sender.send(request, pressure) {
                        request = back;
                        thread::sleep(Duration::from_micros(50));
                    }
                }
            });
        }
        drop((sender, done));
        let wait = || all_done.recv_timeout(Duration::from_secs(120)).expect("a reader sleeps for good");
        let mut all: Vec<u64> = (0..3).flat_map(|_| wait()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..3 * PER_SENDER).collect::<Vec<_>>());
        spiller.join();
        assert_eq!(queue.figures().held, 0);
    }
}

#[test]
fn marks_keep_their_source_on_disk() {
    let file = Arc::new(SpillFile::of(tempfile::tempfile().unwrap()));
    let back = file.spill(finished(3, 100), &mut Vec::new()).unwrap().read_back();
    let sources: Vec<_> = back.exchange.marks.iter().map(|mark| mark.source).collect();
    assert_eq!(sources, [StampSource::Kernel, StampSource::User]);
}
