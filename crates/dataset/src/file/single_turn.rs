//! `single_turn`: one request per line. Lines with the same `session_id` make one conversation, in file order; each is
//! sent alone, without the history of the others.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation};

use super::input_data::{LoadedFile, ReadContext};
use super::{lines, row};
use crate::DatasetError;

pub(crate) fn conversations(
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let rows = lines::rows(document, &mut reading.row_errors, |line| row::parse(line, &reading.media))?;
    let mut conversations = row::conversations(rows, ContextMode::MessageArrayWithResponses, reading.seed);
    if reading.source.strip_known_images {
        conversations.iter_mut().for_each(strip_known_images);
    }
    Ok(conversations)
}

/// Sends an image only by its id if the session has already sent it under the same id.
fn strip_known_images(conversation: &mut Conversation) {
    let mut known: HashSet<String> = HashSet::new();
    for turn in &mut conversation.turns {
        let contents = turn.images.iter_mut().flat_map(|image| &mut image.contents);
        for (content, uuid) in contents.zip(&turn.image_uuids) {
            if content.is_empty() {
                continue;
            }
            if !known.insert(uuid.clone()) {
                *content = Arc::from("");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aiperf_config::FileSource;
    use aiperf_seed::Seed;

    use super::*;
    use crate::file::media::MediaFiles;

    fn read(rows: &str, strip_known_images: bool) -> Vec<Conversation> {
        let source = FileSource { strip_known_images, ..FileSource::of("rows.jsonl".into()) };
        let document = LoadedFile { path: source.path.clone(), bytes: rows.as_bytes().to_vec() };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut reading = ReadContext::new(&source, true, Seed::fixed(1), MediaFiles::relative_to(&folder));
        conversations(&document, &mut reading).unwrap()
    }

    #[test]
    fn the_sample_file_with_every_field_is_read_whole() {
        let all = read(include_str!("../../tests/fixtures/single_turn.jsonl"), false);
        assert_eq!(all.len(), 12);
        let turn = |index: usize| &all[index].turns[0];
        assert_eq!(turn(1).max_tokens, Some(12));
        assert_eq!(turn(2).extra_body.as_ref().unwrap()["temperature"], 0.25);
        assert_eq!(turn(2).role.as_ref().unwrap().0.as_ref(), "user");
        assert!(turn(3).all_texts().eq(["first part", "second part"]));
        let groups: Vec<(&str, usize)> = turn(4).texts.iter().map(|m| (m.name.as_str(), m.contents.len())).collect();
        assert_eq!(groups, [("query", 2), ("ctx", 1)]);
        assert!(turn(5).images[0].contents[0].starts_with("data:image/png;base64,"));
        assert!(turn(6).images[0].contents[0].starts_with("data:image/jpeg;base64,"));
        assert_eq!(&*turn(6).images[0].contents[1], "https://example.invalid/cat.png");
        assert!(turn(8).audios[0].contents[0].starts_with("wav,"));
        assert_eq!(&*turn(9).audios[0].contents[0], "wav,UklGRg==");
        assert!(turn(10).videos[0].contents[0].starts_with("data:video/mp4;base64,"));
        assert_eq!(turn(11).image_uuids, ["u-1", "u-2"]);
        assert_eq!(&*turn(11).images[0].contents[1], "");
    }

    #[test]
    fn ids_without_images_have_empty_places() {
        let all = read(r#"{"text": "again", "image_uuids": ["u-1", "u-2"]}"#, false);
        assert_eq!(all[0].turns[0].images[0].contents, [Arc::from(""), Arc::from("")]);
    }

    #[test]
    fn an_image_is_sent_once_in_a_session_and_then_by_its_id_when_asked_for() {
        let rows = r#"{"session_id": "a", "text": "1", "images": ["data:,x"], "image_uuids": ["u"]}
            {"session_id": "b", "text": "1", "images": ["data:,x"], "image_uuids": ["u"]}
            {"session_id": "a", "text": "2", "images": ["data:,x", "data:,y"], "image_uuids": ["u", "v"]}"#;
        let sent = |strip: bool| -> Vec<Vec<Arc<str>>> {
            let turns = read(rows, strip).into_iter().flat_map(|conversation| conversation.turns);
            turns.map(|turn| turn.images[0].contents.clone()).collect()
        };
        let expected = |last: [&str; 2]| {
            vec![vec![Arc::from("data:,x")], last.map(Arc::from).to_vec(), vec![Arc::from("data:,x")]]
        };
        assert_eq!(sent(true), expected(["", "data:,y"]));
        assert_eq!(sent(false), expected(["data:,x", "data:,y"]));
    }
}
