//! The conversations of recorded sessions: one for the main agent of each, and one for every subagent.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_config::{TraceCorpus, TraceOptions};
use aiperf_conversation::{
    Branch, BranchKind, ContextMode, Conversation, ConversationIndex, Lineage, RecordedLine, ReplayOrigin, SessionId,
    Turn,
};

use super::layout::MessageLayout;
use super::order;
use super::prompt::{AgentPrompts, ConversationPrompts};
use super::recording::{AgentRequests, RecordedCall, Recording, Subagent, end_of};
use super::split::{AgentChain, Split, split};

/// Builds the conversations.
#[derive(Debug)]
pub(super) struct OutlineBuilder<'a> {
    options: &'a TraceOptions,
    models: &'a [Arc<str>],
    pub(super) conversations: Vec<Conversation>,
    pub(super) scripts: Vec<ConversationPrompts>,
    pub(super) empty_outputs: usize,
    /// The number of agents that started before any request that could have started them.
    pub(super) orphans: usize,
    names: HashSet<Arc<str>>,
    /// The times at which the requests of each conversation of the current recording were sent and answered.
    spans: Vec<Vec<(f64, f64)>>,
}

/// The requests of an agent that another agent starts.
#[derive(Debug)]
struct Child {
    name: String,
    strand: AgentRequests,
    start_s: f64,
    end_s: f64,
    /// Whether it was recorded as a subagent. Otherwise it was separated from the requests of another agent.
    is_subagent: bool,
}

/// How the requests of an agent start.
#[derive(Debug)]
struct AgentStart {
    lineage: Lineage,
    /// The time of the request that starts it.
    at_s: f64,
    /// The delay after the answer to that request.
    offset_ms: Option<f64>,
}

impl<'a> OutlineBuilder<'a> {
    pub(super) fn new(options: &'a TraceOptions, models: &'a [Arc<str>]) -> Self {
        let (conversations, scripts, names) = (Vec::new(), Vec::new(), HashSet::new());
        Self { options, models, conversations, scripts, empty_outputs: 0, orphans: 0, names, spans: Vec::new() }
    }

    pub(super) fn add(&mut self, recording: Recording) {
        let Recording { id, block_size, main, subagents, .. } = recording;
        let models = ModelMap::new(self.models, &main, &subagents);
        let source = RecordingContext { trace: Arc::clone(&id), block_size, models };
        let split = split(main, block_size, &self.options.agents.detection);
        let apart = subagents.into_iter().map(|agent| Child {
            name: format!("{id}::sa:{}", agent.id),
            start_s: agent.start_s,
            end_s: agent.end_s(),
            strand: agent.strand,
            is_subagent: true,
        });
        let children = told_apart(&format!("{id}::"), split.others).chain(apart).collect();
        let first = self.conversations.len();
        self.strand(
            &source,
            &id,
            &split.main,
            children,
            AgentStart { lineage: Lineage::Root, at_s: 0.0, offset_ms: None },
        );
        let spans = std::mem::take(&mut self.spans);
        if !self.options.ignore_times {
            order::keep(&spans, first, &mut self.conversations);
        }
    }

    /// Adds a conversation and all that it starts, and returns its index.
    fn strand(
        &mut self,
        source: &RecordingContext,
        name: &str,
        strand: &AgentRequests,
        mut children: Vec<Child>,
        start: AgentStart,
    ) -> ConversationIndex {
        let AgentStart { lineage, at_s, offset_ms } = start;
        let index = self.conversations.len();
        let is_main = lineage == Lineage::Root;
        let session_id = SessionId(self.unused(name));
        self.conversations.push(Conversation {
            session_id,
            turns: Vec::new(),
            system: None,
            user_context: None,
            // Each turn contains all of its messages, since earlier messages may be shortened or dropped.
            context_mode: ContextMode::MessageArrayWithResponses,
            lineage,
        });
        let own = self.spans.len();
        // Nothing is sent before the request that starts it, whatever was recorded.
        self.spans.push(strand.calls.iter().map(|call| (call.start_s.max(at_s), call.end_s().max(at_s))).collect());
        let layout = MessageLayout::of(strand, source.block_size);
        self.scripts.push(ConversationPrompts {
            trace: Arc::clone(&source.trace),
            block_size: source.block_size,
            layout,
        });
        let mut turns = self.turns(source, &strand.calls, is_main, offset_ms);
        children.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        // Agents that were separated from one list start as one branch, with their recorded offsets.
        let mut group: Option<(usize, f64)> = None;
        let mut last_end: Vec<Option<f64>> = vec![None; turns.len()];
        for mut child in children {
            let Some(starts_at) = strand.calls.iter().rposition(|call| call.start_s <= child.start_s) else {
                self.orphans += 1;
                continue;
            };
            let Some(first) = child.strand.calls.first().map(|first| first.start_s) else { continue };
            let began = match group {
                _ if child.is_subagent => child.start_s,
                Some((turn, began)) if turn == starts_at => began,
                _ => {
                    group = Some((starts_at, child.start_s));
                    child.start_s
                }
            };
            let offset = (!self.options.ignore_times).then_some((first - began).max(0.0) * 1e3);
            let join_at = (starts_at + 1..turns.len()).find(|turn| strand.calls[*turn].start_s >= child.end_s);
            if let Some(turn) = join_at {
                let end = end_of(&child.strand.calls, child.end_s);
                last_end[turn] = Some(last_end[turn].unwrap_or(end).max(end));
            }
            let others = if child.is_subagent {
                let Split { main, others } =
                    split(std::mem::take(&mut child.strand), source.block_size, &self.options.agents.detection);
                child.strand = main;
                told_apart(&format!("{}:", child.name), others).collect()
            } else {
                Vec::new()
            };
            let start = AgentStart { lineage: Lineage::Child, at_s: self.spans[own][starts_at].0, offset_ms: offset };
            let placed = self.strand(source, &child.name, &child.strand, others, start);
            let kind = BranchKind::Spawn { join_at };
            turns[starts_at].branches.push(Branch { kind, children: vec![placed] });
        }
        if !self.options.ignore_times && !self.options.agents.think_time_only {
            for (turn, end) in last_end.into_iter().enumerate().filter_map(|(turn, end)| Some((turn, end?))) {
                // The time between the end of the last agent that it waits for and the request.
                let since = end.max(strand.calls[turn - 1].end_s());
                turns[turn].delay_ms = Some((strand.calls[turn].start_s - since).max(0.0) * 1e3);
            }
        }
        self.conversations[index].turns = turns;
        ConversationIndex(index)
    }

    fn turns(
        &mut self,
        source: &RecordingContext,
        calls: &[RecordedCall],
        is_main: bool,
        offset_ms: Option<f64>,
    ) -> Vec<Turn> {
        let most = self.options.synthesis.max_osl.unwrap_or(u64::MAX);
        let mut turns = Vec::with_capacity(calls.len());
        for (place, call) in calls.iter().enumerate() {
            self.empty_outputs += usize::from(call.output == 0);
            let before = place.checked_sub(1).map(|before| &calls[before]);
            turns.push(Turn {
                model: source.models.of(&call.model),
                recorded_ms: (!self.options.ignore_times).then_some(call.start_s * 1e3),
                max_tokens: Some(u32::try_from(call.output.min(most).max(1)).unwrap_or(u32::MAX)),
                delay_ms: match before {
                    Some(before) => self.pause_ms(before, call),
                    None => offset_ms,
                },
                origin: Some(Box::new(origin(source, call, is_main))),
                ..Turn::default()
            });
        }
        turns
    }

    fn pause_ms(&self, before: &RecordedCall, call: &RecordedCall) -> Option<f64> {
        let seconds = if self.options.ignore_times {
            return None;
        } else if self.options.agents.think_time_only {
            call.think_s.unwrap_or(0.0)
        } else {
            call.start_s - before.end_s()
        };
        Some(seconds.max(0.0) * 1e3)
    }

    /// The name, with a number appended if it is already used.
    fn unused(&mut self, name: &str) -> Arc<str> {
        let again = (2..).map(|number| format!("{name}~{number}"));
        let free = std::iter::once(name.to_owned()).chain(again).find(|name| !self.names.contains(name.as_str()));
        let name: Arc<str> = Arc::from(free.unwrap_or_default());
        self.names.insert(Arc::clone(&name));
        name
    }

    pub(super) fn into_prompts(self, key: u64) -> (Vec<Conversation>, AgentPrompts, usize) {
        let tool_shaped = self.options.agents.detection.tool_shaped_messages;
        let corpus = self.options.corpus.unwrap_or(TraceCorpus::Code);
        let prompts = AgentPrompts { scripts: self.scripts, key, tool_shaped, corpus };
        (self.conversations, prompts, self.empty_outputs)
    }
}

fn origin(source: &RecordingContext, call: &RecordedCall, is_main: bool) -> ReplayOrigin {
    let line = match call.place.inner {
        Some(_) => RecordedLine::Subagent,
        None if is_main => RecordedLine::Main,
        None => RecordedLine::Flat,
    };
    ReplayOrigin { trace: Arc::clone(&source.trace), place: call.place, line, blocks: call.reuse }
}

fn told_apart(prefix: &str, chains: Vec<AgentChain>) -> impl Iterator<Item = Child> {
    chains.into_iter().map(move |AgentChain { name, strand }| {
        let start_s = strand.calls.first().map_or(0.0, |first| first.start_s);
        let end_s = end_of(&strand.calls, start_s);
        Child { name: format!("{prefix}{name}"), strand, start_s, end_s, is_subagent: false }
    })
}

/// What all agents of one recording share.
#[derive(Debug)]
struct RecordingContext {
    trace: Arc<str>,
    block_size: usize,
    models: ModelMap,
}

/// Maps recorded models to the models of the user, in order of appearance.
#[derive(Debug)]
struct ModelMap {
    recorded: Vec<Arc<str>>,
    models: Vec<Arc<str>>,
}

impl ModelMap {
    fn new(models: &[Arc<str>], main: &AgentRequests, subagents: &[Subagent]) -> Self {
        let first = main.calls.first().into_iter();
        let theirs = subagents.iter().flat_map(|agent| &agent.strand.calls);
        let mut all: Vec<&RecordedCall> = main.calls.iter().chain(theirs).collect();
        all.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        let mut recorded: Vec<Arc<str>> = Vec::new();
        for call in first.chain(all) {
            if !recorded.contains(&call.model) {
                recorded.push(Arc::clone(&call.model));
            }
        }
        Self { recorded, models: models.to_vec() }
    }

    fn of(&self, model: &Arc<str>) -> Arc<str> {
        let place = self.recorded.iter().position(|known| known == model).unwrap_or(0);
        let turn_about = self.models.iter().cycle().nth(place % self.models.len().max(1));
        turn_about.map_or_else(|| Arc::from(""), Arc::clone)
    }
}
