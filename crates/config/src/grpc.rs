//! A method of a gRPC service, and where its description comes from.

use std::path::PathBuf;

use aiperf_protocol::MethodName;

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
