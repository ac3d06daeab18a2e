//! Puts a reply together while its events are read one by one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aiperf_clock::Mono;
use aiperf_protocol::{ChoiceEnd, ContentChunk, Reply, ReplyError, SpecDecode, SpecDecodeError, Usage};

use crate::reply::event_template::{Refrain, Utterance, Voice};
use crate::reply::surrogate::{self, Joined};
use crate::reply::tool_call::{CallAssembly, CallFragment};

/// A reply in the making.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    reply: Reply,
    first: Spoken,
    /// Choices after the first, by index: kept apart so that interleaved chunks do not mix their texts.
    further: BTreeMap<u64, Spoken>,
    /// Of the first choice: what a person would read.
    plain: Joined,
    /// Of the first choice.
    calls: CallAssembly,
    event: Said,
    first_choice_spoke: bool,
    ended: bool,
    /// The end mark of the stream came: nothing after it is part of the reply.
    over: bool,
    /// The event now being read has stand-ins for halves of characters.
    mended: bool,
    spec_decode_seen: bool,
    understood: u32,
    refrain: Refrain,
}

#[derive(Debug, Default)]
struct Spoken {
    output: Joined,
    reasoning: Joined,
}

/// What the event now being read has said so far.
#[derive(Debug, Default, Clone, Copy)]
struct Said {
    output: bool,
    reasoning: bool,
    wordless: usize,
    usage: Option<Usage>,
    sum: Sum,
}

/// All that an event amounts to.
#[derive(Debug, Default, Clone, Copy)]
enum Sum {
    #[default]
    Nothing,
    /// One text, and nothing else.
    One(Utterance),
    More,
}

impl Sum {
    fn add(&mut self, said: Utterance) {
        *self = if matches!(self, Self::Nothing) { Self::One(said) } else { Self::More };
    }
}

/// What a response is made of, and so what tells that it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wholeness {
    /// A stream of events: whole once a finish reason or an end mark came.
    Stream,
    /// One document: whole because it could be read.
    Document,
}

impl Transcript {
    /// Text that a person would read.
    pub(crate) fn text(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.event.sum.add(Utterance::new(choice, Voice::Output, text));
        if choice == 0 {
            push(&mut self.plain, text, self.mended);
        }
        self.output(choice, text);
    }

    /// Part of a tool call: its texts are counted as output, but are no part of the plain text.
    pub(crate) fn tool_call(&mut self, choice: u64, fragment: CallFragment<'_>) {
        self.event.sum = Sum::More;
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
        let mended = self.mended;
        push(&mut self.choice(choice).output, text, mended);
    }

    pub(crate) fn reasoning(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        self.event.sum.add(Utterance::new(choice, Voice::Reasoning, text));
        self.event.reasoning = true;
        let mended = self.mended;
        push(&mut self.choice(choice).reasoning, text, mended);
    }

    /// A choice that says something.
    fn choice(&mut self, index: u64) -> &mut Spoken {
        if index == 0 {
            self.first_choice_spoke = true;
            &mut self.first
        } else {
            self.further.entry(index).or_default()
        }
    }

    /// Says of the events that follow whether they have stand-ins for halves of characters.
    pub(crate) fn set_mended(&mut self, mended: bool) {
        self.mended = mended;
    }

    /// Pieces of content that are no text, such as embeddings. Each becomes a chunk.
    pub(crate) fn wordless(&mut self, pieces: usize) {
        if pieces > 0 {
            self.event.sum = Sum::More;
            self.event.output = true;
            self.event.wordless = pieces;
            self.first_choice_spoke = true;
        }
    }

    pub(crate) fn usage(&mut self, usage: Option<Usage>) {
        if usage.is_some() {
            self.event.sum = Sum::More;
        }
        self.event.usage = usage.or(self.event.usage);
        self.reply.usage = usage.or(self.reply.usage);
    }

    /// One report is of the whole reply. Of several it is not known whether they add up, so that none counts.
    pub(crate) fn spec_decode(&mut self, report: Result<SpecDecode, SpecDecodeError>) {
        self.event.sum = Sum::More;
        self.reply.spec_decode = if self.spec_decode_seen { None } else { Some(report) };
        self.spec_decode_seen = true;
    }

    pub(crate) fn finish_reason(&mut self, choice: u64, reason: &str) {
        self.end_mark();
        if choice == 0 {
            self.reply.finish_reason = Some(reason.to_owned());
        }
    }

    /// The server said that nothing more comes.
    pub(crate) fn end_mark(&mut self) {
        self.event.sum = Sum::More;
        self.ended = true;
    }

    /// The end mark of the stream: whatever comes after it does not count.
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

    /// Takes in an event that repeats an earlier one but for its text; false when it does not, and must be read.
    pub(crate) fn repeats(&mut self, data: &str) -> bool {
        let Some((choice, voice, text)) = self.refrain.recognise(data) else { return false };
        self.refrain.heard_again();
        match voice {
            Voice::Output => self.text(choice, text),
            Voice::Reasoning => self.reasoning(choice, text),
        }
        true
    }

    /// Remembers the event now being read, of which `data` was all, for [`Self::repeats`].
    pub(crate) fn remember(&mut self, data: &str) {
        let said = if let Sum::One(said) = self.event.sum { Some(said) } else { None };
        self.refrain.learn(data, said);
    }

    /// Whether the event now being read has said anything.
    pub(crate) fn event_has_content(&self) -> bool {
        self.event.output || self.event.reasoning
    }

    /// What the first choice has said so far: its reasoning, and what a person would read.
    pub(crate) fn words(&self) -> (&str, &str) {
        (self.first.reasoning.as_str(), self.plain.as_str())
    }

    /// Closes an event that arrived at `at`; what it said becomes a chunk.
    pub(crate) fn close_event(&mut self, at: Mono) {
        self.understood += 1;
        let Said { output, reasoning, wordless, usage, sum: _ } = std::mem::take(&mut self.event);
        if output || reasoning {
            let chunk = ContentChunk {
                at,
                has_output: output,
                has_reasoning: reasoning,
                usage_completion_tokens: usage.and_then(|u| u.completion_tokens),
            };
            self.reply.chunks.extend(std::iter::repeat_n(chunk, wordless.max(1)));
        }
    }

    pub(crate) fn undecodable(&mut self) {
        self.reply.undecodable_events += 1;
    }

    /// Whether all that came could not be read.
    pub(crate) fn is_gibberish(&self) -> bool {
        self.understood == 0 && !self.ended && self.reply.undecodable_events > 0
    }

    pub(crate) fn into_reply(self, wholeness: Wholeness) -> Result<Reply, ReplyError> {
        let mut reply = self.reply;
        reply.tool_calls = self.calls.into_calls();
        for call in &mut reply.tool_calls {
            for text in [&mut call.name, &mut call.arguments] {
                if let Cow::Owned(whole) = surrogate::resolved(text) {
                    *text = whole;
                }
            }
        }
        if wholeness == Wholeness::Stream && !self.ended && self.understood > 0 {
            return Err(ReplyError::CutShort);
        }
        if reply.chunks.is_empty() {
            return Err(ReplyError::NoContent);
        }
        reply.choices = u32::from(self.first_choice_spoke) + u32::try_from(self.further.len()).unwrap_or(u32::MAX - 1);
        reply.plain_text = self.plain.finish();
        reply.output_text = self.first.output.finish();
        reply.reasoning_text = self.first.reasoning.finish();
        for spoken in self.further.into_values() {
            let end = ChoiceEnd { output: reply.output_text.len(), reasoning: reply.reasoning_text.len() };
            reply.choice_ends.push(end);
            reply.output_text.push_str(&spoken.output.finish());
            reply.reasoning_text.push_str(&spoken.reasoning.finish());
        }
        Ok(reply)
    }
}

fn push(joined: &mut Joined, text: &str, mended: bool) {
    if mended {
        joined.push_mended(text);
    } else {
        joined.push(text);
    }
}
