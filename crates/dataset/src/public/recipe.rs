//! Turns a row of a public data set into conversations.

mod agent;
mod picture;
mod share_gpt;
mod span_message;
mod text;

use aiperf_config::{PublicSource, Recipe};
use aiperf_conversation::{ContextMode, Media, SessionId, Turn};
use aiperf_tokenizer::Tokenizer;

use super::audio;
use super::table_row::TableRow;

/// The prompt that is sent with a speech recording.
const TRANSCRIBE: &str = "Write down what is said in this recording. Answer with the words alone.";

/// A conversation without a session id yet.
#[derive(Debug, PartialEq)]
pub(super) struct ConversationDraft {
    /// The session id, if the data has one.
    pub(super) session: Option<SessionId>,
    pub(super) turns: Vec<Turn>,
    pub(super) context_mode: ContextMode,
}

impl ConversationDraft {
    fn of(turns: Vec<Turn>) -> Self {
        Self { session: None, turns, context_mode: ContextMode::DeltasWithoutResponses }
    }
}

/// The conversations of a row; none if it has no usable content.
pub(super) fn drafts(
    source: &PublicSource,
    row: &TableRow,
    tokenizer: &dyn Tokenizer,
) -> Result<Vec<ConversationDraft>, String> {
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
    Ok(if turns.is_empty() { Vec::new() } else { vec![ConversationDraft::of(turns)] })
}

/// The columns that are needed; `None` for all.
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
