//! `multi_turn`: one conversation per line, its turns in a list. Lines with the same `session_id` are one conversation,
//! in file order. Each turn is sent with all that was said before it.

use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Turn};

use super::fields::{JsonFields, unexpected};
use super::input_data::{LoadedFile, ReadContext};
use super::media::MediaFiles;
use super::row::RequestRow;
use super::{lines, row};
use crate::DatasetError;

pub(crate) fn conversations(
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let rows = lines::rows(document, &mut reading.row_errors, |line| parse(line, &reading.media))?;
    let mut conversations = row::conversations(rows, ContextMode::DeltasWithoutResponses, reading.seed);
    if reading.has_system_role {
        conversations.iter_mut().for_each(lift_system_message);
    }
    Ok(conversations)
}

fn parse(line: &[u8], media: &MediaFiles) -> Result<RequestRow, String> {
    let object = lines::object(line)?;
    let fields = JsonFields(&object);
    if let Some(kind) = fields.string("type")?.filter(|kind| *kind != "multi_turn") {
        return Err(format!("type is {kind:?}, but this file is read as multi_turn"));
    }
    let Some(turns) = fields.list("turns")?.filter(|turns| !turns.is_empty()) else {
        return Err("turns: a list of at least one turn is expected".to_owned());
    };
    let read = |(place, turn): (usize, &serde_json::Value)| {
        let object = turn.as_object().ok_or_else(|| unexpected("turns", "a list of objects", turn))?;
        row::turn(object, media).map_err(|problem| format!("turn {place}: {problem}"))
    };
    let turns: Vec<Turn> = turns.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    Ok(RequestRow { session: row::session(fields)?, turns })
}

/// Turns a first turn that only sets the system message into the system message of the conversation. It stays a turn if it
/// is the only one, or the first of several system turns.
fn lift_system_message(conversation: &mut Conversation) {
    let is_system = |turn: &Turn| turn.role.as_ref().is_some_and(|role| &*role.0 == "system");
    let [first, second, ..] = &conversation.turns[..] else { return };
    if !is_system(first) || is_system(second) || !is_bare(first) {
        return;
    }
    let texts: Vec<&str> = first.all_texts().collect();
    if let [text] = texts[..] {
        conversation.system = Some(Arc::from(text));
        conversation.turns.remove(0);
    }
}

/// Whether a turn has only text, and nothing that belongs to a request.
fn is_bare(turn: &Turn) -> bool {
    let no_media = [&turn.images, &turn.audios, &turn.videos].iter().all(|media| media.is_empty());
    let unscheduled = turn.timestamp_ms.is_none() && turn.delay_ms.is_none();
    no_media && unscheduled && turn.max_tokens.is_none() && turn.extra_body.is_none()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aiperf_config::FileSource;
    use aiperf_seed::Seed;
    use proptest::prelude::*;

    use super::*;

    fn read(content: &str, has_system_role: bool) -> Result<Vec<Conversation>, DatasetError> {
        let source = FileSource::of("rows.jsonl".into());
        let document = LoadedFile { path: source.path.clone(), bytes: content.as_bytes().to_vec() };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut reading = ReadContext::new(&source, has_system_role, Seed::fixed(1), MediaFiles::relative_to(&folder));
        conversations(&document, &mut reading)
    }

    fn sample() -> &'static str {
        include_str!("../../tests/fixtures/multi_turn.jsonl")
    }

    fn texts(conversation: &Conversation) -> Vec<&str> {
        conversation.turns.iter().flat_map(Turn::all_texts).collect()
    }

    #[test]
    fn the_sample_file_is_read_whole() {
        let all = read(sample(), true).unwrap();
        let shape: Vec<(String, usize)> = all.iter().map(|c| (c.session_id.to_string(), c.turns.len())).collect();
        let expected = [
            ("m1", 4),
            ("m2", 2),
            ("session_000000", 1),
            ("m3", 2),
            ("m4", 2),
            ("x0", 1),
            ("x1", 2),
            ("x2", 3),
            ("x3", 4),
            ("x4", 1),
            ("x5", 2),
        ];
        assert_eq!(shape, expected.map(|(id, turns)| (id.to_owned(), turns)));
        assert_eq!(texts(&all[0]), ["Hi", "And then?", "Finally?", "m1 continued (same session id, appended)"]);
        let delays: Vec<Option<f64>> = all[0].turns.iter().map(|turn| turn.delay_ms).collect();
        assert_eq!(delays, [None, Some(300.0), Some(100.0), None]);
        assert_eq!(all[0].turns[2].max_tokens, Some(9));
        assert_eq!(all[1].turns[1].extra_body.as_ref().unwrap()["temperature"], 0);
        assert_eq!((all[3].turns[0].texts[0].contents.len(), all[3].turns[0].images.len()), (2, 1));
        let times: Vec<Option<f64>> = all[4].turns.iter().map(|turn| turn.timestamp_ms).collect();
        assert_eq!(times, [Some(0.0), Some(800.0)]);
        assert!(all.iter().all(|c| c.context_mode == ContextMode::DeltasWithoutResponses));
    }

    #[test]
    fn a_system_turn_at_the_start_is_the_system_message_where_the_endpoint_has_one() {
        let with = &read(sample(), true).unwrap()[1];
        assert_eq!((with.system.as_deref(), texts(with)), (Some("You are terse."), vec!["Q1", "Q2"]));
        let without = &read(sample(), false).unwrap()[1];
        assert_eq!((without.system.as_deref(), texts(without)), (None, vec!["You are terse.", "Q1", "Q2"]));
    }

    #[test]
    fn a_system_turn_that_is_more_than_a_system_message_stays_a_turn() {
        let stays = |turns: &str| {
            let all = read(&format!(r#"{{"turns": [{turns}]}}"#), true).unwrap();
            all[0].system.is_none()
        };
        assert!(!stays(r#"{"role": "system", "text": "s"}, {"text": "q"}"#));
        assert!(stays(r#"{"role": "system", "text": "s"}"#), "all there is");
        assert!(stays(r#"{"role": "system", "text": "s"}, {"role": "system", "text": "t"}, {"text": "q"}"#));
        assert!(stays(r#"{"text": "q"}, {"role": "system", "text": "s"}"#), "not the first");
        for more in
            [r#""delay": 1"#, r#""timestamp": 0"#, r#""output_length": 1"#, r#""extra": {}"#, r#""image": "data:,""#]
        {
            assert!(stays(&format!(r#"{{"role": "system", "text": "s", {more}}}, {{"text": "q"}}"#)), "{more}");
        }
    }

    #[test]
    fn a_bad_row_is_named_by_line_turn_and_expectation() {
        for (row, expected) in [
            (r#"{"turns": []}"#, "turns: a list of at least one turn is expected"),
            (r#"{"session_id": "a"}"#, "turns: a list of at least one turn is expected"),
            (r#"{"turns": [{"text": "a"}, 5]}"#, "turns: a list of objects is expected, not 5"),
            (r#"{"turns": [{"text": "a"}, {"role": "user"}]}"#, "turn 1: nothing to send"),
            (r#"{"turns": [{"text": "a", "delay": "1"}]}"#, "turn 0: delay: a non-negative number of milliseconds"),
            (r#"{"session_id": 5, "turns": [{"text": "a"}]}"#, "session_id: a string is expected, not 5"),
            (r#"{"type": "single_turn", "turns": [{"text": "a"}]}"#, "read as multi_turn"),
        ] {
            let error = read(&format!("{{\"turns\": [{{\"text\": \"good\"}}]}}\n{row}"), true).unwrap_err().to_string();
            assert!(error.contains("rows.jsonl, line 2: ") && error.contains(expected), "{row}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_turns_make_the_reader_panic(turns in r#"(null|[0-9]|"a"|\[(\{("text":("a"|1|null))?\}|5|\[\])?(,\{"text":"b"\})?\])"#) {
            let _ = read(&format!(r#"{{"turns":{turns}}}"#), true);
        }

        #[test]
        fn turns_arrive_in_order(cuts in proptest::collection::vec(1_usize..4, 1..5)) {
            let mut next = 0;
            let mut content = String::new();
            for cut in &cuts {
                let turns: Vec<_> = (next..next + cut).map(|n| serde_json::json!({"text": n.to_string()})).collect();
                content += &format!("{}\n", serde_json::json!({"session_id": "s", "turns": turns}));
                next += cut;
            }
            let all = read(&content, true).unwrap();
            let expected: Vec<String> = (0..next).map(|n| n.to_string()).collect();
            prop_assert_eq!(texts(&all[0]), expected);
        }
    }
}
