//! From a row to what is sent.

mod agent;
mod picture;
mod share_gpt;
mod span_message;
mod text;

use aiperf_config::{PublicSource, Recipe};
use aiperf_conversation::{ContextMode, Media, SessionId, Turn};
use aiperf_tokenizer::Tokenizer;

use super::audio;
use super::cell::Row;

/// What a recording of speech is sent with.
const TRANSCRIBE: &str = "Write down what is said in this recording. Answer with the words alone.";

/// A conversation that has no name yet.
#[derive(Debug, PartialEq)]
pub(super) struct Draft {
    /// The name that the data gives it.
    pub(super) session: Option<SessionId>,
    pub(super) turns: Vec<Turn>,
    pub(super) context_mode: ContextMode,
}

impl Draft {
    fn of(turns: Vec<Turn>) -> Self {
        Self { session: None, turns, context_mode: ContextMode::DeltasWithoutResponses }
    }
}

/// The conversations of a row; none where it has nothing to say.
pub(super) fn drafts(source: &PublicSource, row: &Row, tokenizer: &dyn Tokenizer) -> Result<Vec<Draft>, String> {
    let turns = match source.set.recipe {
        Recipe::AgentSpans => return agent::drafts(source, row),
        Recipe::ShareGpt => share_gpt::turns(row, tokenizer)?,
        Recipe::Prompt { column } => text::prompt(row.text(column)?),
        Recipe::FirstOf { column } => text::all(row.list(column)?)?.into_iter().take(1).collect(),
        Recipe::Turns { column } => text::all(row.list(column)?)?,
        Recipe::Edit { code, request } => text::edit(row.text(code)?, row.text(request)?),
        Recipe::Picture { question, image } => picture::question(row.text(question)?, row.column(image)?)?,
        Recipe::PictureChat { chat, image } => picture::chat(chat, row.column(chat.column)?, row.column(image)?)?,
        Recipe::Video { question, choices, video } => {
            picture::video(row.text(question)?, row.column(choices)?, row.text(video)?)
        }
        Recipe::Speech { audio } => match audio::clip(row.column(audio)?)? {
            Some(clip) => vec![Turn {
                audios: vec![Media::unnamed(clip.content)],
                audio_seconds: clip.seconds,
                ..text::turn(TRANSCRIBE)
            }],
            None => Vec::new(),
        },
        Recipe::Weka => Vec::new(),
    };
    Ok(if turns.is_empty() { Vec::new() } else { vec![Draft::of(turns)] })
}

/// The columns that are looked at; `None`: all of them.
pub(super) fn columns(source: &PublicSource) -> Option<Vec<&str>> {
    let mut columns: Vec<&str> = match source.set.recipe {
        Recipe::AgentSpans | Recipe::Weka => return None,
        Recipe::ShareGpt => vec![share_gpt::COLUMN],
        Recipe::Prompt { column } | Recipe::FirstOf { column } | Recipe::Turns { column } => vec![column],
        Recipe::Edit { code, request } => vec![code, request],
        Recipe::Picture { question, image } => vec![question, image],
        Recipe::PictureChat { chat, image } => vec![chat.column, image],
        Recipe::Video { question, choices, video } => vec![question, choices, video],
        Recipe::Speech { audio } => vec![audio],
    };
    columns.extend(source.filters.iter().map(|(key, _)| key.as_str()));
    Some(columns)
}
