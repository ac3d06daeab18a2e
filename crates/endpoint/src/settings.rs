//! The settings of a run that an endpoint keeps: how answers are asked for and read, beyond what a turn says.

use aiperf_clock::Nanos;
use aiperf_grpc::MethodShape;
use aiperf_protocol::Wire;

use crate::{KserveSettings, PayloadTemplate, ResponseField};

#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Template: what bodies are made of.
    pub template: Option<PayloadTemplate>,
    /// Template and raw: where in an answer its content stands; `None`: found by shape.
    pub response_field: Option<ResponseField>,
    /// Video generation: fetch the finished video as part of the request.
    pub download_video: bool,
    /// Video generation: pause between two questions after a job.
    pub poll_interval: Nanos,
    /// What carries requests.
    pub wire: Wire,
    /// `KServe`: tensors.
    pub kserve: KserveSettings,
    /// Dynamic gRPC: the method that is called. Without it no body can be made.
    pub method: Option<MethodShape>,
}

impl Default for EndpointSettings {
    fn default() -> Self {
        Self {
            template: None,
            response_field: None,
            download_video: false,
            poll_interval: Nanos(100_000_000),
            wire: Wire::Http,
            kserve: KserveSettings::default(),
            method: None,
        }
    }
}
