//! A method of a gRPC service, and where its description comes from.

use std::path::PathBuf;

use aiperf_protocol::MethodName;

/// The longest message where nothing else is said: more than any text needs, little enough for a worker's memory.
pub(crate) const DEFAULT_MESSAGE_LIMIT: usize = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrpcMethod {
    pub name: MethodName,
    pub source: DescriptorSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptorSource {
    /// The server is asked.
    Reflection,
    /// `.proto` files, and the folders of what they import.
    Protos { files: Vec<PathBuf>, imports: Vec<PathBuf> },
    /// A serialized set.
    Set(PathBuf),
}
