//! Checks that an event matched by the template of the event before it gives the same result as a parsed one.

use aiperf_clock::{Mono, ReadMark};
use proptest::prelude::*;

use super::*;
use crate::ResponseBody;
use crate::reply::documents;

/// All that the endpoints take from an event.
fn append(event: &CompletionEvent<'_>, transcript: &mut Transcript) {
    for choice in &event.choices.0 {
        transcript.text(choice.index(), choice.text.as_str());
        if let Some(message) = choice.delta.0.as_ref().or(choice.message.0.as_ref()) {
            transcript.reasoning(choice.index(), message.reasoning());
            transcript.text(choice.index(), &message.content.text);
            transcript.text(choice.index(), message.refusal.as_str());
            for fragment in message.calls() {
                transcript.tool_call(choice.index(), fragment);
            }
        }
    }
    if let Some(message) = &event.message.0 {
        transcript.text(0, &message.content.text);
    }
}

/// The stream that these events make, read in both ways.
fn both_readings(events: &[String]) -> (String, String) {
    let bytes: Vec<u8> = events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect();
    let marks: Vec<ReadMark> = (1..=bytes.len()).map(|end| ReadMark::user(end, Mono::from_nanos(end as u64))).collect();
    let body = ResponseBody { content_type: Some("text/event-stream"), bytes: &bytes, marks: &marks };
    let repeated =
        documents::read(body, |data: &str, transcript: &mut Transcript| parse_event(data, transcript, append));
    let parsed_again =
        documents::read(body, |data: &str, transcript: &mut Transcript| parse_new_event(data, transcript, append));
    (format!("{repeated:?}"), format!("{parsed_again:?}"))
}

/// An event with `text` at one of the places where text may stand, as it is: it may break the event.
fn event(shape: u8, index: u8, text: &str) -> String {
    let choice = |rest: &str| format!(r#"{{"id":"x","choices":[{{"index":{index},{rest}}}]}}"#);
    match shape {
        0..=4 => choice(&format!(r#""delta":{{"content":"{text}"}},"finish_reason":null"#)),
        5 => choice(&format!(r#""delta":{{"reasoning_content":"{text}","content":null}}"#)),
        6 => choice(&format!(r#""delta":{{"reasoning":"{text}","reasoning_content":"{text}"}}"#)),
        7 => choice(&format!(r#""delta":{{"content":"{text}","refusal":"no"}}"#)),
        8 => choice(&format!(r#""delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":"{text}"}}}}]}}"#)),
        9 => choice(&format!(r#""text":"{text}""#)),
        10 => choice(&format!(r#""delta":{{"content":[{{"type":"text","text":"{text}"}}]}}"#)),
        11 => choice(&format!(r#""delta":{{"content":"{text}"}},"finish_reason":"stop""#)),
        12 => format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}],"usage":{{"completion_tokens":3}}}}"#),
        13 => format!(r#"{{"message":{{"content":"{text}"}},"done":false}}"#),
        14 => format!(r#"{{"choices":[{{"delta":{{"content":"a"}}}},{{"index":1,"delta":{{"content":"{text}"}}}}]}}"#),
        15 => format!(r#"{{"choices":[{{"delta":{{"content":"a","content":"{text}"}}}}]}}"#),
        16 => format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}],"error":null,"x":"{text}"}}"#),
        _ => "[DONE]".to_owned(),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ a-zé€]{0,5}",
        1 => r#"[\\"{}\[\]:,nu0 a\t]{0,6}"#,
        1 => r#"(", ?"finish_reason": ?"stop|"\}\},\{"delta":\{"content":"a)"#,
    ]
}

proptest! {
    #[test]
    fn an_event_that_repeats_another_means_what_a_reading_of_it_says(
        events in prop::collection::vec((0_u8..18, 0_u8..2, text()), 1..20)
    ) {
        let events: Vec<String> = events.iter().map(|(shape, index, text)| event(*shape, *index, text)).collect();
        let (repeated, anew) = both_readings(&events);
        prop_assert_eq!(repeated, anew);
    }

    #[test]
    fn damage_to_one_event_does_not_reach_the_next(
        shape in 0_u8..17, texts in prop::collection::vec("[ a-z]{1,5}", 3..6), at in 0_usize..60, with in any::<char>()
    ) {
        let mut events: Vec<String> = texts.iter().map(|text| event(shape, 0, text)).collect();
        let damaged: String =
            events[1].chars().enumerate().map(|(place, char)| if place == at { with } else { char }).collect();
        events[1] = damaged;
        let (repeated, anew) = both_readings(&events);
        prop_assert_eq!(repeated, anew);
    }
}
