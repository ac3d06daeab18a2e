//! The settings of the `kserve` endpoint: how the backend names its tensors, and which tensors the models take.

use aiperf_grpc::kserve::ModelTensors;
use aiperf_protocol::KserveBackend;

/// The tensor in which vLLM takes its sampling parameters: text that is not a prompt.
pub(crate) const SAMPLING: &str = "sampling_parameters";

#[derive(Debug, Clone, Default)]
pub struct KserveSettings {
    pub backend: KserveBackend,
    /// Responses come as a stream, in which each message can be an error.
    pub streaming: bool,
    /// The models of the run as the server describes them; nothing is known of other models.
    pub models: Vec<ModelTensors>,
}

impl KserveSettings {
    pub(crate) fn model(&self, name: &str) -> Option<&ModelTensors> {
        self.models.iter().find(|model| model.name == name)
    }
}
