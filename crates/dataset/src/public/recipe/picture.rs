//! Requests about pictures and videos.

use aiperf_config::Chat;
use aiperf_conversation::{Media, Turn};

use super::text;
use crate::public::cell::{Cell, Row};
use crate::public::image;

/// Stands in recorded messages where the picture belongs.
const PLACEHOLDER: &str = "<image>";

/// A question and its picture; none without words.
pub(super) fn question(question: &str, picture: &Cell) -> Result<Vec<Turn>, String> {
    let mut turns = text::prompt(question);
    if let (Some(turn), Some(url)) = (turns.first_mut(), image::data_url(picture)?) {
        turn.images = vec![Media::unnamed(url)];
    }
    Ok(turns)
}

/// What the user said first, and the picture.
pub(super) fn chat(chat: Chat, conversation: &Cell, picture: &Cell) -> Result<Vec<Turn>, String> {
    let said = first_of_user(chat, conversation).unwrap_or_default();
    question(said.replace(PLACEHOLDER, "").trim(), picture)
}

/// Conversations are lists of messages, or lists of turns that are lists of messages.
fn first_of_user(chat: Chat, cell: &Cell) -> Option<&str> {
    let is_user = |row: &Row| matches!(row.get(chat.speaker), Some(Cell::Text(speaker)) if speaker == chat.user);
    match cell {
        Cell::List(list) => list.iter().find_map(|cell| first_of_user(chat, cell)),
        Cell::Record(row) if is_user(row) => match row.get(chat.text) {
            Some(Cell::Text(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// A question with its choices, `A.one B.two`, and the address of the video.
pub(super) fn video(question: &str, choices: &Cell, url: &str) -> Vec<Turn> {
    if question.trim().is_empty() {
        return Vec::new();
    }
    let choices = match choices {
        Cell::Record(row) => row.0.iter().filter_map(|(letter, choice)| match choice {
            Cell::Text(text) if !text.trim().is_empty() => Some(format!("{letter}.{text}")),
            _ => None,
        }),
        _ => return video(question, &Cell::Record(Row::default()), url),
    };
    let choices = choices.collect::<Vec<_>>().join(" ");
    let words = if choices.is_empty() { question.to_owned() } else { format!("{question}\n{choices}") };
    let videos = if url.is_empty() { Vec::new() } else { vec![Media::unnamed(url)] };
    vec![Turn { videos, ..text::turn(&words) }]
}
