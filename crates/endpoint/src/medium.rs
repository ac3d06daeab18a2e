//! The media beside text, and which APIs take them.

use crate::EndpointKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    Image,
    Audio,
    Video,
}

impl Medium {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }
}

impl EndpointKind {
    /// Whether a request can carry this medium. A template takes what its text asks for.
    pub const fn takes(self, medium: Medium) -> bool {
        match self {
            Self::Chat | Self::ChatEmbeddings | Self::Template | Self::Raw => true,
            Self::Responses => matches!(medium, Medium::Image | Medium::Audio),
            Self::Messages | Self::NimEmbeddings | Self::ImageEdit | Self::ImageRetrieval => {
                matches!(medium, Medium::Image)
            }
            Self::AudioTranscription => matches!(medium, Medium::Audio),
            Self::Completions
            | Self::Embeddings
            | Self::NimRankings
            | Self::HfTeiRankings
            | Self::CohereRankings
            | Self::ImageGeneration
            | Self::VideoGeneration
            | Self::HuggingfaceGenerate
            | Self::SolidoRag => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_medium_goes_where_the_api_has_a_place_for_it() {
        let takers = |medium| EndpointKind::ALL.into_iter().filter(|kind| kind.takes(medium)).count();
        assert_eq!([Medium::Image, Medium::Audio, Medium::Video].map(takers), [9, 6, 4]);
        assert!(!EndpointKind::Completions.takes(Medium::Image));
    }
}
