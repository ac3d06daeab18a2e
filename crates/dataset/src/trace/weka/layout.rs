//! Divides the prompts of an agent's requests into messages. Each request keeps the messages whose blocks it shares with the
//! previous request; the new part is first the answer to that request, then a message of the user.

use super::recording::{AgentRequests, RecordedCall};

/// The prompts of one conversation, stored as the differences between consecutive ones.
#[derive(Debug)]
pub(crate) struct MessageLayout {
    system_blocks: usize,
    steps: Vec<LayoutStep>,
}

#[derive(Debug)]
struct LayoutStep {
    /// The number of blocks that it shares with the previous step.
    shared: usize,
    /// The new blocks after those.
    fresh: Box<[i64]>,
    /// The number of tokens after the blocks.
    tail: usize,
    /// The number of new blocks that are the answer to the previous request.
    answer: usize,
    /// Whether the answer counts as a message of the user, because a later prompt ends with it.
    answer_is_users: bool,
    tool_result: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    User,
    Assistant,
}

/// One message: a range of blocks of the prompt, and tokens after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageSegment {
    pub(super) speaker: Speaker,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) tail: usize,
    /// The step that added it.
    pub(super) step: usize,
}

/// One prompt.
#[derive(Debug)]
pub(super) struct LayoutPrompt {
    pub(super) ids: Vec<i64>,
    pub(super) segments: Vec<MessageSegment>,
}

impl MessageLayout {
    pub(super) fn of(strand: &AgentRequests, block_size: usize) -> Self {
        let system_blocks = usize::try_from(strand.system_tokens.div_ceil(block_size as u64)).unwrap_or(usize::MAX);
        let mut layout = Self { system_blocks, steps: Vec::with_capacity(strand.calls.len()) };
        let mut prompt = LayoutPrompt { ids: Vec::new(), segments: Vec::new() };
        let mut before: Option<&RecordedCall> = None;
        for (place, call) in strand.calls.iter().enumerate() {
            let ids = call.whole_blocks(block_size);
            let shared = prompt.ids.iter().zip(ids).take_while(|(a, b)| a == b).count();
            let fresh: Box<[i64]> = ids[shared..].into();
            let tail = usize::try_from(call.input).unwrap_or(usize::MAX).saturating_sub(ids.len() * block_size);
            // The last message is a message of the user.
            let room = if tail > 0 { fresh.len() } else { fresh.len().saturating_sub(1) };
            let answered = before.map_or(0, |before| before.output.div_ceil(block_size as u64));
            let answer = usize::try_from(answered).unwrap_or(usize::MAX).min(room);
            layout.steps.push(LayoutStep {
                shared,
                fresh,
                tail,
                answer,
                answer_is_users: false,
                tool_result: call.tool_result,
            });
            layout.advance(&mut prompt, place);
            if let Some(MessageSegment { speaker: Speaker::Assistant, step, .. }) = prompt.segments.last() {
                layout.steps[*step].answer_is_users = true;
            }
            before = Some(call);
        }
        layout
    }

    /// The prompt of one turn.
    pub(super) fn prompt(&self, turn: usize) -> LayoutPrompt {
        let mut prompt = LayoutPrompt { ids: Vec::new(), segments: Vec::new() };
        (0..=turn).for_each(|place| self.advance(&mut prompt, place));
        prompt
    }

    /// Whether the answer in this step called a tool.
    pub(super) fn calls_tool(&self, step: usize) -> bool {
        self.steps[step].tool_result
    }

    fn advance(&self, prompt: &mut LayoutPrompt, place: usize) {
        let LayoutStep { shared, fresh, tail, answer, answer_is_users, .. } = &self.steps[place];
        let LayoutPrompt { ids, segments } = prompt;
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
                segments.push(MessageSegment { speaker, start, end, tail, step: place });
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
