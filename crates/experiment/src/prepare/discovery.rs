//! Asks a server before the run for what its request bodies depend on: the inputs of its models, the messages of a method.

mod caller;
mod kserve;
mod method;

use aiperf_config::Config;
use aiperf_endpoint::HeaderPlan;
use aiperf_grpc::MethodShape;
use aiperf_grpc::kserve::ModelTensors;
use aiperf_protocol::EndpointKind;
use aiperf_transport::ClientSettings;

use crate::error::RunError;
use crate::prepare::target::Targets;

use self::caller::Caller;

#[derive(Debug, Clone, Default)]
pub(crate) struct Discovered {
    pub(crate) models: Vec<ModelTensors>,
    pub(crate) method: Option<MethodShape>,
}

/// Asks the first server: all servers of a run serve the same.
pub(crate) fn ask(
    config: &Config,
    targets: &Targets,
    client: &ClientSettings,
    headers: &HeaderPlan,
) -> Result<Discovered, RunError> {
    let kind = config.endpoint.kind;
    if !kind.speaks_grpc() {
        return Ok(Discovered::default());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::Runtime)?;
    // HTTP/2 connections run as tasks of their own on this thread.
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let caller = Caller::new(config, targets, client, headers);
        let mut found = Discovered::default();
        if kind == EndpointKind::Kserve {
            for model in &config.dataset.models {
                found.models.push(kserve::model(&caller, config, model).await?);
            }
        } else {
            found.method = method::shape(&caller, config).await?;
        }
        Ok(found)
    })
}
