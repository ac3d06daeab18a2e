//! Builds a reply while its events are read one by one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aiperf_clock::Mono;
use aiperf_protocol::{ChoiceEnd, ContentChunk, Reply, ReplyError, ServerTimes, SpecDecode, SpecDecodeError, Usage};

use crate::reply::event_template::{ContentKind, EventTemplate, TextSpan};
use crate::reply::surrogate::{self, Joined};
use crate::reply::tool_call::{CallAssembly, CallFragment};

/// A reply that is being read.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    reply: Reply,
    first: ChoiceText,
    /// Choices after the first, by index: kept apart so that interleaved chunks do not mix their texts.
    further: BTreeMap<u64, ChoiceText>,
    /// Of the first choice: what a person would read, once that is not all of its output.
    plain: Option<Joined>,
    /// Of the first choice.
    calls: CallAssembly,
    event: EventSummary,
    first_choice_has_content: bool,
    ended: bool,
    /// The end mark of the stream came: nothing after it is part of the reply.
    over: bool,
    /// The current event has stand-ins for halves of characters.
    has_stand_ins: bool,
    spec_decode_seen: bool,
    understood: u32,
    template: EventTemplate,
}

#[derive(Debug, Default)]
struct ChoiceText {
    output: Joined,
    reasoning: Joined,
}

/// What the current event contains so far.
#[derive(Debug, Default, Clone, Copy)]
struct EventSummary {
    output: bool,
    reasoning: bool,
    non_text: usize,
    usage: Option<Usage>,
    text: EventText,
}

/// The texts of an event, as far as [`EventTemplate`] needs to know.
#[derive(Debug, Default, Clone, Copy)]
enum EventText {
    #[default]
    Nothing,
    /// One text, and nothing else.
    One(TextSpan),
    More,
}

impl EventText {
    fn add(&mut self, span: TextSpan) {
        *self = if matches!(self, Self::Nothing) { Self::One(span) } else { Self::More };
    }
}

/// What a response body is, which decides how its completeness is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    /// A stream of events: complete after a finish reason or an end mark.
    Stream,
    /// One document: complete because it could be parsed.
    Document,
}

impl Transcript {
    /// Text that a person would read.
    pub(crate) fn text(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.event.text.add(TextSpan::new(choice, ContentKind::Output, text));
        if let Some(plain) = self.plain.as_mut().filter(|_| choice == 0) {
            push(plain, text, self.has_stand_ins);
        }
        self.output(choice, text);
    }

    /// Part of a tool call: its texts are counted as output but do not belong to the plain text.
    pub(crate) fn tool_call(&mut self, choice: u64, fragment: CallFragment<'_>) {
        self.event.text = EventText::More;
        if choice == 0 && self.plain.is_none() {
            self.plain = Some(self.first.output.clone());
        }
        self.output(choice, fragment.name);
        self.output(choice, fragment.arguments);
        if choice == 0 {
            self.calls.add(fragment);
        }
    }

    fn output(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.event.output = true;
        let has_stand_ins = self.has_stand_ins;
        push(&mut self.choice(choice).output, text, has_stand_ins);
    }

    pub(crate) fn reasoning(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.event.text.add(TextSpan::new(choice, ContentKind::Reasoning, text));
        self.event.reasoning = true;
        let has_stand_ins = self.has_stand_ins;
        push(&mut self.choice(choice).reasoning, text, has_stand_ins);
    }

    /// The texts of a choice that has content.
    fn choice(&mut self, index: u64) -> &mut ChoiceText {
        if index == 0 {
            self.first_choice_has_content = true;
            &mut self.first
        } else {
            self.further.entry(index).or_default()
        }
    }

    /// Whether the events that follow have stand-ins for halves of characters.
    pub(crate) fn set_has_stand_ins(&mut self, has_stand_ins: bool) {
        self.has_stand_ins = has_stand_ins;
    }

    /// Pieces of content that are not text, such as embeddings. Each becomes a chunk.
    pub(crate) fn non_text(&mut self, pieces: usize) {
        if pieces > 0 {
            self.event.text = EventText::More;
            self.event.output = true;
            self.event.non_text = pieces;
            self.first_choice_has_content = true;
        }
    }

    pub(crate) fn usage(&mut self, usage: Option<Usage>) {
        if usage.is_some() {
            self.event.text = EventText::More;
        }
        self.event.usage = usage.or(self.event.usage);
        self.reply.usage = usage.or(self.reply.usage);
    }

    /// Later reports complete or replace earlier ones.
    pub(crate) fn server_times(&mut self, times: ServerTimes) {
        self.event.text = EventText::More;
        let known = &mut self.reply.server_times;
        known.queue = times.queue.or(known.queue);
        known.prefill = times.prefill.or(known.prefill);
        known.inter_token = times.inter_token.or(known.inter_token);
    }

    /// One report describes the whole reply. If there are several, none counts: it is not known whether they add up.
    pub(crate) fn spec_decode(&mut self, report: Result<SpecDecode, SpecDecodeError>) {
        self.event.text = EventText::More;
        self.reply.spec_decode = if self.spec_decode_seen { None } else { Some(report) };
        self.spec_decode_seen = true;
    }

    pub(crate) fn finish_reason(&mut self, choice: u64, reason: &str) {
        self.end_mark();
        if choice == 0 {
            self.reply.finish_reason = Some(reason.to_owned());
        }
    }

    /// The server reported that nothing more comes.
    pub(crate) fn end_mark(&mut self) {
        self.event.text = EventText::More;
        self.ended = true;
    }

    /// The end mark of the stream. Events after it do not count.
    pub(crate) fn stream_end(&mut self) {
        self.end_mark();
        self.over = true;
    }

    /// Whether the end mark of the stream came.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// An event after the end mark of the stream.
    pub(crate) fn after_end(&mut self) {
        self.reply.events_after_end += 1;
    }

    /// Appends an event that equals an earlier one except for its text. Returns false if it does not, and must be parsed.
    pub(crate) fn repeats(&mut self, data: &str) -> bool {
        let Some((choice, kind, text)) = self.template.match_event(data) else { return false };
        self.template.note_match();
        match kind {
            ContentKind::Output => self.text(choice, text),
            ContentKind::Reasoning => self.reasoning(choice, text),
        }
        true
    }

    /// Remembers the current event, whose whole text is `data`, for [`Self::repeats`].
    pub(crate) fn remember(&mut self, data: &str) {
        let span = if let EventText::One(span) = self.event.text { Some(span) } else { None };
        self.template.learn(data, span);
    }

    /// Whether the current event has content.
    pub(crate) fn event_has_content(&self) -> bool {
        self.event.output || self.event.reasoning
    }

    /// The texts of the first choice so far: its reasoning, and what a person would read.
    pub(crate) fn texts(&self) -> (&str, &str) {
        (self.first.reasoning.as_str(), self.plain.as_ref().unwrap_or(&self.first.output).as_str())
    }

    /// Closes an event that arrived at `at`; its content becomes a chunk.
    pub(crate) fn close_event(&mut self, at: Mono) {
        self.understood += 1;
        let EventSummary { output, reasoning, non_text, usage, text: _ } = std::mem::take(&mut self.event);
        if output || reasoning {
            let chunk = ContentChunk {
                at,
                has_output: output,
                has_reasoning: reasoning,
                usage_completion_tokens: usage
                    .and_then(|u| u.completion_tokens)
                    .map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX)),
            };
            let (chunks, count) = (&mut self.reply.chunks, non_text.max(1));
            if chunks.capacity() < chunks.len() + count {
                // Thousands of replies may be in the making: room for twice as many chunks would be most of their memory.
                chunks.reserve_exact(count + chunks.len() / 8 + 16);
            }
            chunks.extend(std::iter::repeat_n(chunk, count));
        }
    }

    pub(crate) fn undecodable(&mut self) {
        self.reply.undecodable_events += 1;
    }

    /// Whether no event could be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.understood == 0 && !self.ended && self.reply.undecodable_events > 0
    }

    pub(crate) fn into_reply(self, kind: BodyKind) -> Result<Reply, ReplyError> {
        let mut reply = self.reply;
        reply.tool_calls = self.calls.into_calls();
        for call in &mut reply.tool_calls {
            for text in [&mut call.name, &mut call.arguments] {
                if let Cow::Owned(whole) = surrogate::resolved(text) {
                    *text = whole;
                }
            }
        }
        if kind == BodyKind::Stream && !self.ended && self.understood > 0 {
            return Err(ReplyError::CutShort);
        }
        if reply.chunks.is_empty() {
            return Err(ReplyError::NoContent);
        }
        reply.choices =
            u32::from(self.first_choice_has_content) + u32::try_from(self.further.len()).unwrap_or(u32::MAX - 1);
        reply.output_text = self.first.output.finish();
        reply.plain_text = self.plain.map_or_else(|| reply.output_text.clone(), Joined::finish);
        reply.reasoning_text = self.first.reasoning.finish();
        for choice in self.further.into_values() {
            let end = ChoiceEnd { output: reply.output_text.len(), reasoning: reply.reasoning_text.len() };
            reply.choice_ends.push(end);
            reply.output_text.push_str(&choice.output.finish());
            reply.reasoning_text.push_str(&choice.reasoning.finish());
        }
        Ok(reply)
    }
}

fn push(joined: &mut Joined, text: &str, has_stand_ins: bool) {
    if has_stand_ins {
        joined.push_with_stand_ins(text);
    } else {
        joined.push(text);
    }
}
