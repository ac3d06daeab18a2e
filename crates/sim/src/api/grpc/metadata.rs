//! Metadata of the server: its models, and by reflection its methods.

use aiperf_grpc::kserve::{
    ModelConfig, ModelConfigResponse, ModelMetadataResponse, ModelReadyResponse, ModelRequest, PROTO, TensorMetadata,
    TransactionPolicy,
};
use aiperf_grpc::reflection::{
    ReflectedFiles, ReflectionAnswer, ReflectionError, ReflectionQuestion, ReflectionRequest, ReflectionResponse,
    ServiceEntry, ServiceList,
};
use aiperf_grpc::{GrpcCode, ServiceDescriptors, frames};
use prost::Message;

use super::call::{CallError, GrpcCall};
use crate::api::kserve::{INPUTS, OUTPUT};
use crate::server::exchange::ServedRequest;
use crate::truth::TruthOutcome;

pub(super) fn serve(call: &mut GrpcCall, exchange: &mut ServedRequest, method: &str) -> Result<(), CallError> {
    let asked = messages(call)?.first().and_then(|message| ModelRequest::decode(message.as_slice()).ok());
    let name = asked.unwrap_or_default().name;
    let answer = match method {
        "ServerLive" | "ServerReady" | "ModelReady" => ModelReadyResponse { ready: true }.encode_to_vec(),
        "ModelMetadata" => metadata(name).encode_to_vec(),
        "ModelConfig" => {
            let policy = Some(TransactionPolicy { decoupled: false });
            let config = ModelConfig { name, max_batch_size: 0, model_transaction_policy: policy };
            ModelConfigResponse { config: Some(config) }.encode_to_vec()
        }
        _ => return Err(CallError::Refused(GrpcCode::Unimplemented, format!("unknown method {method}"))),
    };
    exchange.finish(TruthOutcome::Completed);
    call.send(&answer)?;
    call.end(GrpcCode::Ok, "");
    Ok(())
}

fn metadata(name: String) -> ModelMetadataResponse {
    let tensor = |name: &str, datatype: &str| TensorMetadata {
        name: name.to_owned(),
        datatype: datatype.to_owned(),
        shape: vec![-1],
    };
    ModelMetadataResponse {
        name,
        versions: vec!["1".to_owned()],
        platform: "aiperf-sim".to_owned(),
        inputs: INPUTS.iter().map(|(name, datatype)| tensor(name, datatype.name())).collect(),
        outputs: vec![tensor(OUTPUT, "BYTES")],
    }
}

pub(super) fn messages(call: &GrpcCall) -> Result<Vec<Vec<u8>>, CallError> {
    let body = &call.received.body;
    match frames(body) {
        Ok(all) => Ok(all.into_iter().map(|frame| frame.of(body).to_vec()).collect()),
        Err(error) => Err(CallError::Refused(GrpcCode::InvalidArgument, error.to_string())),
    }
}

/// Answers one question after the other.
pub(super) fn reflect(call: &mut GrpcCall, exchange: &mut ServedRequest) -> Result<(), CallError> {
    let known = ServiceDescriptors::of_source("inference.proto", PROTO)
        .map_err(|error| CallError::Refused(GrpcCode::Internal, error.to_string()))?;
    let questions = messages(call)?;
    exchange.finish(TruthOutcome::Completed);
    for question in questions {
        let asked = ReflectionRequest::decode(question.as_slice()).ok().and_then(|request| request.question);
        let descriptors = match &asked {
            Some(ReflectionQuestion::FileByName(name)) => known.files_for(Some(name), None),
            Some(ReflectionQuestion::FileContainingSymbol(symbol)) => known.files_for(None, Some(symbol)),
            Some(ReflectionQuestion::ListServices(_)) | None => Vec::new(),
        };
        let answer = match asked {
            Some(ReflectionQuestion::ListServices(_)) => {
                let services = known.services().into_iter().map(|name| ServiceEntry { name }).collect();
                ReflectionAnswer::Services(ServiceList { services })
            }
            _ if descriptors.is_empty() => {
                let code = i32::from(GrpcCode::NotFound.number());
                ReflectionAnswer::Error(ReflectionError { code, message: "unknown symbol".to_owned() })
            }
            _ => ReflectionAnswer::Files(ReflectedFiles { descriptors }),
        };
        call.send(&ReflectionResponse { answer: Some(answer) }.encode_to_vec())?;
    }
    call.end(GrpcCode::Ok, "");
    Ok(())
}
