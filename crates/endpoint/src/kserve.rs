//! What the `kserve` endpoint is told: how the backend names its tensors, and what the models take.

use aiperf_grpc::kserve::ModelShape;

/// The tensor in which vLLM takes its sampling parameters: text that is no prompt.
pub(crate) const SAMPLING: &str = "sampling_parameters";

/// Whose names of tensors are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KserveBackend {
    /// Every sampling parameter is a tensor.
    #[default]
    TensorRtLlm,
    /// Sampling parameters go as JSON into one tensor.
    Vllm,
    /// Whatever the model lists.
    Python,
}

impl KserveBackend {
    pub const ALL: [Self; 3] = [Self::TensorRtLlm, Self::Vllm, Self::Python];

    pub const fn name(self) -> &'static str {
        match self {
            Self::TensorRtLlm => "tensorrtllm",
            Self::Vllm => "vllm",
            Self::Python => "python",
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct KserveSettings {
    pub backend: KserveBackend,
    /// Answers come as a stream, of which each message says whether it is an error.
    pub streaming: bool,
    /// What the server says of the models of the run; of a model that is not among them nothing is known.
    pub models: Vec<ModelShape>,
}

impl KserveSettings {
    pub(crate) fn model(&self, name: &str) -> Option<&ModelShape> {
        self.models.iter().find(|model| model.name == name)
    }
}
