//! The APIs that are spoken, one file each.

mod audio_transcription;
mod chat;
mod chat_embeddings;
mod completions;
mod dynamic_grpc;
mod embeddings;
mod generate;
mod huggingface_generate;
mod image_embeddings;
mod image_retrieval;
mod images;
mod kserve;
mod messages;
mod rankings;
mod raw;
mod responses;
mod solido_rag;
mod template;
mod video_generation;
mod vision;

use std::sync::Arc;

pub(crate) use self::chat::speak as speak_chat;
pub(crate) use self::completions::speak as speak_completions;
use aiperf_protocol::EndpointKind;

use self::image_embeddings::ImageEmbeddings;
use self::rankings::Rankings;
use crate::{Endpoint, EndpointSettings};

/// The implementation of an endpoint type.
pub fn of(kind: EndpointKind, settings: &EndpointSettings) -> Arc<dyn Endpoint> {
    match kind {
        EndpointKind::Chat => Arc::new(chat::Chat),
        EndpointKind::Completions => Arc::new(completions::Completions),
        EndpointKind::Responses => Arc::new(responses::Responses),
        EndpointKind::Messages => Arc::new(messages::Messages),
        EndpointKind::Embeddings => Arc::new(embeddings::Embeddings),
        EndpointKind::NimEmbeddings => Arc::new(ImageEmbeddings::Nim),
        EndpointKind::Nvclip => Arc::new(ImageEmbeddings::Nvclip),
        EndpointKind::ChatEmbeddings => Arc::new(chat_embeddings::ChatEmbeddings),
        EndpointKind::NimRankings => Arc::new(Rankings::Nim),
        EndpointKind::HfTeiRankings => Arc::new(Rankings::HfTei),
        EndpointKind::CohereRankings => Arc::new(Rankings::Cohere),
        EndpointKind::Rankings => Arc::new(Rankings::GenaiPerf),
        EndpointKind::HuggingfaceGenerate => Arc::new(huggingface_generate::HuggingfaceGenerate),
        EndpointKind::ImageGeneration => Arc::new(images::ImageGeneration),
        EndpointKind::ImageEdit => Arc::new(images::ImageEdit),
        EndpointKind::ImageRetrieval => Arc::new(image_retrieval::ImageRetrieval),
        EndpointKind::VideoGeneration => Arc::new(video_generation::VideoGeneration::new(settings)),
        EndpointKind::AudioTranscription => Arc::new(audio_transcription::AudioTranscription),
        EndpointKind::SolidoRag => Arc::new(solido_rag::SolidoRag),
        EndpointKind::Template => Arc::new(template::Template::new(settings)),
        EndpointKind::Raw => Arc::new(raw::Raw::new(settings)),
        EndpointKind::Vision | EndpointKind::Multimodal => Arc::new(vision::Vision { kind }),
        EndpointKind::Generate => Arc::new(generate::Generate),
        EndpointKind::Kserve => Arc::new(kserve::Kserve::new(settings)),
        EndpointKind::DynamicGrpc => Arc::new(dynamic_grpc::DynamicGrpc::new(settings)),
    }
}
