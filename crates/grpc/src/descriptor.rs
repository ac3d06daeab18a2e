//! What a service's methods take and give, from `.proto` files, descriptor sets or a server's own word; and JSON as the
//! messages that only such a description knows.

use std::path::{Path, PathBuf};

use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, FileDescriptor, MessageDescriptor, SerializeOptions,
};
use prost_types::FileDescriptorProto;
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use serde_json::Value;
use thiserror::Error;

use crate::MethodName;

/// Descriptions of services and messages.
#[derive(Debug, Clone)]
pub struct ServiceDescriptors {
    pool: DescriptorPool,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DescriptorError {
    #[error("{0}")]
    Proto(String),
    #[error("this is not a descriptor set, as `protoc --include_imports --descriptor_set_out=FILE` writes it: {0}")]
    Set(String),
    #[error("there is no service {service}; there is {}", list(.there))]
    NoService { service: String, there: Vec<String> },
    #[error("service {service} has no method {method}; it has {}", list(.there))]
    NoMethod { service: String, method: String, there: Vec<String> },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none at all".to_owned() } else { names.join(", ") }
}

/// One method, and the messages that it takes and gives.
#[derive(Debug, Clone)]
pub struct MethodShape {
    pub name: MethodName,
    /// The caller may send any number of messages.
    pub client_streaming: bool,
    /// The server may answer with any number of messages.
    pub server_streaming: bool,
    input: MessageDescriptor,
    output: MessageDescriptor,
}

/// Why a JSON value or bytes are not such a message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("message {message}: {reason}")]
pub struct MappingError {
    pub message: String,
    pub reason: String,
}

/// One file that is not on disk.
struct EmbeddedProto {
    name: &'static str,
    text: &'static str,
}

impl FileResolver for EmbeddedProto {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == self.name { File::from_source(name, self.text) } else { Err(protox::Error::file_not_found(name)) }
    }
}

impl ServiceDescriptors {
    /// Compiles `.proto` files. Their imports are searched in `imports`, then next to them.
    pub fn compile(protos: &[PathBuf], imports: &[PathBuf]) -> Result<Self, DescriptorError> {
        let next_to = protos
            .iter()
            .filter_map(|proto| proto.parent())
            .map(|folder| if folder.as_os_str().is_empty() { Path::new(".").to_owned() } else { folder.to_owned() });
        let mut folders: Vec<PathBuf> = imports.to_vec();
        folders.extend(next_to.filter(|folder| !imports.contains(folder)));
        folders.dedup();
        let compile = || {
            let mut compiler = Compiler::new(&folders)?;
            compiler.include_imports(true).open_files(protos)?;
            Ok(compiler.descriptor_pool())
        };
        compile().map(|pool| Self { pool }).map_err(|error: protox::Error| DescriptorError::Proto(located(&error)))
    }

    /// Compiles a file that is part of the program.
    pub fn of_source(name: &'static str, text: &'static str) -> Result<Self, DescriptorError> {
        let mut files = ChainFileResolver::new();
        files.add(EmbeddedProto { name, text });
        files.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(files);
        compiler.include_imports(true);
        match compiler.open_file(name) {
            Ok(compiler) => Ok(Self { pool: compiler.descriptor_pool() }),
            Err(error) => Err(DescriptorError::Proto(located(&error))),
        }
    }

    /// Reads a serialized `FileDescriptorSet`.
    pub fn of_set(bytes: &[u8]) -> Result<Self, DescriptorError> {
        let pool = DescriptorPool::decode(bytes).map_err(|error| DescriptorError::Set(error.to_string()))?;
        Ok(Self { pool })
    }

    /// From serialized files in any order, all that they import among them.
    pub fn of_files(files: Vec<FileDescriptorProto>) -> Result<Self, DescriptorError> {
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(files).map_err(|error| DescriptorError::Set(error.to_string()))?;
        Ok(Self { pool })
    }

    pub fn services(&self) -> Vec<String> {
        self.pool.services().map(|service| service.full_name().to_owned()).collect()
    }

    pub fn method(&self, name: &MethodName) -> Result<MethodShape, DescriptorError> {
        let Some(service) = self.pool.get_service_by_name(&name.service) else {
            return Err(DescriptorError::NoService { service: name.service.clone(), there: self.services() });
        };
        let Some(method) = service.methods().find(|method| method.name() == name.method) else {
            let there = service.methods().map(|method| method.name().to_owned()).collect();
            let (service, method) = (name.service.clone(), name.method.clone());
            return Err(DescriptorError::NoMethod { service, method, there });
        };
        Ok(MethodShape {
            name: name.clone(),
            client_streaming: method.is_client_streaming(),
            server_streaming: method.is_server_streaming(),
            input: method.input(),
            output: method.output(),
        })
    }

    /// The file of this name, or the one that holds this service or message, with all that it imports, serialized: what a
    /// server answers that offers reflection.
    pub fn files_for(&self, file: Option<&str>, symbol: Option<&str>) -> Vec<Vec<u8>> {
        let found = file.and_then(|name| self.pool.get_file_by_name(name)).or_else(|| {
            let symbol = symbol?;
            let service = self.pool.get_service_by_name(symbol).map(|service| service.parent_file());
            service.or_else(|| self.pool.get_message_by_name(symbol).map(|message| message.parent_file()))
        });
        let mut all: Vec<FileDescriptor> = found.into_iter().collect();
        let mut next = 0;
        while let Some(file) = all.get(next).cloned() {
            for import in file.dependencies() {
                if !all.contains(&import) {
                    all.push(import);
                }
            }
            next += 1;
        }
        all.iter().map(FileDescriptor::encode_to_vec).collect()
    }
}

/// With the place in the file, which only the long form has.
fn located(error: &protox::Error) -> String {
    format!("{error:?}").replace('\n', " ")
}

impl MethodShape {
    /// A message that the method takes.
    pub fn encode(&self, message: &Value) -> Result<Vec<u8>, MappingError> {
        let mapped = DynamicMessage::deserialize_with_options(
            self.input.clone(),
            message,
            &DeserializeOptions::new().deny_unknown_fields(true),
        );
        mapped.map(|message| message.encode_to_vec()).map_err(|error| wrong(&self.input, &error))
    }

    /// A message that the method gives, as JSON.
    pub fn decode(&self, message: &[u8]) -> Result<String, MappingError> {
        json(&self.output, message)
    }

    /// A message that the method takes, as JSON.
    pub fn decode_input(&self, message: &[u8]) -> Result<String, MappingError> {
        json(&self.input, message)
    }
}

/// Fields by the names that the `.proto` gives them, those without a value left out; bytes in base64, enums by name.
fn json(shape: &MessageDescriptor, message: &[u8]) -> Result<String, MappingError> {
    let message = DynamicMessage::decode(shape.clone(), message).map_err(|error| wrong(shape, &error))?;
    let options = SerializeOptions::new().use_proto_field_name(true).stringify_64_bit_integers(false);
    let mut out = serde_json::Serializer::new(Vec::new());
    message.serialize_with_options(&mut out, &options).map_err(|error| wrong(shape, &error))?;
    Ok(String::from_utf8_lossy(&out.into_inner()).into_owned())
}

fn wrong(shape: &MessageDescriptor, error: &dyn std::fmt::Display) -> MappingError {
    MappingError { message: shape.full_name().to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const WORDS: &str = r#"
        syntax = "proto3";
        package t;
        import "google/protobuf/timestamp.proto";
        enum Volume { PLAIN = 0; LOUD = 1; }
        message Ask { string text = 1; bytes blob = 2; Volume tone = 3; repeated int64 sizes = 4; google.protobuf.Timestamp at = 5; }
        message Word { string text = 1; bytes blob = 2; Volume tone = 3; int64 size = 4; }
        service Words { rpc Say(Ask) returns (stream Word); rpc Note(stream Ask) returns (Word); }
    "#;

    fn say() -> MethodShape {
        let words = ServiceDescriptors::of_source("words.proto", WORDS).unwrap();
        words.method(&MethodName::parse("t.Words/Say").unwrap()).unwrap()
    }

    #[test]
    fn json_becomes_a_message_with_bytes_and_enums() {
        let say = say();
        assert!(say.server_streaming && !say.client_streaming);
        let message = say.encode(&json!({"text": "hi", "blob": "/wA=", "tone": "LOUD", "sizes": [7, "8"]})).unwrap();
        assert_eq!(message, b"\x0a\x02hi\x12\x02\xff\x00\x18\x01\x22\x02\x07\x08");
        assert_eq!(say.decode_input(&message).unwrap(), r#"{"text":"hi","blob":"/wA=","tone":"LOUD","sizes":[7,8]}"#);
        assert_eq!(say.decode(b"\x0a\x01a\x20\x09").unwrap(), r#"{"text":"a","size":9}"#);
    }

    #[test]
    fn what_is_no_message_is_refused_by_name() {
        let say = say();
        let refused = |message: Value| say.encode(&message).unwrap_err().to_string();
        assert!(refused(json!({"txt": 1})).contains("txt"), "{}", refused(json!({"txt": 1})));
        assert!(refused(json!({"tone": "SHY"})).starts_with("message t.Ask: "));
        assert!(refused(json!({"blob": "!"})).contains("base64"), "{}", refused(json!({"blob": "!"})));
        assert!(refused(json!([])).contains("t.Ask"));
        let not_text = say.decode(b"\x0a\x01\xff").unwrap_err();
        assert!(not_text.reason.contains("UTF-8"), "{not_text}");
    }

    #[test]
    fn a_service_and_a_method_that_are_not_there_are_named_with_those_that_are() {
        let words = ServiceDescriptors::of_source("words.proto", WORDS).unwrap();
        let find = |name: &str| words.method(&MethodName::parse(name).unwrap()).unwrap_err().to_string();
        assert_eq!(find("t.Words/Shout"), "service t.Words has no method Shout; it has Say, Note");
        assert_eq!(find("t.Sounds/Say"), "there is no service t.Sounds; there is t.Words");
    }

    #[test]
    fn a_file_is_served_with_all_that_it_imports() {
        let words = ServiceDescriptors::of_source("words.proto", WORDS).unwrap();
        let files = words.files_for(None, Some("t.Words"));
        assert_eq!(files.len(), 2);
        assert_eq!(words.files_for(Some("words.proto"), None), files);
        assert!(words.files_for(None, Some("t.Nothing")).is_empty());
        let protos = files.iter().rev().map(|file| FileDescriptorProto::decode(file.as_slice()).unwrap()).collect();
        assert_eq!(ServiceDescriptors::of_files(protos).unwrap().services(), ["t.Words"]);
    }

    #[test]
    fn a_wrong_file_says_where_it_is_wrong() {
        let wrong =
            ServiceDescriptors::of_source("w.proto", "syntax = \"proto3\";\nmessage A { Missing b = 1; }").unwrap_err();
        assert!(wrong.to_string().contains("w.proto:2") && wrong.to_string().contains("Missing"), "{wrong}");
        let missing = ServiceDescriptors::compile(&[PathBuf::from("no/such.proto")], &[]).unwrap_err();
        assert!(missing.to_string().contains("such.proto"), "{missing}");
        assert!(ServiceDescriptors::of_set(b"no set").unwrap_err().to_string().contains("descriptor set"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = ServiceDescriptors::of_set(&bytes);
            let _ = say().decode(&bytes);
        }
    }
}
