//! Asks a `KServe` server for the inputs and outputs of a model.

use aiperf_config::Config;
use aiperf_grpc::GrpcCode;
use aiperf_grpc::kserve::{KserveCall, ModelConfigResponse, ModelMetadataResponse, ModelRequest, ModelTensors};
use prost::Message;

use super::caller::{Caller, NoAnswer};
use crate::error::RunError;

pub(super) async fn model(caller: &Caller<'_>, config: &Config, name: &str) -> Result<ModelTensors, RunError> {
    let endpoint = &config.endpoint;
    let asked = if endpoint.wire.is_grpc() {
        caller.patiently(async || over_grpc(caller, name).await).await
    } else {
        caller.patiently(async || over_http(caller, name).await).await
    };
    let mut model = match asked {
        Ok(model) => model,
        Err(reason) if reason.is(GrpcCode::Unimplemented) => {
            log::warn!("{} does not describe its models; the types of inputs are guessed", caller.base);
            ModelTensors::default()
        }
        Err(reason) => {
            let (url, model) = (caller.base.clone(), name.to_owned());
            return Err(RunError::NoMetadata { url, model, reason: reason.reason() });
        }
    };
    // A server may know it by another name as well.
    name.clone_into(&mut model.name);
    let can_stream = endpoint.wire.is_grpc() && endpoint.streaming;
    if model.decoupled && !can_stream {
        let advice = if endpoint.wire.is_grpc() {
            "add --streaming"
        } else {
            "use a grpc:// URL and --streaming, or --endpoint-type generate --streaming"
        };
        return Err(RunError::Decoupled { url: caller.base.clone(), model: name.to_owned(), advice });
    }
    Ok(model)
}

async fn over_grpc(caller: &Caller<'_>, name: &str) -> Result<ModelTensors, NoAnswer> {
    let request = ModelRequest { name: name.to_owned(), version: String::new() }.encode_to_vec();
    let metadata: ModelMetadataResponse = one(caller, KserveCall::ModelMetadata, &request).await?;
    // Only Triton has it.
    let config: Option<ModelConfigResponse> = one(caller, KserveCall::ModelConfig, &request).await.ok();
    Ok(ModelTensors::of_messages(&metadata, config.as_ref()))
}

async fn one<M: Message + Default>(caller: &Caller<'_>, call: KserveCall, request: &[u8]) -> Result<M, NoAnswer> {
    let messages = caller.call(&call.path(), &[request.to_vec()]).await?;
    let message = messages.first().ok_or_else(|| NoAnswer::Failed("the answer is empty".to_owned()))?;
    M::decode(message.as_slice())
        .map_err(|error| NoAnswer::Failed(format!("{} did not answer with a valid message: {error}", call.name())))
}

async fn over_http(caller: &Caller<'_>, name: &str) -> Result<ModelTensors, NoAnswer> {
    let path = format!("/v2/models/{name}");
    let metadata = caller.get(&path).await?;
    let metadata = serde_json::from_slice(&metadata)
        .map_err(|error| NoAnswer::Failed(format!("{path} did not answer with JSON: {error}")))?;
    // Only Triton has it.
    let config = caller.get(&format!("{path}/config")).await.ok();
    let config = config.and_then(|config| serde_json::from_slice(&config).ok());
    Ok(ModelTensors::of_json(&metadata, config.as_ref()))
}
