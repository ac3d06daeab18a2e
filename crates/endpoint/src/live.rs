//! What an answer that is still coming has said so far, for someone who reads along. The same reading as of a whole answer,
//! event by event.

use aiperf_clock::Mono;

use crate::api::speak_chat;
use crate::completion_event;
use crate::sse::{SseEvent, SseScanner};
use crate::transcript::Transcript;

/// A chat stream that is being followed.
#[derive(Debug, Default)]
pub struct LiveChat {
    scanner: SseScanner,
    transcript: Transcript,
    told: Told,
}

/// How much of each text has been handed out.
#[derive(Debug, Default)]
struct Told {
    reasoning: usize,
    text: usize,
}

/// Words that are new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewWords<'a> {
    pub reasoning: &'a str,
    pub text: &'a str,
}

impl LiveChat {
    /// What the events say that are complete now and were not before. `body` is all that has come so far. Errors and what
    /// is no stream are left to the reading of the whole answer.
    pub fn follow(&mut self, body: &[u8]) -> NewWords<'_> {
        while let Some(frame) = self.scanner.next_frame(body) {
            let event = SseEvent::read(body, &frame);
            let data = event.data.as_deref().map(str::trim).unwrap_or_default();
            completion_event::hear(data, &mut self.transcript, speak_chat);
            // Nobody asks this transcript for times.
            self.transcript.close_event(Mono::default());
        }
        let (reasoning, text) = self.transcript.words();
        let new = NewWords { reasoning: &reasoning[self.told.reasoning..], text: &text[self.told.text..] };
        self.told = Told { reasoning: reasoning.len(), text: text.len() };
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
