//! `single_turn`: one request per line. Lines with the same `session_id` make one conversation, in file order; each is
//! sent alone, without the history of the others.

use std::path::Path;

use aiperf_conversation::{ContextMode, Conversation};
use aiperf_seed::Seed;

use super::{grouping, lines, row};
use crate::DatasetError;

/// The conversations of the file's bytes. `path` is for messages only; media paths are relative to `base`.
pub(crate) fn conversations(
    path: &Path,
    bytes: &[u8],
    base: &Path,
    seed: Seed,
) -> Result<Vec<Conversation>, DatasetError> {
    let rows = lines::lines(bytes)
        .map(|(line, content)| {
            row::parse(content, base).map_err(|problem| DatasetError::Row { path: path.to_owned(), line, problem })
        })
        .collect::<Result<_, _>>()?;
    Ok(grouping::conversations(rows, ContextMode::MessageArrayWithResponses, seed))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_sample_file_with_every_field_is_read_whole() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let path = folder.join("single_turn.jsonl");
        let bytes = std::fs::read(&path).unwrap();
        let all = conversations(&path, &bytes, &folder, Seed::fixed(1)).unwrap();
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
        let row = br#"{"text": "again", "image_uuids": ["u-1", "u-2"]}"#;
        let all = conversations(Path::new("rows"), row, Path::new(""), Seed::fixed(1)).unwrap();
        assert_eq!(all[0].turns[0].images[0].contents, [Arc::from(""), Arc::from("")]);
    }
}
