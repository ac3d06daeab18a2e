//! The messages of server reflection. Its two versions differ in the name of the service only.

use prost::{Message, Oneof};

/// The names of the service, the newer one first.
pub const SERVICES: [&str; 2] = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"];
pub const METHOD: &str = "ServerReflectionInfo";

#[derive(Clone, PartialEq, Message)]
pub struct ReflectionRequest {
    #[prost(string, tag = "1")]
    pub host: String,
    #[prost(oneof = "ReflectionQuestion", tags = "3, 4, 7")]
    pub question: Option<ReflectionQuestion>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum ReflectionQuestion {
    #[prost(string, tag = "3")]
    FileByName(String),
    #[prost(string, tag = "4")]
    FileContainingSymbol(String),
    #[prost(string, tag = "7")]
    ListServices(String),
}

#[derive(Clone, PartialEq, Message)]
pub struct ReflectionResponse {
    #[prost(oneof = "ReflectionAnswer", tags = "4, 6, 7")]
    pub answer: Option<ReflectionAnswer>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum ReflectionAnswer {
    #[prost(message, tag = "4")]
    Files(ReflectedFiles),
    #[prost(message, tag = "6")]
    Services(ServiceList),
    #[prost(message, tag = "7")]
    Error(ReflectionError),
}

/// Files as serialized descriptors: the one asked for, and perhaps those that it imports.
#[derive(Clone, PartialEq, Message)]
pub struct ReflectedFiles {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub descriptors: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ServiceList {
    #[prost(message, repeated, tag = "1")]
    pub services: Vec<ServiceEntry>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ServiceEntry {
    #[prost(string, tag = "1")]
    pub name: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ReflectionError {
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub message: String,
}

impl ReflectionRequest {
    pub fn asking(question: ReflectionQuestion) -> Self {
        Self { host: String::new(), question: Some(question) }
    }
}
