//! Hands parts of a streamed body to the record threads while the rest arrives.

use std::cell::RefCell;
use std::sync::Arc;

use aiperf_endpoint::Endpoint;
use aiperf_transport::{BodySegment, Exchange};

use crate::record_queue::RecordSender;
use crate::request::streamed_body::StreamedBody;

/// Decides for one response whether and when its body is handed over in parts.
#[derive(Debug, Default)]
pub(crate) struct SegmentOutlet {
    body: RefCell<BodyState>,
}

#[derive(Debug, Default)]
enum BodyState {
    /// The body has not become long enough.
    #[default]
    Undecided,
    /// It stays whole until the response ends.
    Whole,
    InParts(Arc<StreamedBody>),
}

impl SegmentOutlet {
    /// Hands over what has arrived if another read like the last one would not fit into the segment.
    pub(crate) fn offer(&self, exchange: &mut Exchange, endpoint: &dyn Endpoint, records: &RecordSender) {
        let before = exchange.marks.iter().rev().nth(1).map_or(0, |mark| mark.end);
        let last_read = exchange.body.len().saturating_sub(before);
        if exchange.body.len() + last_read <= BodySegment::LENGTH {
            return;
        }
        let mut state = self.body.borrow_mut();
        if let BodyState::Undecided = *state {
            *state = decide(exchange, endpoint);
        }
        let BodyState::InParts(body) = &*state else { return };
        if records.takes_segments() {
            records.send_segment(body, exchange.take_segment());
        }
    }

    /// What was handed over, if anything was.
    pub(crate) fn take_body(&self) -> Option<Arc<StreamedBody>> {
        match self.body.take() {
            BodyState::InParts(body) => Some(body),
            BodyState::Undecided | BodyState::Whole => None,
        }
    }
}

/// Only the events of a successful stream can be read one after the other.
fn decide(exchange: &Exchange, endpoint: &dyn Endpoint) -> BodyState {
    let is_stream = exchange.is_success() && exchange.header("content-type").is_some_and(is_event_stream);
    let reader = if is_stream { endpoint.reader() } else { None };
    reader.map_or(BodyState::Whole, |reader| BodyState::InParts(Arc::new(StreamedBody::new(reader))))
}

fn is_event_stream(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("text/event-stream")
}
