//! A recorded session of an agent: its requests with their times, and its subagents.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use aiperf_conversation::{BlockReuse, RecordedPlace};

use crate::RowPlace;

/// One session.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) id: Arc<str>,
    /// The number of tokens per hash id.
    pub(crate) block_size: usize,
    pub(crate) main: AgentRequests,
    pub(crate) subagents: Vec<Subagent>,
    /// The position in the input, for messages.
    pub(crate) path: PathBuf,
    pub(crate) place: RowPlace,
}

/// The requests of one agent, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct AgentRequests {
    /// The number of tokens of tools and system prompt at the start.
    pub(crate) system_tokens: u64,
    pub(crate) calls: Vec<RecordedCall>,
}

#[derive(Debug)]
pub(crate) struct Subagent {
    pub(crate) id: Arc<str>,
    pub(crate) start_s: f64,
    /// The duration, if it was recorded.
    pub(crate) duration_s: Option<f64>,
    pub(crate) strand: AgentRequests,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordedCall {
    pub(crate) start_s: f64,
    /// The response time of the server.
    pub(crate) api_s: Option<f64>,
    /// The pause of the client before the request.
    pub(crate) think_s: Option<f64>,
    pub(crate) model: Arc<str>,
    /// The number of tokens in the prompt; at least one.
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Whether the new part of the prompt is the result of a tool.
    pub(crate) tool_result: bool,
    /// The blocks that the prompt begins with.
    pub(crate) ids: Box<[i64]>,
    pub(crate) place: RecordedPlace,
    /// Set when the whole recording has been read.
    pub(crate) reuse: BlockReuse,
}

impl RecordedCall {
    pub(crate) fn end_s(&self) -> f64 {
        self.start_s + self.api_s.unwrap_or(0.0)
    }

    /// The blocks that lie completely in the prompt.
    pub(crate) fn whole_blocks(&self, block_size: usize) -> &[i64] {
        let whole = usize::try_from(self.input).unwrap_or(usize::MAX) / block_size.max(1);
        &self.ids[..self.ids.len().min(whole)]
    }
}

impl Subagent {
    /// The end of the subagent: as recorded, but not before its last request was sent, since a request that continued earlier
    /// cannot have waited for it.
    pub(crate) fn end_s(&self) -> f64 {
        match self.duration_s {
            Some(duration) => {
                let starts = self.strand.calls.iter().map(|call| call.start_s);
                starts.fold(self.start_s + duration, f64::max)
            }
            None => end_of(&self.strand.calls, self.start_s),
        }
    }
}

/// The time at which the last of the requests was answered.
pub(crate) fn end_of<'a>(calls: impl IntoIterator<Item = &'a RecordedCall>, start_s: f64) -> f64 {
    calls.into_iter().map(RecordedCall::end_s).fold(start_s, f64::max)
}

impl Recording {
    /// The requests of all agents.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &RecordedCall> {
        let theirs = self.subagents.iter().flat_map(|agent| &agent.strand.calls);
        self.main.calls.iter().chain(theirs)
    }

    /// Records which blocks of each request were sent before it, in the order of the recording. A replay starts with an empty
    /// cache, and the sum does not depend on the order of two requests.
    pub(crate) fn note_reuse(&mut self) {
        let theirs = self.subagents.iter_mut().flat_map(|agent| &mut agent.strand.calls);
        let mut calls: Vec<&mut RecordedCall> = self.main.calls.iter_mut().chain(theirs).collect();
        calls.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        let mut sent: HashSet<i64> = HashSet::new();
        for call in calls {
            let reused = call.ids.iter().take_while(|id| sent.contains(id)).count();
            sent.extend(&call.ids);
            let count = |blocks: usize| u32::try_from(blocks).unwrap_or(u32::MAX);
            call.reuse = BlockReuse { blocks: count(call.ids.len()), reused: count(reused) };
        }
    }

    /// The largest sum of the tokens of a prompt and its answer.
    pub(crate) fn peak_context(&self) -> u64 {
        self.calls().map(|call| call.input.saturating_add(call.output)).max().unwrap_or(0)
    }

    /// Keeps the requests whose prompts have at most this many tokens, and the subagents with remaining requests. Returns the
    /// shortest prompt of the main agent if none of its requests remains.
    pub(crate) fn leave_out_longer(&mut self, most: u64) -> Option<u64> {
        let shortest = self.main.calls.iter().map(|call| call.input).min();
        let fits = |call: &RecordedCall| call.input <= most;
        self.main.calls.retain(fits);
        self.subagents.iter_mut().for_each(|agent| agent.strand.calls.retain(fits));
        self.subagents.retain(|agent| !agent.strand.calls.is_empty());
        shortest.filter(|_| self.main.calls.is_empty())
    }

    /// Shortens every period without a request to at most `cap_s` seconds.
    pub(crate) fn shorten_gaps(&mut self, cap_s: f64) {
        let mut starts: Vec<f64> = self.calls().map(|call| call.start_s).collect();
        starts.sort_by(f64::total_cmp);
        // Everything at or after a start is moved earlier by this much.
        let mut moves: Vec<(f64, f64)> = Vec::new();
        let mut saved = 0.0;
        for pair in starts.windows(2) {
            let gap = pair[1] - pair[0];
            if gap > cap_s {
                saved += gap - cap_s;
                moves.push((pair[1], saved));
            }
        }
        let earlier = |time: f64| {
            let behind = moves.partition_point(|(start, _)| *start <= time);
            time - behind.checked_sub(1).map_or(0.0, |last| moves[last].1)
        };
        for agent in &mut self.subagents {
            // A subagent starts with its first request, which may lie after a gap that the subagent itself does not.
            let lead = agent.strand.calls.first().map(|first| (first.start_s - agent.start_s).clamp(0.0, cap_s));
            agent.strand.calls.iter_mut().for_each(|call| call.start_s = earlier(call.start_s));
            let end = agent.duration_s.map(|duration| earlier(agent.start_s + duration));
            agent.start_s = match (agent.strand.calls.first(), lead) {
                (Some(first), Some(lead)) => first.start_s - lead,
                _ => earlier(agent.start_s),
            };
            agent.duration_s = end.map(|end| (end - agent.start_s).max(0.0));
        }
        self.main.calls.iter_mut().for_each(|call| call.start_s = earlier(call.start_s));
    }
}
