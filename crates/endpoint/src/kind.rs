//! The endpoint types and the facts that decide which flags, metrics and files apply to each.

use serde::Serialize;

/// Every API that the reference speaks, and which of them are built is said by [`EndpointKind::is_built`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    Chat,
    Completions,
    Responses,
    Messages,
    Embeddings,
    NimEmbeddings,
    ChatEmbeddings,
    NimRankings,
    HfTeiRankings,
    CohereRankings,
    HuggingfaceGenerate,
    ImageGeneration,
    ImageEdit,
    ImageRetrieval,
    VideoGeneration,
    AudioTranscription,
    SolidoRag,
    Template,
    Raw,
}

/// What an endpoint type can do.
#[derive(Debug, Clone, Copy)]
pub struct EndpointFacts {
    /// Spelling on the command line and in files.
    pub name: &'static str,
    /// Path appended to the base URL; empty for none.
    pub path: &'static str,
    pub streams: bool,
    pub produces_tokens: bool,
    pub tokenizes_input: bool,
    /// Takes a system message.
    pub has_system_role: bool,
    /// Title of the console table.
    pub metrics_title: &'static str,
}

impl EndpointKind {
    pub const ALL: [Self; 19] = [
        Self::Chat,
        Self::Completions,
        Self::Responses,
        Self::Messages,
        Self::Embeddings,
        Self::NimEmbeddings,
        Self::ChatEmbeddings,
        Self::NimRankings,
        Self::HfTeiRankings,
        Self::CohereRankings,
        Self::HuggingfaceGenerate,
        Self::ImageGeneration,
        Self::ImageEdit,
        Self::ImageRetrieval,
        Self::VideoGeneration,
        Self::AudioTranscription,
        Self::SolidoRag,
        Self::Template,
        Self::Raw,
    ];

    /// Whether this program speaks it.
    pub const fn is_built(self) -> bool {
        matches!(self, Self::Chat | Self::Completions | Self::Embeddings)
    }

    pub const fn facts(self) -> EndpointFacts {
        const LLM: &str = "LLM Metrics";
        const fn row(
            name: &'static str,
            path: &'static str,
            [streams, produces_tokens, tokenizes_input, has_system_role]: [bool; 4],
            metrics_title: &'static str,
        ) -> EndpointFacts {
            EndpointFacts { name, path, streams, produces_tokens, tokenizes_input, has_system_role, metrics_title }
        }
        const T: bool = true;
        const F: bool = false;
        match self {
            Self::Chat => row("chat", "/v1/chat/completions", [T, T, T, T], LLM),
            Self::Completions => row("completions", "/v1/completions", [T, T, T, F], LLM),
            Self::Responses => row("responses", "/v1/responses", [T, T, T, T], LLM),
            Self::Messages => row("messages", "/v1/messages", [T, T, T, T], LLM),
            Self::Embeddings => row("embeddings", "/v1/embeddings", [F, F, T, F], "Embeddings Metrics"),
            Self::NimEmbeddings => row("nim_embeddings", "/v1/embeddings", [F, F, T, F], "Embeddings Metrics"),
            Self::ChatEmbeddings => row("chat_embeddings", "/v1/embeddings", [F, F, T, T], "Embeddings Metrics"),
            Self::NimRankings => row("nim_rankings", "/v1/ranking", [F, F, T, F], "Rankings Metrics"),
            Self::HfTeiRankings => row("hf_tei_rankings", "/rerank", [F, F, T, F], "Rankings Metrics"),
            Self::CohereRankings => row("cohere_rankings", "/v2/rerank", [F, F, T, F], "Rankings Metrics"),
            Self::HuggingfaceGenerate => row("huggingface_generate", "/generate", [T, T, T, F], LLM),
            Self::ImageGeneration => {
                row("image_generation", "/v1/images/generations", [T, F, T, F], "Image Generation Metrics")
            }
            Self::ImageEdit => row("image_edit", "/v1/images/edits", [F, F, T, F], "Image Generation Metrics"),
            Self::ImageRetrieval => row("image_retrieval", "/v1/infer", [F, F, F, F], "Image Retrieval Metrics"),
            Self::VideoGeneration => row("video_generation", "/v1/videos", [F, F, T, F], "Video Generation Metrics"),
            Self::AudioTranscription => {
                row("audio_transcription", "/v1/audio/transcriptions", [F, F, F, F], "Audio Transcription Metrics")
            }
            Self::SolidoRag => row("solido_rag", "/rag/api/prompt", [T, T, T, F], LLM),
            Self::Template => row("template", "", [T, T, T, F], LLM),
            Self::Raw => row("raw", "", [T, T, T, F], LLM),
        }
    }

    /// Whether a request with earlier turns in it is an error; the others send the turns before, or leave them out.
    pub const fn refuses_history(self) -> bool {
        matches!(
            self,
            Self::Completions
                | Self::Embeddings
                | Self::NimEmbeddings
                | Self::NimRankings
                | Self::HfTeiRankings
                | Self::CohereRankings
                | Self::HuggingfaceGenerate
                | Self::ImageRetrieval
        )
    }

    /// Path appended to the base URL; empty for none.
    pub const fn path(self, streaming: bool) -> &'static str {
        match self {
            Self::HuggingfaceGenerate if streaming => "/generate_stream",
            _ => self.facts().path,
        }
    }

    /// Reads a name in any case, with `-` and `_` alike.
    pub fn from_name(text: &str) -> Option<Self> {
        let wanted = text.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|kind| kind.facts().name == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_with_either_dash() {
        assert_eq!(EndpointKind::from_name("NIM-Rankings"), Some(EndpointKind::NimRankings));
        assert_eq!(EndpointKind::from_name("chats"), None);
        assert!(EndpointKind::ALL.iter().all(|k| EndpointKind::from_name(k.facts().name) == Some(*k)));
    }
}
