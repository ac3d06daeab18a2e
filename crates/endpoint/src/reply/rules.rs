//! Reads responses by the rules of a declared endpoint type: where text, counts, ends and errors stand in a document.
//!
//! Rules that are paths become one tree, which is walked together with the document: a document is read once, and its texts are not
//! copied. Rules that are other `JMESPath` expressions work on the parsed document.

mod found;
mod path;
mod tree;
mod walk;

use std::sync::Arc;

use aiperf_protocol::ResponseRules;
use serde::de::DeserializeSeed;
use serde_json::Value;

use self::found::Found;
use self::path::{FieldPath, PathStep};
use self::tree::RuleTree;
use self::walk::Walk;
use crate::ResponseField;
use crate::reply::documents::{EventError, EventResult, StreamEnd};
use crate::reply::stream_reader::EventParser;
use crate::reply::transcript::Transcript;

/// What a rule looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    Reasoning,
    Items,
    Choice,
    FinishReason,
    Done,
    /// The message of an error, at the place that the rules name.
    Error,
    /// What marks an error in the APIs in use: a value that is not empty, or the word `error`.
    ErrorMark,
    ErrorWord,
    Usage,
    Count(CountKind),
}

impl Role {
    /// Whether the rule is about a value as a whole, and not about a text, number or flag.
    const fn looks_into_values(self) -> bool {
        matches!(self, Self::Usage | Self::Items | Self::Error | Self::ErrorMark)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountKind {
    Prompt,
    Completion,
    Total,
    Reasoning,
    Cached,
}

/// The rules of an endpoint type, compiled.
#[derive(Debug)]
pub(crate) struct RuleSet {
    tree: RuleTree,
    expressions: Vec<(Role, ResponseField)>,
    stream_end: StreamEnd,
    finds_content: bool,
}

/// Reads the documents of one response by a set of rules.
#[derive(Debug, Clone)]
pub(crate) struct RuleParser(pub(crate) Arc<RuleSet>);

impl RuleSet {
    /// Compiles the rules. The error names the rule, its text, and what is wrong.
    pub(crate) fn compile(rules: &ResponseRules) -> Result<Self, String> {
        let mut paths: Vec<(Role, FieldPath)> =
            [("error", Role::ErrorMark), ("object", Role::ErrorWord), ("type", Role::ErrorWord)]
                .map(|(name, role)| (role, FieldPath(vec![PathStep::Name(name.to_owned())])))
                .to_vec();
        let mut expressions = Vec::new();
        for (role, name, texts) in Self::rows(rules) {
            for text in texts {
                if let Some(path) = FieldPath::parse(text) {
                    paths.push((role, path));
                } else if role == Role::Choice {
                    return Err(format!("{name}: {text:?} is not a path such as choices[*].index"));
                } else {
                    let wrong =
                        |why| format!("{name}: {text:?} is neither a path such as a.b[0].c nor JMESPath: {why}");
                    expressions.push((role, ResponseField::parse(text).map_err(wrong)?));
                }
            }
        }
        let is_marked = !rules.finish_reason.is_empty() || !rules.done.is_empty();
        let stream_end = if is_marked { StreamEnd::Marked } else { StreamEnd::Unmarked };
        let finds_content = [&rules.text, &rules.reasoning, &rules.items].iter().any(|texts| !texts.is_empty());
        Ok(Self { tree: RuleTree::new(&paths), expressions, stream_end, finds_content })
    }

    fn rows(rules: &ResponseRules) -> [(Role, &'static str, &[String]); 13] {
        [
            (Role::Text, "text", &rules.text),
            (Role::Reasoning, "reasoning", &rules.reasoning),
            (Role::Items, "items", &rules.items),
            (Role::Choice, "choice", &rules.choice),
            (Role::FinishReason, "finish_reason", &rules.finish_reason),
            (Role::Done, "done", &rules.done),
            (Role::Error, "error", &rules.error),
            (Role::Usage, "usage", &rules.usage),
            (Role::Count(CountKind::Prompt), "prompt_tokens", &rules.prompt_tokens),
            (Role::Count(CountKind::Completion), "completion_tokens", &rules.completion_tokens),
            (Role::Count(CountKind::Total), "total_tokens", &rules.total_tokens),
            (Role::Count(CountKind::Reasoning), "reasoning_tokens", &rules.reasoning_tokens),
            (Role::Count(CountKind::Cached), "cached_tokens", &rules.cached_tokens),
        ]
    }

    /// Whether a rule says where content stands. Otherwise content is found by its shape.
    pub(crate) const fn finds_content(&self) -> bool {
        self.finds_content
    }

    pub(crate) const fn stream_end(&self) -> StreamEnd {
        self.stream_end
    }

    fn parse_event(&self, data: &str, transcript: &mut Transcript) -> EventResult {
        if transcript.repeats(data) {
            return Ok(());
        }
        let first = data.bytes().next();
        if !matches!(first, Some(b'{' | b'[')) {
            return Err(EventError::Undecodable);
        }
        let mut found = Found::default();
        let mut json = serde_json::Deserializer::from_str(data);
        let walk = Walk::new(&self.tree, &mut found);
        walk.deserialize(&mut json).and_then(|()| json.end()).map_err(|_| EventError::Undecodable)?;
        if !self.expressions.is_empty() {
            let answer: Value = serde_json::from_str(data).map_err(|_| EventError::Undecodable)?;
            for (role, expression) in &self.expressions {
                if let Some(value) = expression.find(&answer) {
                    found.take_owned(*role, 0, value);
                }
            }
        }
        found.tell(data, transcript)?;
        transcript.remember(data);
        Ok(())
    }
}

impl EventParser for RuleParser {
    fn parse(&mut self, data: &str, transcript: &mut Transcript) -> EventResult {
        self.0.parse_event(data, transcript)
    }
}

#[cfg(test)]
mod tests;
