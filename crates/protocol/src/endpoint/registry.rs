//! The endpoint types, one entry each: those of AIPerf, and after them those that only GenAI-Perf has.
//!
//! An entry is `Variant "name" FILE { facts };`. `mod chat` names the file in `crates/endpoint/src/api` that writes the requests
//! and reads the responses of the type; `use chat` names the file of an earlier entry. Nothing else lists the types: this crate
//! makes [`EndpointKind`](crate::EndpointKind) from the entries, and `aiperf-endpoint` declares the files and chooses between them.

/// Passes the entries to the macro `$apply`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_endpoint {
    ($apply:ident) => {
        $apply! {
            Chat "chat" mod chat {
                takes: ALL_MEDIA, takes_cache_markers: true, has_legacy_limit: true, reports_usage_per_chunk: true,
                takes_image_ids: true, ..EndpointFacts::CHAT
            };
            Completions "completions" mod completions { path: "/v1/completions", ..EndpointFacts::ONE_TURN_GENERATION };
            Responses "responses" mod responses {
                path: "/v1/responses", takes: IMAGES_AND_AUDIO, takes_cache_markers: true, ..EndpointFacts::CHAT
            };
            Messages "messages" mod messages {
                path: "/v1/messages", takes: IMAGES, takes_cache_markers: true, ..EndpointFacts::CHAT
            };
            Embeddings "embeddings" mod embeddings { ..EndpointFacts::EMBEDDINGS };
            NimEmbeddings "nim_embeddings" mod image_embeddings {
                takes: IMAGES, metrics_title: "NIM Embeddings Metrics", ..EndpointFacts::EMBEDDINGS
            };
            ChatEmbeddings "chat_embeddings" mod chat_embeddings {
                takes: ALL_MEDIA, has_system_role: true, refuses_history: false, has_legacy_limit: true, ..EndpointFacts::EMBEDDINGS
            };
            NimRankings "nim_rankings" mod rankings { ..EndpointFacts::RANKINGS };
            HfTeiRankings "hf_tei_rankings" use rankings {
                path: "/rerank", metrics_title: "Ranking Metrics", ..EndpointFacts::RANKINGS
            };
            CohereRankings "cohere_rankings" use rankings {
                path: "/v2/rerank", metrics_title: "Ranking Metrics", ..EndpointFacts::RANKINGS
            };
            HuggingfaceGenerate "huggingface_generate" mod huggingface_generate {
                path: "/generate", stream_path: Some("/generate_stream"), ..EndpointFacts::ONE_TURN_GENERATION
            };
            ImageGeneration "image_generation" mod images {
                path: "/v1/images/generations", metrics_title: "Image Generation Metrics", streams: true,
                sends_first_only: &[TurnPart::Texts], ..EndpointFacts::TEXT_INPUT
            };
            ImageEdit "image_edit" use images {
                path: "/v1/images/edits", metrics_title: "Image Edit Metrics", form: BodyForm::Multipart,
                takes: IMAGES, needs: Some(Medium::Image), sends_first_only: &[TurnPart::Texts, TurnPart::Images],
                fields_of_turn: &["prompt", "image", "url", "mask"], ..EndpointFacts::TEXT_INPUT
            };
            ImageRetrieval "image_retrieval" mod image_retrieval {
                path: "/v1/infer", metrics_title: "Image Retrieval Metrics", tokenizes_input: false, takes: IMAGES,
                needs: Some(Medium::Image), refuses_history: true, ..EndpointFacts::TEXT_INPUT
            };
            VideoGeneration "video_generation" mod video_generation {
                path: "/v1/videos", metrics_title: "Video Generation Metrics", form: BodyForm::Multipart,
                produces_video: true, sends_first_only: &[TurnPart::Texts], ..EndpointFacts::TEXT_INPUT
            };
            AudioTranscription "audio_transcription" mod audio_transcription {
                path: "/v1/audio/transcriptions", metrics_title: "Audio Transcription Metrics", form: BodyForm::Multipart,
                tokenizes_input: false, takes: AUDIO, needs: Some(Medium::Audio), sends_first_only: &[TurnPart::Audio],
                fields_of_turn: &["file"], ..EndpointFacts::TEXT_INPUT
            };
            SolidoRag "solido_rag" mod solido_rag {
                path: "/rag/api/prompt", metrics_title: "SOLIDO RAG Metrics", sends_limit: false, ..EndpointFacts::TEXT_GENERATION
            };
            Template "template" mod template {
                body: BodySource::Template, takes: ALL_MEDIA, ..EndpointFacts::TEXT_GENERATION
            };
            Raw "raw" mod raw { body: BodySource::Dataset, takes: ALL_MEDIA, ..EndpointFacts::TEXT_GENERATION };
            Rankings "rankings" use rankings { ..EndpointFacts::RANKINGS };
            Nvclip "nvclip" use image_embeddings { takes: IMAGES, ..EndpointFacts::EMBEDDINGS };
            Vision "vision" mod vision { takes: IMAGES, ..EndpointFacts::CHAT };
            Multimodal "multimodal" use vision { takes: IMAGES_AND_AUDIO, ..EndpointFacts::CHAT };
            Generate "generate" mod generate {
                path: "/v2/models/{model}/generate", stream_path: Some("/v2/models/{model}/generate_stream"),
                ..EndpointFacts::ONE_TURN_GENERATION
            };
            Kserve "kserve" mod kserve {
                path: "/v2/models/{model}/infer", stream_path: Some("/v2/models/{model}/infer_stream"),
                grpc: GrpcSupport::Methods(&["ModelInfer", "ModelStreamInfer"]), ..EndpointFacts::ONE_TURN_GENERATION
            };
            DynamicGrpc "dynamic_grpc" mod dynamic_grpc {
                grpc: GrpcSupport::MethodOfUser, form: BodyForm::Protobuf, body: BodySource::TemplateOrDataset, takes: ALL_MEDIA,
                ..EndpointFacts::TEXT_GENERATION
            };
        }
    };
}
