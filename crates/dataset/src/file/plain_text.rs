//! `plain_text`: one prompt per line. Blank lines are skipped, and prompts are trimmed.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, Turn};
use aiperf_trace::not_utf8;

use super::input_data::{LoadedFile, ReadContext};
use super::lines;
use crate::DatasetError;
use crate::session_names::SessionNames;

pub(crate) fn conversations(
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let prompts = lines::rows(document, &mut reading.row_errors, |line| match std::str::from_utf8(line) {
        Ok(prompt) => Ok(Arc::<str>::from(prompt)),
        Err(error) => Err(not_utf8(line).unwrap_or_else(|| error.to_string())),
    })?;
    let mut names = SessionNames::new(reading.seed, HashSet::new());
    let conversation = |prompt| Conversation {
        session_id: names.next(),
        turns: vec![Turn { texts: vec![Media::unnamed(prompt)], ..Turn::default() }],
        system: None,
        user_context: None,
        context_mode: ContextMode::MessageArrayWithResponses,
        lineage: Lineage::Root,
    };
    Ok(prompts.into_iter().map(conversation).collect())
}

#[cfg(test)]
mod tests {
    use crate::conversations_of;
    use aiperf_config::FileFormat;

    fn prompts(text: &[u8]) -> Result<Vec<String>, String> {
        let all = conversations_of(Some(FileFormat::PlainText), text).map_err(|error| error.to_string())?;
        Ok(all.iter().flat_map(|c| c.turns[0].all_texts().map(str::to_owned)).collect())
    }

    #[test]
    fn each_line_that_is_not_blank_is_a_prompt() {
        let text = "\u{feff}What is 1+1?\r\n\n  {\"not\": \"parsed\"} \nWas heißt é?";
        assert_eq!(prompts(text.as_bytes()).unwrap(), ["What is 1+1?", "{\"not\": \"parsed\"}", "Was heißt é?"]);
    }

    #[test]
    fn another_encoding_is_named_by_line_and_byte() {
        let error = prompts(b"good\ncaf\xe9\n").unwrap_err();
        assert!(error.contains("line 2: not UTF-8: byte 0xE9 at column 4"), "{error}");
    }
}
