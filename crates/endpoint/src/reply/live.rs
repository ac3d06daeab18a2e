//! The text of a response that is still arriving, for someone who reads along. It is read event by event in the same way as a
//! complete response.

use aiperf_clock::Mono;

use crate::api::append_chat;
use crate::reply::completion_event;
use crate::reply::documents;
use crate::reply::sse::{SseEvent, SseScanner};
use crate::reply::transcript::Transcript;

/// A chat stream that is being followed.
#[derive(Debug, Default)]
pub struct LiveChat {
    scanner: SseScanner,
    transcript: Transcript,
    handed_out: HandedOut,
}

/// How much of each text was handed out.
#[derive(Debug, Default)]
struct HandedOut {
    reasoning: usize,
    text: usize,
}

/// Text that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewWords<'a> {
    pub reasoning: &'a str,
    pub text: &'a str,
}

impl LiveChat {
    /// The text of the events that became complete since the last call. `body` is everything that arrived so far. Errors, and bodies
    /// that are not streams, are left to the reader of the complete response.
    pub fn follow(&mut self, body: &[u8]) -> NewWords<'_> {
        while let Some(frame) = self.scanner.next_frame(body) {
            let event = SseEvent::read(body, &frame);
            let data = event.data.as_deref().map(str::trim).unwrap_or_default();
            if data == documents::DONE {
                self.transcript.stream_end();
            }
            if self.transcript.is_over() {
                continue;
            }
            let mut parse_event =
                |data: &str, transcript: &mut Transcript| completion_event::parse_event(data, transcript, append_chat);
            let _ = documents::offer(data, &mut self.transcript, &mut parse_event);
            // The times of this transcript are not used.
            self.transcript.close_event(Mono::default());
        }
        let (reasoning, text) = self.transcript.texts();
        let new = NewWords { reasoning: &reasoning[self.handed_out.reasoning..], text: &text[self.handed_out.text..] };
        self.handed_out = HandedOut { reasoning: reasoning.len(), text: text.len() };
        new
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::ReadMark;
    use proptest::prelude::*;

    use super::*;
    use crate::{EndpointSettings, ResponseBody};
    use aiperf_protocol::EndpointKind;

    fn event(delta: &str) -> String {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n")
    }

    #[test]
    fn words_are_told_once_and_as_soon_as_their_event_is_complete() {
        let body = event(r#"{"role":"assistant","content":""}"#)
            + &event(r#"{"reasoning_content":"hm"}"#)
            + &event(r#"{"content":"Hel"}"#)
            + &event(r#"{"content":"lo"}"#)
            + "data: [DONE]\n\n";
        let mut live = LiveChat::default();
        let (mut reasoning, mut text) = (String::new(), String::new());
        for end in 0..=body.len() {
            let new = live.follow(&body.as_bytes()[..end]);
            reasoning.push_str(new.reasoning);
            text.push_str(new.text);
        }
        assert_eq!((reasoning.as_str(), text.as_str()), ("hm", "Hello"));
        assert_eq!(live.follow(body.as_bytes()), NewWords::default());
    }

    #[test]
    fn what_is_no_stream_of_a_chat_says_nothing() {
        let mut live = LiveChat::default();
        assert_eq!(live.follow(b"{\"choices\":[{\"message\":{\"content\":\"Hello\"}}]}"), NewWords::default());
        assert_eq!(LiveChat::default().follow(b"data: {\"error\":\"no\"}\n\ndata: 7\n\n"), NewWords::default());
    }

    /// Follows a body that comes in these pieces.
    fn followed(body: &[u8], cuts: &[prop::sample::Index]) -> (String, String) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        ends.sort_unstable();
        ends.push(body.len());
        let mut live = LiveChat::default();
        let mut handed_out = (String::new(), String::new());
        for end in ends {
            let new = live.follow(&body[..end]);
            handed_out.0.push_str(new.reasoning);
            handed_out.1.push_str(new.text);
        }
        handed_out
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_words_are_those_of_the_whole_reading(
            words in proptest::collection::vec((any::<bool>(), any::<String>()), 1..12),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut body = String::new();
            for (reasoning, word) in &words {
                let field = if *reasoning { "reasoning_content" } else { "content" };
                body.push_str(&event(&serde_json::json!({field: word}).to_string()));
            }
            body.push_str("data: [DONE]\n\n");
            let marks = [ReadMark::user(body.len(), Mono::from_nanos(1))];
            let whole = ResponseBody { content_type: Some("text/event-stream"), bytes: body.as_bytes(), marks: &marks };
            let reply = crate::of(EndpointKind::Chat, &EndpointSettings::default()).read(whole).unwrap_or_default();
            prop_assert_eq!(followed(body.as_bytes(), &cuts), (reply.reasoning_text, reply.plain_text));
        }

        #[test]
        fn no_bytes_panic(
            body in proptest::collection::vec(any::<u8>(), 0..300),
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            followed(&body, &cuts);
        }
    }
}
