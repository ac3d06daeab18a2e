//! A recorded session of an agent: what it asked for, when, and which agents worked for it.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use aiperf_conversation::{BlockReuse, RecordedPlace};

use crate::RowPlace;

/// One session.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) id: Arc<str>,
    /// Tokens that one hash id stands for.
    pub(crate) block_size: usize,
    pub(crate) main: Strand,
    pub(crate) subagents: Vec<Subagent>,
    /// Where it stands, for what is said about it.
    pub(crate) path: PathBuf,
    pub(crate) place: RowPlace,
}

/// Requests of one agent, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct Strand {
    /// Tokens of tools and system prompt in front of everything.
    pub(crate) system_tokens: u64,
    pub(crate) calls: Vec<Call>,
}

#[derive(Debug)]
pub(crate) struct Subagent {
    pub(crate) id: Arc<str>,
    pub(crate) start_s: f64,
    /// How long it ran, if that was recorded.
    pub(crate) duration_s: Option<f64>,
    pub(crate) strand: Strand,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) start_s: f64,
    /// How long the server took.
    pub(crate) api_s: Option<f64>,
    /// Pause of the client before it.
    pub(crate) think_s: Option<f64>,
    pub(crate) model: Arc<str>,
    /// Tokens of the prompt, at least one.
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Whether what is new in the prompt is the result of a tool.
    pub(crate) tool_result: bool,
    /// The blocks that the prompt begins with.
    pub(crate) ids: Box<[i64]>,
    pub(crate) place: RecordedPlace,
    /// Known once the whole recording is.
    pub(crate) reuse: BlockReuse,
}

impl Call {
    pub(crate) fn end_s(&self) -> f64 {
        self.start_s + self.api_s.unwrap_or(0.0)
    }

    /// Blocks that lie wholly in the prompt.
    pub(crate) fn whole_blocks(&self, block_size: usize) -> &[i64] {
        let whole = usize::try_from(self.input).unwrap_or(usize::MAX) / block_size.max(1);
        &self.ids[..self.ids.len().min(whole)]
    }
}

impl Subagent {
    /// When it had ended: as recorded, but not before its last request was sent, for which whoever went on earlier cannot
    /// have waited.
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

/// When the last of the requests was answered.
pub(crate) fn end_of<'a>(calls: impl IntoIterator<Item = &'a Call>, start_s: f64) -> f64 {
    calls.into_iter().map(Call::end_s).fold(start_s, f64::max)
}

impl Recording {
    /// Every request, whoever sent it.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        let theirs = self.subagents.iter().flat_map(|agent| &agent.strand.calls);
        self.main.calls.iter().chain(theirs)
    }

    /// Finds out which blocks of each request were sent before it, in the order of the recording. Whoever replays it
    /// starts with an empty cache, and whether two requests change places on the way is of no consequence to the sum.
    pub(crate) fn note_reuse(&mut self) {
        let theirs = self.subagents.iter_mut().flat_map(|agent| &mut agent.strand.calls);
        let mut calls: Vec<&mut Call> = self.main.calls.iter_mut().chain(theirs).collect();
        calls.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        let mut sent: HashSet<i64> = HashSet::new();
        for call in calls {
            let reused = call.ids.iter().take_while(|id| sent.contains(id)).count();
            sent.extend(&call.ids);
            let count = |blocks: usize| u32::try_from(blocks).unwrap_or(u32::MAX);
            call.reuse = BlockReuse { blocks: count(call.ids.len()), reused: count(reused) };
        }
    }

    /// The most tokens that prompt and answer ever had together.
    pub(crate) fn peak_context(&self) -> u64 {
        self.calls().map(|call| call.input.saturating_add(call.output)).max().unwrap_or(0)
    }

    /// Keeps the requests whose prompts have at most so many tokens, and the agents of whom something is left. Gives the
    /// shortest prompt of the main line, if that is left without any.
    pub(crate) fn leave_out_longer(&mut self, most: u64) -> Option<u64> {
        let shortest = self.main.calls.iter().map(|call| call.input).min();
        let fits = |call: &Call| call.input <= most;
        self.main.calls.retain(fits);
        self.subagents.iter_mut().for_each(|agent| agent.strand.calls.retain(fits));
        self.subagents.retain(|agent| !agent.strand.calls.is_empty());
        shortest.filter(|_| self.main.calls.is_empty())
    }

    /// Moves everything forward wherever for longer than `cap_s` no request is sent.
    pub(crate) fn shorten_gaps(&mut self, cap_s: f64) {
        let mut starts: Vec<f64> = self.calls().map(|call| call.start_s).collect();
        starts.sort_by(f64::total_cmp);
        // What lies at or behind a start is moved by so much.
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
            // It starts with its first request, which may lie behind a gap that itself does not.
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
