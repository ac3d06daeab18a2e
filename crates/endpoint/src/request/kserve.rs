//! What the `kserve` endpoint is told: how the backend names its tensors, and what the models take.

use aiperf_grpc::kserve::ModelTensors;
use aiperf_protocol::KserveBackend;

/// The tensor in which vLLM takes its sampling parameters: text that is no prompt.
pub(crate) const SAMPLING: &str = "sampling_parameters";

#[derive(Debug, Clone, Default)]
pub struct KserveSettings {
    pub backend: KserveBackend,
    /// Answers come as a stream, of which each message says whether it is an error.
    pub streaming: bool,
    /// What the server says of the models of the run; of a model that is not among them nothing is known.
    pub models: Vec<ModelTensors>,
}

impl KserveSettings {
    pub(crate) fn model(&self, name: &str) -> Option<&ModelTensors> {
        self.models.iter().find(|model| model.name == name)
    }
}
