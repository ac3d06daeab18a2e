//! Pictures, clips and films for generated conversations. All draws are made at once; pictures and clips are made when a
//! conversation is asked for. Films are made before the run: their encoder is another program, which may fail, and which
//! would take the processor away from the measurement.

mod album;
mod clips;
mod films;
mod images;

use aiperf_config::MediaSource;
use aiperf_conversation::{Conversation, ConversationIndex, Media, Turn};
use aiperf_seed::Seed;

use crate::DatasetError;
use clips::Clips;
use films::Films;
use images::Images;

/// The media of all turns.
#[derive(Debug)]
pub(crate) struct MediaPool {
    images: Option<Images>,
    clips: Option<Clips>,
    films: Option<Films>,
    without_text: bool,
    /// By conversation, its first turn among all turns.
    first_turn: Vec<usize>,
}

impl MediaPool {
    pub(crate) fn new(source: &MediaSource, seed: Seed, turn_counts: &[usize]) -> Result<Self, DatasetError> {
        let mut turns = 0;
        let mut first_turn = Vec::with_capacity(turn_counts.len());
        for count in turn_counts {
            first_turn.push(turns);
            turns += count;
        }
        Ok(Self {
            images: source.images.as_ref().map(|spec| Images::new(spec, seed, turns)).transpose()?,
            clips: source.audio.as_ref().map(|spec| Clips::new(spec, seed, turns)),
            films: source.video.as_ref().map(|spec| Films::new(spec, seed, turns)).transpose()?,
            without_text: source.without_text,
            first_turn,
        })
    }

    /// Whether turns have texts, too.
    pub(crate) fn leaves_text(&self) -> bool {
        !self.without_text
    }

    /// Tells the outlines what is known without making anything.
    pub(crate) fn announce(&self, conversations: &mut [Conversation]) {
        let Some(clips) = &self.clips else { return };
        for (conversation, first) in conversations.iter_mut().zip(&self.first_turn) {
            for (place, turn) in conversation.turns.iter_mut().enumerate() {
                turn.audio_seconds = Some(clips.seconds(first + place));
            }
        }
    }

    /// The media of one conversation's turns.
    pub(crate) fn fill(&self, conversation: ConversationIndex, turns: &mut [Turn]) {
        let first = self.first_turn[conversation.0];
        let group = |name: &str, contents| vec![Media { name: name.to_owned(), contents }];
        for (place, turn) in turns.iter_mut().enumerate() {
            let at = first + place;
            if let Some(images) = &self.images {
                turn.images = group("image", images.of_turn(at));
            }
            if let Some(clips) = &self.clips {
                turn.audios = group("audio", clips.of_turn(at));
            }
            if let Some(films) = &self.films {
                turn.videos = group("video", films.of_turn(at));
            }
        }
    }
}

#[cfg(test)]
mod tests;
