//! Finds the message types of a gRPC method: in the user's files, or from the server by reflection.

use std::fs;
use std::path::Path;

use aiperf_config::{Config, DescriptorSource};
use aiperf_grpc::reflection::{self, ReflectionAnswer, ReflectionQuestion, ReflectionRequest, ReflectionResponse};
use aiperf_grpc::{GrpcCode, MethodName, MethodShape, ServiceDescriptors};
use prost::Message;
use prost_types::FileDescriptorProto;

use super::caller::{Caller, NoAnswer};
use crate::error::RunError;

pub(super) async fn shape(caller: &Caller<'_>, config: &Config) -> Result<Option<MethodShape>, RunError> {
    let Some(method) = &config.endpoint.method else { return Ok(None) };
    let descriptors = match &method.source {
        DescriptorSource::Reflection => reflected(caller, &method.name).await?,
        DescriptorSource::Protos { files, imports } => {
            ServiceDescriptors::compile(files, imports).map_err(|error| {
                let paths: Vec<String> = files.iter().map(|file| shown(file)).collect();
                RunError::Descriptors { flag: "--grpc-proto", path: paths.join(","), reason: error.to_string() }
            })?
        }
        DescriptorSource::Set(path) => {
            let wrong =
                |reason: String| RunError::Descriptors { flag: "--grpc-descriptor-set", path: shown(path), reason };
            let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
            ServiceDescriptors::of_set(&bytes).map_err(|error| wrong(error.to_string()))?
        }
    };
    let name = method.name.to_string();
    let found = descriptors.method(&method.name);
    let shape = found.map_err(|error| RunError::Method { method: name.clone(), reason: error.to_string() })?;
    if config.endpoint.streaming && !shape.server_streaming {
        return Err(RunError::OneMessage { method: name });
    }
    Ok(Some(shape))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The newer version of the service first; a server may have either.
async fn reflected(caller: &Caller<'_>, method: &MethodName) -> Result<ServiceDescriptors, RunError> {
    let no_reflection = |reason: &NoAnswer| RunError::NoReflection {
        url: caller.base.clone(),
        method: method.to_string(),
        reason: reason.reason(),
    };
    let mut last = NoAnswer::Failed("it was not asked".to_owned());
    for service in reflection::SERVICES {
        let mirror = Mirror { caller, path: format!("/{service}/{}", reflection::METHOD) };
        match caller.patiently(async || mirror.services().await).await {
            Ok(services) => return mirror.describe(method, services).await,
            Err(reason) if reason.is(GrpcCode::Unimplemented) => last = reason,
            Err(reason) => return Err(no_reflection(&reason)),
        }
    }
    Err(no_reflection(&last))
}

/// A server's reflection service.
struct Mirror<'a> {
    caller: &'a Caller<'a>,
    path: String,
}

impl Mirror<'_> {
    async fn ask(&self, questions: Vec<ReflectionQuestion>) -> Result<Vec<ReflectionAnswer>, NoAnswer> {
        let messages: Vec<Vec<u8>> =
            questions.into_iter().map(|question| ReflectionRequest::asking(question).encode_to_vec()).collect();
        let answers = self.caller.call(&self.path, &messages).await?;
        let read = |message: &Vec<u8>| ReflectionResponse::decode(message.as_slice()).ok()?.answer;
        let strange = || NoAnswer::Failed("its reflection service sent an unexpected answer".to_owned());
        answers.iter().map(|message| read(message).ok_or_else(strange)).collect()
    }

    async fn services(&self) -> Result<Vec<String>, NoAnswer> {
        let answers = self.ask(vec![ReflectionQuestion::ListServices(String::new())]).await?;
        let listed = answers.into_iter().find_map(|answer| match answer {
            ReflectionAnswer::Services(listed) => {
                Some(listed.services.into_iter().map(|service| service.name).collect())
            }
            ReflectionAnswer::Files(_) | ReflectionAnswer::Error(_) => None,
        });
        listed.ok_or_else(|| NoAnswer::Failed("its reflection service lists no services".to_owned()))
    }

    async fn describe(&self, method: &MethodName, services: Vec<String>) -> Result<ServiceDescriptors, RunError> {
        let wrong = |reason: String| RunError::Method { method: method.to_string(), reason };
        if !services.contains(&method.service) {
            let own: Vec<String> = services.into_iter().filter(|name| !name.starts_with("grpc.reflection.")).collect();
            let there = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
            return Err(wrong(format!("the server has no service {}; it has {there}", method.service)));
        }
        let mut files: Vec<FileDescriptorProto> = Vec::new();
        let mut questions = vec![ReflectionQuestion::FileContainingSymbol(method.service.clone())];
        while !questions.is_empty() {
            let before = files.len();
            let answers = self.ask(questions).await.map_err(|reason| wrong(reason.reason()))?;
            for answer in answers {
                match answer {
                    ReflectionAnswer::Files(found) => take(found.descriptors, &mut files).map_err(&wrong)?,
                    ReflectionAnswer::Error(error) => {
                        return Err(wrong(format!("the server cannot describe it: {}", error.message)));
                    }
                    ReflectionAnswer::Services(_) => {}
                }
            }
            let missing = missing(&files);
            // Each round must bring something new, or there would be no end of them.
            if files.len() == before || files.len() > MOST_FILES {
                return Err(wrong(format!("the server's description lacks {}", missing.join(", "))));
            }
            questions = missing.into_iter().map(ReflectionQuestion::FileByName).collect();
        }
        ServiceDescriptors::of_files(files)
            .map_err(|error| wrong(format!("the server's description is invalid: {error}")))
    }
}

/// The most files that a description of a service may have.
const MOST_FILES: usize = 10_000;

fn take(descriptors: Vec<Vec<u8>>, files: &mut Vec<FileDescriptorProto>) -> Result<(), String> {
    for bytes in descriptors {
        let file = FileDescriptorProto::decode(bytes.as_slice())
            .map_err(|error| format!("the server's description is not a valid file descriptor: {error}"))?;
        if !files.iter().any(|known| known.name() == file.name()) {
            files.push(file);
        }
    }
    Ok(())
}

/// Imports that are not there yet.
fn missing(files: &[FileDescriptorProto]) -> Vec<String> {
    let mut missing: Vec<String> = files
        .iter()
        .flat_map(|file| &file.dependency)
        .filter(|import| !files.iter().any(|file| file.name() == import.as_str()))
        .cloned()
        .collect();
    missing.sort();
    missing.dedup();
    missing
}
