//! How a refusal of a prompt that is too long for the model is told from other failures: by its words.

/// Texts of which one stands, in any case, in the message of such a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverflowSigns(Vec<String>);

impl OverflowSigns {
    pub fn new(signs: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(signs.into_iter().map(|sign| sign.as_ref().to_lowercase()).collect())
    }

    pub fn are_in(&self, message: &str) -> bool {
        let message = message.to_lowercase();
        self.0.iter().any(|sign| message.contains(sign))
    }
}

impl Default for OverflowSigns {
    fn default() -> Self {
        Self::new(["context length", "maximum context", "context_length_exceeded", "prompt is too long"])
    }
}
