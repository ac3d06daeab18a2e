//! What an endpoint type can do. These facts decide which options, metrics and files apply to it.

use super::medium::Medium;

/// Everything that other parts of the program know about an endpoint type.
///
/// An entry of the registry sets what differs from one of the bases below ([`Self::TEXT_INPUT`] and those after it).
#[derive(Debug, Clone, Copy)]
pub struct EndpointFacts {
    /// Spelling on the command line and in files. The registry sets it.
    pub name: &'static str,
    /// Path appended to the base URL; empty for none. `{model}` stands for the name of the model.
    pub path: &'static str,
    /// Path of streamed requests, if it differs.
    pub stream_path: Option<&'static str>,
    pub grpc: GrpcSupport,
    /// How an HTTP body is encoded.
    pub form: BodyForm,
    pub body: BodySource,
    /// Title of the console table.
    pub metrics_title: &'static str,

    /// Can answer with a stream of events.
    pub streams: bool,
    /// Answers with generated text, which is counted in tokens.
    pub produces_tokens: bool,
    /// Answers with a video, made by a job on the server.
    pub produces_video: bool,

    /// Sends text, which is counted in tokens.
    pub tokenizes_input: bool,
    /// A request can say how many tokens may be generated. A payload template does if it names them.
    pub sends_limit: bool,
    /// Takes a system message.
    pub has_system_role: bool,
    /// Media that a request may hold in addition to text. A payload template takes what its text asks for.
    pub takes: &'static [Medium],
    /// Medium without which no request can be made.
    pub needs: Option<Medium>,
    /// Sends a query and the passages to rank for it.
    pub ranks: bool,
    /// A request with earlier turns is an error. Other types send the earlier turns or leave them out.
    pub refuses_history: bool,
    /// Parts of a turn of which a request holds only the first; the others are not sent.
    pub sends_first_only: &'static [TurnPart],
    /// Form fields that come from the turn and that no extra input can set.
    pub fields_of_turn: &'static [&'static str],

    /// Has messages in which `--cache-bust` can put a marker.
    pub takes_cache_markers: bool,
    /// Has a second, older name for the token limit (`--use-legacy-max-tokens`).
    pub has_legacy_limit: bool,
    /// Can report usage with every chunk (`--per-chunk-usage`).
    pub reports_usage_per_chunk: bool,
    /// Can name an image by its id (`--uuid-and-strip`).
    pub takes_image_ids: bool,
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

/// Where a request body comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodySource {
    /// The endpoint builds it from the turn.
    Turn,
    /// The user's template builds it.
    Template,
    /// The data set holds it ready-made.
    Dataset,
    /// A template builds it or the data set holds it.
    TemplateOrDataset,
}

impl BodySource {
    /// Whether `--extra-inputs response_field` says where the content of a response stands.
    pub const fn has_response_field(self) -> bool {
        !matches!(self, Self::Turn)
    }
}

/// Whether an endpoint type can be called over gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrpcSupport {
    No,
    /// By these methods of its service.
    Methods(&'static [&'static str]),
    /// By a method that the user names, and not over HTTP.
    MethodOfUser,
}

/// A part of a turn that can have several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnPart {
    Texts,
    Images,
    Audio,
}

impl TurnPart {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Texts => "texts",
            Self::Images => "images",
            Self::Audio => "audio",
        }
    }
}

impl EndpointFacts {
    /// Base: sends text as JSON over HTTP and gets back one document that is not text.
    pub const TEXT_INPUT: Self = Self {
        name: "",
        path: "",
        stream_path: None,
        grpc: GrpcSupport::No,
        form: BodyForm::Json,
        body: BodySource::Turn,
        metrics_title: "LLM Metrics",
        streams: false,
        produces_tokens: false,
        produces_video: false,
        tokenizes_input: true,
        sends_limit: false,
        has_system_role: false,
        takes: &[],
        needs: None,
        ranks: false,
        refuses_history: false,
        sends_first_only: &[],
        fields_of_turn: &[],
        takes_cache_markers: false,
        has_legacy_limit: false,
        reports_usage_per_chunk: false,
        takes_image_ids: false,
    };

    /// Base: sends text and gets back generated text, at once or as a stream.
    pub const TEXT_GENERATION: Self =
        Self { streams: true, produces_tokens: true, sends_limit: true, ..Self::TEXT_INPUT };

    /// Base: generates text from a single turn.
    pub const ONE_TURN_GENERATION: Self = Self { refuses_history: true, ..Self::TEXT_GENERATION };

    /// Base: generates text from messages at the path of chat completions.
    pub const CHAT: Self = Self { path: "/v1/chat/completions", has_system_role: true, ..Self::TEXT_GENERATION };

    /// Base: embeds the texts of a single turn.
    pub const EMBEDDINGS: Self =
        Self { path: "/v1/embeddings", metrics_title: "Embeddings Metrics", refuses_history: true, ..Self::TEXT_INPUT };

    /// Base: ranks passages for a query.
    pub const RANKINGS: Self = Self {
        path: "/v1/ranking",
        metrics_title: "Rankings Metrics",
        ranks: true,
        refuses_history: true,
        ..Self::TEXT_INPUT
    };

    /// Path appended to the base URL; empty for none. `{model}` stands for the name of the model.
    pub const fn path(&self, streaming: bool) -> &'static str {
        match self.stream_path {
            Some(path) if streaming => path,
            _ => self.path,
        }
    }

    /// Whether the path names the model, so that one run has one model.
    pub fn has_model_in_path(&self) -> bool {
        self.path.contains("{model}")
    }

    pub const fn speaks_grpc(&self) -> bool {
        !matches!(self.grpc, GrpcSupport::No)
    }
}
