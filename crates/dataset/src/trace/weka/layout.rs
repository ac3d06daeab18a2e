//! How the prompts of a line of requests are cut into messages. Each request keeps the messages that its blocks share
//! with the request before it; what is new is first the answer to that one, then what the user said.

use super::recording::{Call, Strand};

/// The prompts of one conversation. Only what changes from one to the next is held.
#[derive(Debug)]
pub(crate) struct Layout {
    system_blocks: usize,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    /// Blocks that it has in common with the step before it.
    shared: usize,
    /// Blocks behind those.
    fresh: Box<[i64]>,
    /// Tokens behind the blocks.
    tail: usize,
    /// New blocks that are the answer to the request before.
    answer: usize,
    /// An answer that a later request breaks off and ends with: a prompt cannot end so, hence it was the user's.
    answer_is_users: bool,
    tool_result: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    User,
    Assistant,
}

/// One message: blocks of the prompt, and tokens behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) speaker: Speaker,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) tail: usize,
    /// The step that it is new in.
    pub(super) step: usize,
}

/// One prompt.
#[derive(Debug)]
pub(super) struct Prompt {
    pub(super) ids: Vec<i64>,
    pub(super) segments: Vec<Segment>,
}

impl Layout {
    pub(super) fn of(strand: &Strand, block_size: usize) -> Self {
        let system_blocks = usize::try_from(strand.system_tokens.div_ceil(block_size as u64)).unwrap_or(usize::MAX);
        let mut layout = Self { system_blocks, steps: Vec::with_capacity(strand.calls.len()) };
        let mut prompt = Prompt { ids: Vec::new(), segments: Vec::new() };
        let mut before: Option<&Call> = None;
        for (place, call) in strand.calls.iter().enumerate() {
            let ids = call.whole_blocks(block_size);
            let shared = prompt.ids.iter().zip(ids).take_while(|(a, b)| a == b).count();
            let fresh: Box<[i64]> = ids[shared..].into();
            let tail = usize::try_from(call.input).unwrap_or(usize::MAX).saturating_sub(ids.len() * block_size);
            // The last message is the user's.
            let room = if tail > 0 { fresh.len() } else { fresh.len().saturating_sub(1) };
            let answered = before.map_or(0, |before| before.output.div_ceil(block_size as u64));
            let answer = usize::try_from(answered).unwrap_or(usize::MAX).min(room);
            layout.steps.push(Step {
                shared,
                fresh,
                tail,
                answer,
                answer_is_users: false,
                tool_result: call.tool_result,
            });
            layout.advance(&mut prompt, place);
            if let Some(Segment { speaker: Speaker::Assistant, step, .. }) = prompt.segments.last() {
                layout.steps[*step].answer_is_users = true;
            }
            before = Some(call);
        }
        layout
    }

    /// The prompt of one turn.
    pub(super) fn prompt(&self, turn: usize) -> Prompt {
        let mut prompt = Prompt { ids: Vec::new(), segments: Vec::new() };
        (0..=turn).for_each(|place| self.advance(&mut prompt, place));
        prompt
    }

    /// Whether the answer in this step is one that called a tool.
    pub(super) fn calls_tool(&self, step: usize) -> bool {
        self.steps[step].tool_result
    }

    fn advance(&self, prompt: &mut Prompt, place: usize) {
        let Step { shared, fresh, tail, answer, answer_is_users, .. } = &self.steps[place];
        let Prompt { ids, segments } = prompt;
        ids.truncate(*shared);
        segments.retain(|segment| segment.start < *shared);
        if let Some(last) = segments.last_mut() {
            (last.end, last.tail) = (last.end.min(*shared), 0);
        }
        ids.extend(fresh);
        let mut start = *shared;
        let said_before = segments.iter().any(|segment| segment.speaker != Speaker::System);
        let mut add = |speaker: Speaker, end: usize, tail: usize| {
            if end > start || tail > 0 {
                segments.push(Segment { speaker, start, end, tail, step: place });
            }
            start = start.max(end);
        };
        if place == 0 {
            add(Speaker::System, self.system_blocks.min(ids.len()), 0);
        }
        if said_before && !answer_is_users {
            add(Speaker::Assistant, shared + answer, 0);
        }
        add(Speaker::User, ids.len(), *tail);
    }
}

#[cfg(test)]
mod tests;
