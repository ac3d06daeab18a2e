//! The settings of a run that an endpoint keeps: how requests are written and responses are read, apart from the turns.

use aiperf_clock::Nanos;
use aiperf_grpc::MethodShape;
use aiperf_protocol::Wire;

use crate::{KserveSettings, PayloadTemplate, ResponseField};

#[derive(Debug, Clone)]
pub struct EndpointSettings {
    /// Template: the template of the bodies.
    pub template: Option<PayloadTemplate>,
    /// Template and raw: the place of the content in a response; `None`: found by shape.
    pub response_field: Option<ResponseField>,
    /// Video generation: fetch the finished video as part of the request.
    pub download_video: bool,
    /// Video generation: pause between two polls of a job.
    pub poll_interval: Nanos,
    /// What carries requests.
    pub wire: Wire,
    /// `KServe`: tensors.
    pub kserve: KserveSettings,
    /// Dynamic gRPC: the method to call. Without it no body can be built.
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
