//! An endpoint type that a plugin pack declares: its facts, the template of its requests, and the rules for its responses.
//!
//! The texts are compiled by `aiperf-endpoint`, so that a crate that only carries them needs no template engine.

use std::hash::{Hash, Hasher};

use super::facts::EndpointFacts;
use super::template_text::TemplateText;

/// What a pack says about an endpoint type.
#[derive(Debug)]
pub struct EndpointDeclaration {
    pub facts: EndpointFacts,
    pub template: TemplateText,
    pub response: ResponseRules,
    /// Headers of every request, unless the user sets a header of the same name.
    pub headers: Vec<(String, String)>,
}

/// A declared endpoint type. Packs are read once, at the start, and what they declare lives as long as the program.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredEndpoint(&'static EndpointDeclaration);

/// Where the parts of a response stand. Each text is a path such as `choices[*].delta.content`; of several paths each is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseRules {
    /// Generated text. Without this and `items`, content is found by its shape.
    pub text: Vec<String>,
    /// Text of the model's reasoning.
    pub reasoning: Vec<String>,
    /// Content that is not text, such as embeddings: a list has one piece for each item.
    pub items: Vec<String>,
    /// The number of the choice that the texts next to it belong to.
    pub choice: Vec<String>,
    pub finish_reason: Vec<String>,
    /// A flag that is true in the last event of a stream.
    pub done: Vec<String>,
    /// The message of an error; a response that has one failed.
    pub error: Vec<String>,
    /// An object with token counts in a known spelling.
    pub usage: Vec<String>,
    pub prompt_tokens: Vec<String>,
    pub completion_tokens: Vec<String>,
    pub total_tokens: Vec<String>,
    pub reasoning_tokens: Vec<String>,
    pub cached_tokens: Vec<String>,
}

impl DeclaredEndpoint {
    pub fn new(declaration: EndpointDeclaration) -> Self {
        Self(Box::leak(Box::new(declaration)))
    }

    pub const fn declaration(self) -> &'static EndpointDeclaration {
        self.0
    }
}

impl PartialEq for DeclaredEndpoint {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for DeclaredEndpoint {}

impl Hash for DeclaredEndpoint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}
