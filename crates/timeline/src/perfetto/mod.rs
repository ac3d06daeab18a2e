//! The timeline as a Perfetto trace of track events, which <https://ui.perfetto.dev> opens: a track for each slot with its requests,
//! and counter tracks for requests in flight and for what servers and GPUs reported.

mod message;

use std::path::Path;

use aiperf_artifact::Folder;
use prost::Message as _;

use crate::TimelineError;
use crate::counters::{self, CounterTrack};
use crate::request::{self, PastRequest};
use crate::slots::{count_over_time, slots};
use message::{
    ChildOrdering, ClockReading, ClockSnapshot, CounterDescriptor, DebugAnnotation, EventType, ProcessDescriptor,
    Trace, TracePacket, TrackDescriptor, TrackEvent,
};

/// All packets come from one writer.
const SEQUENCE: u32 = 1;
/// The row that all others belong to.
const ROOT: u64 = 1;
/// Numbers that Perfetto gives to clocks.
const REALTIME: u32 = 1;
const BOOTTIME: u32 = 6;
const NANOS_PER_MS: f64 = 1e6;

/// The bytes of a trace file of the run in `dir`.
pub fn trace(dir: &Path) -> Result<Vec<u8>, TimelineError> {
    let folder = Folder::open(dir)?;
    let requests = request::read(&folder)?;
    let name = dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned());
    let counters = counters::read(&folder)?;
    Ok(packets(&name, &requests, counters).encode_to_vec())
}

fn packets(name: &str, requests: &[PastRequest], counters: Vec<CounterTrack>) -> Trace {
    let mut writer = TraceWriter::new(name, requests.first().map_or(0, |request| request.start));
    let in_flight = count_over_time(requests.iter().map(|request| (request.start, request.end)));
    let in_flight = CounterTrack {
        name: "requests in flight".to_owned(),
        unit: "requests",
        points: in_flight.into_iter().map(|(at, count)| (at, count as f64)).collect(),
    };
    for counter in std::iter::once(in_flight).chain(counters) {
        writer.counter(counter);
    }
    for (number, slot) in slots(requests).iter().enumerate() {
        let track = writer.track(format!("slot {number}"), None);
        for session in &slot.sessions {
            session.requests.iter().for_each(|request| writer.request(track, session.number, request));
        }
    }
    Trace { packet: writer.packets }
}

struct TraceWriter {
    packets: Vec<TracePacket>,
    tracks: u64,
}

impl TraceWriter {
    fn new(name: &str, start: u64) -> Self {
        // Without a snapshot the user interface could not show the time of day.
        let clocks = [BOOTTIME, REALTIME].map(|id| ClockReading { clock_id: Some(id), timestamp: Some(start) });
        let snapshot = ClockSnapshot { clocks: clocks.to_vec() };
        let root = TrackDescriptor {
            uuid: Some(ROOT),
            process: Some(ProcessDescriptor { pid: Some(1), process_name: Some(format!("aiperf: {name}")) }),
            child_ordering: Some(ChildOrdering::Explicit as i32),
            ..TrackDescriptor::default()
        };
        let mut writer = Self { packets: Vec::new(), tracks: ROOT };
        writer.put(TracePacket { timestamp: Some(start), clock_snapshot: Some(snapshot), ..TracePacket::default() });
        writer.put(TracePacket { track_descriptor: Some(root), ..TracePacket::default() });
        writer
    }

    fn put(&mut self, packet: TracePacket) {
        self.packets.push(TracePacket { trusted_packet_sequence_id: Some(SEQUENCE), ..packet });
    }

    /// A new row, below those that there are; its number.
    fn track(&mut self, name: String, counter: Option<CounterDescriptor>) -> u64 {
        self.tracks += 1;
        let track = TrackDescriptor {
            uuid: Some(self.tracks),
            parent_uuid: Some(ROOT),
            name: Some(name),
            counter,
            sibling_order_rank: Some(i32::try_from(self.tracks).unwrap_or(i32::MAX)),
            ..TrackDescriptor::default()
        };
        self.put(TracePacket { track_descriptor: Some(track), ..TracePacket::default() });
        self.tracks
    }

    fn counter(&mut self, counter: CounterTrack) {
        let description = CounterDescriptor { unit_name: Some(counter.unit.to_owned()) };
        let track = self.track(counter.name, Some(description));
        for (at, value) in counter.points {
            let event = TrackEvent { double_counter_value: Some(value), ..TrackEvent::default() };
            self.event(track, at, EventType::Counter, event);
        }
    }

    /// A slice for the request; within it the wait for the first token, and the tokens.
    fn request(&mut self, track: u64, session: usize, request: &PastRequest) {
        let PastRequest { start, end, .. } = *request;
        self.begin(track, start, format!("session {session} turn {}", request.turn), facts(request));
        match request.first_token.filter(|first| (start..=end).contains(first)) {
            Some(first) => {
                self.begin(track, start, "wait for first token".to_owned(), Vec::new());
                self.end(track, first);
                self.begin(track, first, "tokens".to_owned(), Vec::new());
                self.end(track, end);
            }
            None if request.ending.name() != "completed" => {
                self.begin(track, start, request.ending.name().to_owned(), Vec::new());
                self.end(track, end);
            }
            None => {}
        }
        self.end(track, end);
    }

    fn begin(&mut self, track: u64, at: u64, name: String, facts: Vec<DebugAnnotation>) {
        let categories = vec!["request".to_owned()];
        let event = TrackEvent { name: Some(name), categories, debug_annotations: facts, ..TrackEvent::default() };
        self.event(track, at, EventType::SliceBegin, event);
    }

    fn end(&mut self, track: u64, at: u64) {
        self.event(track, at, EventType::SliceEnd, TrackEvent::default());
    }

    fn event(&mut self, track: u64, at: u64, kind: EventType, event: TrackEvent) {
        let event = TrackEvent { r#type: Some(kind as i32), track_uuid: Some(track), ..event };
        self.put(TracePacket { timestamp: Some(at), track_event: Some(event), ..TracePacket::default() });
    }
}

fn facts(request: &PastRequest) -> Vec<DebugAnnotation> {
    let text = |name: &str, value: &str| DebugAnnotation {
        name: Some(name.to_owned()),
        string_value: Some(value.to_owned()),
        ..DebugAnnotation::default()
    };
    let count = |name: &str, value: Option<u64>| {
        value.map(|value| DebugAnnotation {
            name: Some(name.to_owned()),
            uint_value: Some(value),
            ..DebugAnnotation::default()
        })
    };
    let first = request.first_token.map(|first| DebugAnnotation {
        name: Some("time_to_first_token_ms".to_owned()),
        double_value: Some((first - request.start) as f64 / NANOS_PER_MS),
        ..DebugAnnotation::default()
    });
    let mut facts = vec![
        text("conversation", &request.conversation),
        text("correlation_id", &request.session),
        text("outcome", request.ending.name()),
    ];
    facts.extend(first);
    facts.extend(count("input_tokens", request.input_tokens));
    facts.extend(count("output_tokens", request.output_tokens));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::tests::request;

    #[test]
    fn a_trace_that_is_decoded_again_has_all_requests_and_values() {
        let requests = [request("a", 0, 0, 10), request("b", 0, 5, 12), request("a", 1, 20, 30)];
        let power = CounterTrack { name: "power".to_owned(), unit: "W", points: vec![(7, 690.5)] };
        let bytes = packets("run", &requests, vec![power]).encode_to_vec();
        let trace = Trace::decode(bytes.as_slice()).unwrap();
        let descriptors: Vec<&TrackDescriptor> =
            trace.packet.iter().filter_map(|packet| packet.track_descriptor.as_ref()).collect();
        let names: Vec<&str> = descriptors.iter().filter_map(|track| track.name.as_deref()).collect();
        assert_eq!(names, ["requests in flight", "power", "slot 0", "slot 1"]);
        assert!(descriptors[1..].iter().all(|track| track.parent_uuid == Some(ROOT)));
        let events = |kind: EventType| {
            trace.packet.iter().filter(move |packet| {
                packet.track_event.as_ref().is_some_and(|event| event.r#type == Some(kind as i32))
            })
        };
        assert_eq!(events(EventType::SliceBegin).count(), 9, "each request with its wait and its tokens");
        assert_eq!(events(EventType::SliceEnd).count(), 9);
        let values: Vec<(u64, f64)> = events(EventType::Counter)
            .map(|packet| {
                (packet.timestamp.unwrap(), packet.track_event.as_ref().unwrap().double_counter_value.unwrap())
            })
            .collect();
        let ms = |ms: u64| ms * 1_000_000;
        let in_flight = [(ms(0), 1.0), (ms(5), 2.0), (ms(10), 1.0), (ms(12), 0.0), (ms(20), 1.0), (ms(30), 0.0)];
        assert_eq!(values, [in_flight.as_slice(), &[(7, 690.5)]].concat());
    }

    #[test]
    fn slices_of_a_track_are_nested() {
        let mut failed = request("a", 0, 0, 10);
        (failed.first_token, failed.ending) = (None, crate::request::Ending::Failed);
        let trace = packets("run", &[failed, request("a", 1, 10, 20)], Vec::new());
        let mut depth = 0_i32;
        let mut before = 0;
        for packet in trace.packet.iter().filter(|packet| packet.track_event.is_some()) {
            let event = packet.track_event.as_ref().unwrap();
            match event.r#type {
                Some(kind) if kind == EventType::SliceBegin as i32 => depth += 1,
                Some(kind) if kind == EventType::SliceEnd as i32 => depth -= 1,
                _ => continue,
            }
            assert!((0..=2).contains(&depth) && packet.timestamp.unwrap() >= before);
            before = packet.timestamp.unwrap();
        }
        assert_eq!(depth, 0);
    }
}
