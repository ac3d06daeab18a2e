//! Markers against prefix caches. Contents carry a stand-in, so that a body is made once; each session puts its own
//! marker in the place of it when it sends.

use std::sync::Arc;

use aiperf_config::{CacheBust, MarkerPlace, MarkerSide, PhaseConfig, PhaseKind};
use aiperf_conversation::Conversation;
use aiperf_dataset::{MarkedSession, WARMUP_MARKER, mark};
use aiperf_engine::Session;
use aiperf_seed::Stream;
use bytes::Bytes;
use memchr::memmem;

/// As long as the marker of a session, and like no text that anybody writes.
const STAND_IN: &str = "[rid:____________]";
/// What stands between a marker and the text behind it, as JSON writes it.
const GAP: &str = r"\n\n";

#[derive(Debug)]
pub(crate) struct Markers {
    place: MarkerPlace,
    side: MarkerSide,
    rule: MarkerRule,
}

#[derive(Debug)]
enum MarkerRule {
    /// Another one for each session. The name of the run differs from run to run, so that none finds what another has
    /// left in the cache.
    EachSession { benchmark: String },
    /// By phase, whether it is a warmup.
    Warmup(Vec<bool>),
}

impl Markers {
    pub(crate) fn new(bust: CacheBust, phases: &[PhaseConfig]) -> Option<Self> {
        match bust {
            CacheBust::None => None,
            CacheBust::EachSession { place, side } => Some(Self {
                place,
                side,
                rule: MarkerRule::EachSession { benchmark: Stream::from_entropy().uuid().to_string() },
            }),
            CacheBust::Warmup { place } => {
                let warmups = phases.iter().map(|phase| phase.kind == PhaseKind::Warmup).collect();
                Some(Self { place, side: MarkerSide::Prefix, rule: MarkerRule::Warmup(warmups) })
            }
        }
    }

    /// The contents with the stand-in.
    pub(crate) fn mark(&self, conversation: &Conversation) -> Arc<Conversation> {
        Arc::new(mark(conversation, STAND_IN, self.place, self.side))
    }

    /// The body with the marker of this session, or without any.
    pub(crate) fn put(&self, session: &Session, conversation: &str, body: &[u8]) -> Option<Bytes> {
        match &self.rule {
            MarkerRule::EachSession { benchmark } => {
                let marked =
                    MarkedSession { benchmark, pass: session.phase as u64, lane: session.number, conversation };
                replaced(body, &marked.marker())
            }
            MarkerRule::Warmup(warmups) if warmups.get(session.phase) == Some(&true) => replaced(body, WARMUP_MARKER),
            MarkerRule::Warmup(_) => replaced(body, ""),
        }
    }
}

/// Every stand-in gives way to the marker; an empty one takes the gap away, too.
fn replaced(body: &[u8], marker: &str) -> Option<Bytes> {
    let mut places = memmem::find_iter(body, STAND_IN).peekable();
    places.peek()?;
    let mut made = Vec::with_capacity(body.len());
    let mut kept = 0;
    for place in places {
        made.extend_from_slice(&body[kept..place]);
        made.extend_from_slice(marker.as_bytes());
        kept = place + STAND_IN.len();
        if marker.is_empty() && body[kept..].starts_with(GAP.as_bytes()) {
            kept += GAP.len();
        }
    }
    made.extend_from_slice(&body[kept..]);
    Some(Bytes::from(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str, marker: &str) -> Option<String> {
        replaced(body.as_bytes(), marker).map(|made| String::from_utf8(made.to_vec()).unwrap())
    }

    #[test]
    fn every_stand_in_gives_way_to_the_marker() {
        let body = r#"["[rid:____________]\n\nhi", "[rid", "[rid:____________]"]"#;
        assert_eq!(text(body, "[rid:0123456789ab]").unwrap(), body.replace("____________", "0123456789ab"));
        assert_eq!(text(body, "").unwrap(), r#"["hi", "[rid", ""]"#);
        assert_eq!(text(body, WARMUP_MARKER).unwrap(), r#"["[warmup]\n\nhi", "[rid", "[warmup]"]"#);
        assert_eq!(text(r#"["hi"]"#, ""), None);
    }
}
