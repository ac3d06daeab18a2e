//! Images, audio clips and videos for generated conversations. All random choices are made at the start; images and clips
//! are generated when a conversation is needed. Videos are encoded before the run: their encoder is another program, which
//! may fail and would compete with the measurement for the processor.

mod audio;
mod images;
mod picture_pool;
mod videos;

use aiperf_config::MediaSource;
use aiperf_conversation::{Conversation, ConversationIndex, Media, Turn};
use aiperf_seed::Seed;

use crate::DatasetError;
use audio::AudioPool;
use images::ImagePool;
use videos::VideoPool;

/// The media of all turns.
#[derive(Debug)]
pub(crate) struct MediaPool {
    images: Option<ImagePool>,
    audio: Option<AudioPool>,
    videos: Option<VideoPool>,
    without_text: bool,
    /// For each conversation, the index of its first turn among all turns.
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
            images: source.images.as_ref().map(|spec| ImagePool::new(spec, seed, turns)).transpose()?,
            audio: source.audio.as_ref().map(|spec| AudioPool::new(spec, seed, turns)),
            videos: source.video.as_ref().map(|spec| VideoPool::new(spec, seed, turns)).transpose()?,
            without_text: source.without_text,
            first_turn,
        })
    }

    /// Whether turns have a text in addition to the media.
    pub(crate) fn leaves_text(&self) -> bool {
        !self.without_text
    }

    /// Adds to the outlines what is known before any media is generated.
    pub(crate) fn announce(&self, conversations: &mut [Conversation]) {
        let Some(audio) = &self.audio else { return };
        for (conversation, first) in conversations.iter_mut().zip(&self.first_turn) {
            for (place, turn) in conversation.turns.iter_mut().enumerate() {
                turn.audio_seconds = Some(audio.seconds(first + place));
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
            if let Some(audio) = &self.audio {
                turn.audios = group("audio", audio.of_turn(at));
            }
            if let Some(videos) = &self.videos {
                turn.videos = group("video", videos.of_turn(at));
            }
        }
    }
}

#[cfg(test)]
mod tests;
