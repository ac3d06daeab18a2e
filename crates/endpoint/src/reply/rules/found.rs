//! What the rules found in one document, and how it becomes part of a reply.

use std::borrow::Cow;

use aiperf_protocol::{ReplyError, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::{CountKind, Role};
use crate::reply::documents::{EventError, EventResult, is_truthy};
use crate::reply::in_band;
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;

/// The findings in one document.
#[derive(Debug)]
pub(super) struct Found<'a> {
    texts: Vec<FoundText<'a>>,
    /// The numbers of the choices that begin in the document; texts name them by place. The first one is for texts outside.
    choices: Vec<u64>,
    items: usize,
    is_done: bool,
    error: Option<FoundError>,
    usage: Option<Usage>,
    counts: Usage,
}

#[derive(Debug)]
struct FoundText<'a> {
    kind: TextKind,
    slot: usize,
    text: Cow<'a, str>,
}

#[derive(Debug, Clone, Copy)]
enum TextKind {
    Output,
    Reasoning,
    FinishReason,
}

#[derive(Debug)]
enum FoundError {
    /// Its shape is a known one.
    Marked,
    Message(String),
}

impl Default for Found<'_> {
    fn default() -> Self {
        Self {
            texts: Vec::with_capacity(2),
            choices: vec![0],
            items: 0,
            is_done: false,
            error: None,
            usage: None,
            counts: Usage::default(),
        }
    }
}

impl<'a> Found<'a> {
    /// A choice begins; returns the slot for its texts.
    pub(super) fn begin_choice(&mut self, number: u64) -> usize {
        self.choices.push(number);
        self.choices.len() - 1
    }

    pub(super) fn text(&mut self, role: Role, slot: usize, text: Cow<'a, str>) {
        let kind = match role {
            Role::Text => TextKind::Output,
            Role::Reasoning => TextKind::Reasoning,
            Role::FinishReason => TextKind::FinishReason,
            Role::Error if !text.is_empty() => {
                self.error = Some(FoundError::Message(text.into_owned()));
                return;
            }
            Role::ErrorWord if text == "error" => return self.error_mark(),
            Role::ErrorMark | Role::Done if !text.is_empty() => return self.flag(role),
            Role::Items => {
                self.items += 1;
                return;
            }
            _ => return,
        };
        if !text.is_empty() {
            self.texts.push(FoundText { kind, slot, text });
        }
    }

    pub(super) fn number(&mut self, role: Role, slot: usize, number: u64) {
        match role {
            Role::Choice => self.choices[slot] = number,
            Role::Count(kind) => {
                let counts = &mut self.counts;
                let count = match kind {
                    CountKind::Prompt => &mut counts.prompt_tokens,
                    CountKind::Completion => &mut counts.completion_tokens,
                    CountKind::Total => &mut counts.total_tokens,
                    CountKind::Reasoning => &mut counts.reasoning_tokens,
                    CountKind::Cached => &mut counts.cache_read_tokens,
                };
                *count = Some(number);
            }
            _ if number != 0 => self.flag(role),
            _ => {}
        }
    }

    /// A value that is true, or not empty.
    pub(super) fn flag(&mut self, role: Role) {
        match role {
            Role::Done => self.is_done = true,
            Role::ErrorMark => self.error_mark(),
            Role::Items => self.items += 1,
            _ => {}
        }
    }

    fn error_mark(&mut self) {
        self.error.get_or_insert(FoundError::Marked);
    }

    pub(super) fn usage(&mut self, usage: Option<Usage>) {
        self.usage = usage.or(self.usage);
    }

    pub(super) fn items(&mut self, count: usize) {
        self.items += count;
    }

    /// Adds the findings in a part that was kept; `slot` is the choice that the part belongs to.
    pub(super) fn absorb(&mut self, slot: usize, part: Found<'_>) {
        let before = self.choices.len();
        self.choices.extend(&part.choices[1..]);
        for FoundText { kind, slot: own, text } in part.texts {
            let slot = if own == 0 { slot } else { before + own - 1 };
            self.texts.push(FoundText { kind, slot, text: Cow::Owned(text.into_owned()) });
        }
        self.items += part.items;
        self.is_done |= part.is_done;
        self.error = part.error.or(self.error.take());
        self.usage(part.usage);
        let (own, new) = (&mut self.counts, part.counts);
        own.prompt_tokens = new.prompt_tokens.or(own.prompt_tokens);
        own.completion_tokens = new.completion_tokens.or(own.completion_tokens);
        own.total_tokens = new.total_tokens.or(own.total_tokens);
        own.reasoning_tokens = new.reasoning_tokens.or(own.reasoning_tokens);
        own.cache_read_tokens = new.cache_read_tokens.or(own.cache_read_tokens);
    }

    /// A value that is not part of the document's own text.
    pub(super) fn take_owned(&mut self, role: Role, slot: usize, value: Value) {
        match (role, value) {
            (Role::Usage, value) => self.usage(UsageField::deserialize(&value).ok().and_then(|field| field.0)),
            (Role::Items, Value::Array(items)) => self.items(items.len()),
            (Role::Error, value) if (value.is_object() || value.is_array()) && is_truthy(&value) => {
                let message = value.get("message").and_then(Value::as_str).map(str::to_owned);
                self.error = Some(FoundError::Message(message.unwrap_or_else(|| value.to_string())));
            }
            (Role::Error, Value::Object(_) | Value::Array(_)) => {}
            (role, Value::String(text)) => self.text(role, slot, Cow::Owned(text)),
            (role, Value::Number(number)) => {
                if let Some(number) = number.as_u64() {
                    self.number(role, slot, number);
                }
            }
            (role, Value::Array(items)) => items.into_iter().for_each(|item| self.take_owned(role, slot, item)),
            (role, value) if is_truthy(&value) => self.flag(role),
            _ => {}
        }
    }

    /// Hands the findings on.
    pub(super) fn tell(self, data: &str, transcript: &mut Transcript) -> EventResult {
        match self.error {
            Some(FoundError::Marked) => return Err(EventError::Failed(in_band::error_object(data))),
            Some(FoundError::Message(message)) => {
                let kind = in_band::UNNAMED_KIND.to_owned();
                return Err(EventError::Failed(ReplyError::InBand { code: None, kind, message }));
            }
            None => {}
        }
        for FoundText { kind, slot, text } in &self.texts {
            let choice = self.choices[*slot];
            match kind {
                TextKind::Output => transcript.text(choice, text),
                TextKind::Reasoning => transcript.reasoning(choice, text),
                TextKind::FinishReason => transcript.finish_reason(choice, text),
            }
        }
        transcript.non_text(self.items);
        if self.is_done {
            transcript.end_mark();
        }
        let counted = (self.counts != Usage::default()).then_some(self.counts);
        transcript.usage(counted.or(self.usage));
        Ok(())
    }
}
