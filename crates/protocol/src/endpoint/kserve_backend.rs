//! The backend of a `KServe` model, which decides the names of its tensors.

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
