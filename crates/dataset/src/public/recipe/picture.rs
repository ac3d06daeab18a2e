//! Requests about images and videos.

use aiperf_config::Chat;
use aiperf_conversation::{Media, Turn};

use super::text;
use crate::public::image;
use crate::public::table_row::{ColumnValue, TableRow};

/// Marks the position of the image in recorded messages.
const PLACEHOLDER: &str = "<image>";

/// A question with its image; none if the question is empty.
pub(super) fn question(question: &str, picture: &ColumnValue) -> Result<Vec<Turn>, String> {
    let mut turns = text::prompt(question);
    if let (Some(turn), Some(url)) = (turns.first_mut(), image::data_url(picture)?) {
        turn.images = vec![Media::unnamed(url)];
    }
    Ok(turns)
}

/// The first message of the user, with the image.
pub(super) fn chat(chat: Chat, conversation: &ColumnValue, picture: &ColumnValue) -> Result<Vec<Turn>, String> {
    let said = first_of_user(chat, conversation).unwrap_or_default();
    question(said.replace(PLACEHOLDER, "").trim(), picture)
}

/// The first message of the user. A conversation is a list of messages, or a list of turns that are lists of messages.
fn first_of_user(chat: Chat, cell: &ColumnValue) -> Option<&str> {
    let is_user =
        |row: &TableRow| matches!(row.get(chat.speaker), Some(ColumnValue::Text(speaker)) if speaker == chat.user);
    match cell {
        ColumnValue::List(list) => list.iter().find_map(|cell| first_of_user(chat, cell)),
        ColumnValue::Record(row) if is_user(row) => match row.get(chat.text) {
            Some(ColumnValue::Text(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// A question with its choices, `A.one B.two`, and the URL of the video.
pub(super) fn video(question: &str, choices: &ColumnValue, url: &str) -> Vec<Turn> {
    if question.trim().is_empty() {
        return Vec::new();
    }
    let choices = match choices {
        ColumnValue::Record(row) => row.0.iter().filter_map(|(letter, choice)| match choice {
            ColumnValue::Text(text) if !text.trim().is_empty() => Some(format!("{letter}.{text}")),
            _ => None,
        }),
        _ => return video(question, &ColumnValue::Record(TableRow::default()), url),
    };
    let choices = choices.collect::<Vec<_>>().join(" ");
    let words = if choices.is_empty() { question.to_owned() } else { format!("{question}\n{choices}") };
    let videos = if url.is_empty() { Vec::new() } else { vec![Media::unnamed(url)] };
    vec![Turn { videos, ..text::turn(&words) }]
}
