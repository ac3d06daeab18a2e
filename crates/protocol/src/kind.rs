//! The endpoint types and the facts that decide which flags, metrics and files apply to each.

use serde::Serialize;

use crate::Medium;

/// Every API that can be spoken: those of AIPerf, and after them those that only GenAI-Perf has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    #[default]
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
    Rankings,
    Nvclip,
    Vision,
    Multimodal,
    Generate,
    Kserve,
    DynamicGrpc,
}

/// What an endpoint type can do.
#[derive(Debug, Clone, Copy)]
pub struct EndpointFacts {
    /// Spelling on the command line and in files.
    pub name: &'static str,
    /// Path appended to the base URL; empty for none. `{model}` stands for the model's name.
    pub path: &'static str,
    pub streams: bool,
    pub produces_tokens: bool,
    pub tokenizes_input: bool,
    /// Takes a system message.
    pub has_system_role: bool,
    /// What a request may hold beside text.
    pub takes: &'static [Medium],
    pub form: BodyForm,
    /// Title of the console table.
    pub metrics_title: &'static str,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    Json,
    /// `multipart/form-data`.
    Multipart,
    /// Messages of a gRPC call.
    Protobuf,
}

impl BodyForm {
    /// The media type, without a boundary.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Multipart => "multipart/form-data",
            Self::Protobuf => "application/grpc",
        }
    }
}

const NONE: &[Medium] = &[];
const IMAGES: &[Medium] = &[Medium::Image];
const AUDIO: &[Medium] = &[Medium::Audio];
const IMAGES_AND_AUDIO: &[Medium] = &[Medium::Image, Medium::Audio];
const ALL_MEDIA: &[Medium] = &[Medium::Image, Medium::Audio, Medium::Video];

impl EndpointKind {
    pub const ALL: [Self; 26] = [
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
        Self::Rankings,
        Self::Nvclip,
        Self::Vision,
        Self::Multimodal,
        Self::Generate,
        Self::Kserve,
        Self::DynamicGrpc,
    ];

    pub const fn facts(self) -> EndpointFacts {
        const LLM: &str = "LLM Metrics";
        const EMBEDDINGS: &str = "Embeddings Metrics";
        const RANKINGS: &str = "Rankings Metrics";
        const RANKING: &str = "Ranking Metrics";
        const IMAGE_OUT: &str = "Image Generation Metrics";
        const CHAT_PATH: &str = "/v1/chat/completions";
        const EMBED_PATH: &str = "/v1/embeddings";
        const fn row(
            name: &'static str,
            path: &'static str,
            [streams, produces_tokens, tokenizes_input, has_system_role]: [bool; 4],
            takes: &'static [Medium],
            metrics_title: &'static str,
        ) -> EndpointFacts {
            EndpointFacts {
                name,
                path,
                streams,
                produces_tokens,
                tokenizes_input,
                has_system_role,
                takes,
                form: BodyForm::Json,
                metrics_title,
            }
        }
        const fn form(facts: EndpointFacts) -> EndpointFacts {
            EndpointFacts { form: BodyForm::Multipart, ..facts }
        }
        const T: bool = true;
        const F: bool = false;
        match self {
            Self::Chat => row("chat", CHAT_PATH, [T, T, T, T], ALL_MEDIA, LLM),
            Self::Completions => row("completions", "/v1/completions", [T, T, T, F], NONE, LLM),
            Self::Responses => row("responses", "/v1/responses", [T, T, T, T], IMAGES_AND_AUDIO, LLM),
            Self::Messages => row("messages", "/v1/messages", [T, T, T, T], IMAGES, LLM),
            Self::Embeddings => row("embeddings", EMBED_PATH, [F, F, T, F], NONE, EMBEDDINGS),
            Self::NimEmbeddings => row("nim_embeddings", EMBED_PATH, [F, F, T, F], IMAGES, "NIM Embeddings Metrics"),
            Self::ChatEmbeddings => row("chat_embeddings", EMBED_PATH, [F, F, T, T], ALL_MEDIA, EMBEDDINGS),
            Self::NimRankings => row("nim_rankings", "/v1/ranking", [F, F, T, F], NONE, RANKINGS),
            Self::HfTeiRankings => row("hf_tei_rankings", "/rerank", [F, F, T, F], NONE, RANKING),
            Self::CohereRankings => row("cohere_rankings", "/v2/rerank", [F, F, T, F], NONE, RANKING),
            Self::HuggingfaceGenerate => row("huggingface_generate", "/generate", [T, T, T, F], NONE, LLM),
            Self::ImageGeneration => row("image_generation", "/v1/images/generations", [T, F, T, F], NONE, IMAGE_OUT),
            Self::ImageEdit => form(row("image_edit", "/v1/images/edits", [F, F, T, F], IMAGES, "Image Edit Metrics")),
            Self::ImageRetrieval => {
                row("image_retrieval", "/v1/infer", [F, F, F, F], IMAGES, "Image Retrieval Metrics")
            }
            Self::VideoGeneration => {
                form(row("video_generation", "/v1/videos", [F, F, T, F], NONE, "Video Generation Metrics"))
            }
            Self::AudioTranscription => form(row(
                "audio_transcription",
                "/v1/audio/transcriptions",
                [F, F, F, F],
                AUDIO,
                "Audio Transcription Metrics",
            )),
            Self::SolidoRag => row("solido_rag", "/rag/api/prompt", [T, T, T, F], NONE, "SOLIDO RAG Metrics"),
            Self::Template => row("template", "", [T, T, T, F], ALL_MEDIA, LLM),
            Self::Raw => row("raw", "", [T, T, T, F], ALL_MEDIA, LLM),
            Self::Rankings => row("rankings", "/v1/ranking", [F, F, T, F], NONE, RANKINGS),
            Self::Nvclip => row("nvclip", EMBED_PATH, [F, F, T, F], IMAGES, EMBEDDINGS),
            Self::Vision => row("vision", CHAT_PATH, [T, T, T, T], IMAGES, LLM),
            Self::Multimodal => row("multimodal", CHAT_PATH, [T, T, T, T], IMAGES_AND_AUDIO, LLM),
            Self::Generate => row("generate", "/v2/models/{model}/generate", [T, T, T, F], NONE, LLM),
            Self::Kserve => row("kserve", "/v2/models/{model}/infer", [T, T, T, F], NONE, LLM),
            Self::DynamicGrpc => {
                let facts = row("dynamic_grpc", "", [T, T, T, F], ALL_MEDIA, LLM);
                EndpointFacts { form: BodyForm::Protobuf, ..facts }
            }
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
                | Self::Rankings
                | Self::HuggingfaceGenerate
                | Self::ImageRetrieval
                | Self::Nvclip
                | Self::Generate
                | Self::Kserve
        )
    }

    /// Whether a request can say how many tokens may be generated. A template does where it names them.
    pub const fn sends_limit(self) -> bool {
        self.facts().produces_tokens && !matches!(self, Self::SolidoRag)
    }

    /// Fields of a form that come from the turn, and that no extra input can set.
    pub const fn fields_of_turn(self) -> &'static [&'static str] {
        match self {
            Self::ImageEdit => &["prompt", "image", "url", "mask"],
            Self::AudioTranscription => &["file"],
            _ => &[],
        }
    }

    /// Whether a request is a query and the passages to be ranked for it.
    pub const fn ranks(self) -> bool {
        matches!(self, Self::NimRankings | Self::HfTeiRankings | Self::CohereRankings | Self::Rankings)
    }

    /// Whether it can be spoken over gRPC.
    pub const fn speaks_grpc(self) -> bool {
        matches!(self, Self::Kserve | Self::DynamicGrpc)
    }

    /// Whether the answer is a video, made by a job that is asked after.
    pub const fn produces_video(self) -> bool {
        matches!(self, Self::VideoGeneration)
    }

    /// Path appended to the base URL; empty for none. `{model}` stands for the model's name.
    pub const fn path(self, streaming: bool) -> &'static str {
        match self {
            Self::HuggingfaceGenerate if streaming => "/generate_stream",
            Self::Generate if streaming => "/v2/models/{model}/generate_stream",
            Self::Kserve if streaming => "/v2/models/{model}/infer_stream",
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

    #[test]
    fn the_list_of_all_types_holds_each_once() {
        for (place, kind) in EndpointKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
