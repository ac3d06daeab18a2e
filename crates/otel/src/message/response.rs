//! What a collector answers.

use prost::Message;

/// The same for metrics and spans.
#[derive(Clone, PartialEq, Message)]
pub struct ExportResponse {
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PartialSuccess {
    /// Points or spans that the collector did not take.
    #[prost(int64, tag = "1")]
    pub rejected: i64,
    #[prost(string, tag = "2")]
    pub error_message: String,
}
