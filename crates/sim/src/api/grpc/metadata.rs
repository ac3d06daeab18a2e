//! What a server says of itself: its models, and by reflection its methods.

use aiperf_grpc::kserve::{
    ModelConfig, ModelConfigResponse, ModelMetadataResponse, ModelRequest, PROTO, Ready, TensorMetadata,
    TransactionPolicy,
};
use aiperf_grpc::reflection::{
    Answer, Files, Question, ReflectionError, ReflectionRequest, ReflectionResponse, Service, Services,
};
use aiperf_grpc::{Code, Descriptors, frames};
use prost::Message;

use super::call::{Call, Stopped};
use crate::api::kserve::{INPUTS, OUTPUT};
use crate::server::exchange::Exchange;
use crate::truth::Outcome;

pub(super) fn serve(call: &mut Call, exchange: &mut Exchange, method: &str) -> Result<(), Stopped> {
    let asked = messages(call)?.first().and_then(|message| ModelRequest::decode(message.as_slice()).ok());
    let name = asked.unwrap_or_default().name;
    let answer = match method {
        "ServerLive" | "ServerReady" | "ModelReady" => Ready { ready: true }.encode_to_vec(),
        "ModelMetadata" => metadata(name).encode_to_vec(),
        "ModelConfig" => {
            let policy = Some(TransactionPolicy { decoupled: false });
            let config = ModelConfig { name, max_batch_size: 0, model_transaction_policy: policy };
            ModelConfigResponse { config: Some(config) }.encode_to_vec()
        }
        _ => return Err(Stopped::Refused(Code::Unimplemented, format!("there is no method {method}"))),
    };
    exchange.finish(Outcome::Completed);
    call.send(&answer)?;
    call.end(Code::Ok, "");
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

pub(super) fn messages(call: &Call) -> Result<Vec<Vec<u8>>, Stopped> {
    let body = &call.received.body;
    match frames(body) {
        Ok(all) => Ok(all.into_iter().map(|frame| frame.of(body).to_vec()).collect()),
        Err(error) => Err(Stopped::Refused(Code::InvalidArgument, error.to_string())),
    }
}

/// Answers one question after the other.
pub(super) fn reflect(call: &mut Call, exchange: &mut Exchange) -> Result<(), Stopped> {
    let known = Descriptors::of_source("inference.proto", PROTO)
        .map_err(|error| Stopped::Refused(Code::Internal, error.to_string()))?;
    let questions = messages(call)?;
    exchange.finish(Outcome::Completed);
    for question in questions {
        let asked = ReflectionRequest::decode(question.as_slice()).ok().and_then(|request| request.question);
        let descriptors = match &asked {
            Some(Question::FileByName(name)) => known.files_for(Some(name), None),
            Some(Question::FileContainingSymbol(symbol)) => known.files_for(None, Some(symbol)),
            Some(Question::ListServices(_)) | None => Vec::new(),
        };
        let answer = match asked {
            Some(Question::ListServices(_)) => {
                let services = known.services().into_iter().map(|name| Service { name }).collect();
                Answer::Services(Services { services })
            }
            _ if descriptors.is_empty() => {
                let code = i32::from(Code::NotFound.number());
                Answer::Error(ReflectionError { code, message: "there is no such symbol".to_owned() })
            }
            _ => Answer::Files(Files { descriptors }),
        };
        call.send(&ReflectionResponse { answer: Some(answer) }.encode_to_vec())?;
    }
    call.end(Code::Ok, "");
    Ok(())
}
