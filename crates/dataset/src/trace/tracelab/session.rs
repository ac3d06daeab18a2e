//! The rounds of one session, and its conversion to a recording.

use std::collections::HashMap;
use std::sync::Arc;

use aiperf_conversation::{BlockReuse, RecordedPlace};

use super::nesting::Nested;
use super::round::{Owner, TracelabRound};
use crate::RowPlace;
use crate::file::LoadedFile;
use crate::trace::weka::{AgentRequests, RecordedCall, Recording, Subagent};

#[derive(Debug)]
pub(super) struct TracelabSession {
    /// The id, with all characters replaced that are unsafe in file names.
    pub(super) id: Arc<str>,
    pub(super) owner: Owner,
    /// The rounds in the order in which they were sent; at least one.
    pub(super) rounds: Vec<TracelabRound>,
}

impl TracelabSession {
    pub(super) fn start_s(&self) -> f64 {
        self.rounds.first().map_or(0.0, |round| round.submitted_s)
    }

    pub(super) fn end_s(&self) -> f64 {
        self.rounds.iter().map(|round| round.submitted_s + round.api_s).fold(self.start_s(), f64::max)
    }

    /// The requests of the session. Block ids are generated: those of the previous round for the repeated prefix, then new ones.
    fn strand(&self, origin_s: f64, block_size: usize) -> AgentRequests {
        let (mut ids, mut next): (Vec<i64>, i64) = (Vec::new(), 1);
        let blocks = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX) / block_size.max(1);
        let calls = self.rounds.iter().map(|round| {
            ids.truncate(blocks(round.prefix));
            while ids.len() < blocks(round.input) {
                ids.push(next);
                next += 1;
            }
            RecordedCall {
                start_s: round.submitted_s - origin_s,
                api_s: Some(round.api_s),
                think_s: None,
                model: Arc::from(round.model.as_str()),
                input: round.input,
                output: round.output,
                tool_result: round.tool_result,
                ids: ids.clone().into_boxed_slice(),
                place: RecordedPlace::default(),
                reuse: BlockReuse::default(),
            }
        });
        AgentRequests { system_tokens: 0, calls: calls.collect() }
    }
}

/// Sessions in order of appearance, their rounds in the order of time.
pub(super) fn collect(rounds: Vec<TracelabRound>) -> Vec<TracelabSession> {
    let mut sessions: Vec<TracelabSession> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for round in rounds {
        let place = *places.entry(round.session.clone()).or_insert_with(|| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let id: String = round.session.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
            sessions.push(TracelabSession { id: Arc::from(id), owner: round.owner.clone(), rounds: Vec::new() });
            sessions.len() - 1
        });
        sessions[place].rounds.push(round);
    }
    for session in &mut sessions {
        session.rounds.sort_by(|a, b| a.submitted_s.total_cmp(&b.submitted_s).then(a.index.cmp(&b.index)));
    }
    sessions
}

/// The recording of a topmost session, with all of its subagents.
pub(super) fn recording(
    sessions: &[TracelabSession],
    parents: &[Option<Nested>],
    root: usize,
    block_size: usize,
    document: &LoadedFile,
) -> Recording {
    let (session, origin_s) = (&sessions[root], sessions[root].start_s());
    let mut subagents: Vec<Subagent> = Vec::new();
    for (called, nested) in sessions.iter().zip(parents).filter_map(|(called, nested)| Some((called, (*nested)?))) {
        if nested.root != root {
            continue;
        }
        let mut strand = called.strand(origin_s, block_size);
        // Block ids are unique within a recording, so the ids of different sessions must not overlap.
        let shift = (subagents.len() as i64 + 1) << 40;
        strand.calls.iter_mut().flat_map(|call| &mut call.ids).for_each(|id| *id += shift);
        subagents.push(Subagent {
            id: Arc::clone(&called.id),
            start_s: nested.start_s - origin_s,
            duration_s: Some((nested.end_s - nested.start_s).max(0.0)),
            strand,
        });
    }
    let mut main = session.strand(origin_s, block_size);
    number(&mut main, &mut subagents);
    Recording {
        id: Arc::clone(&session.id),
        block_size,
        main,
        subagents,
        path: document.path.clone(),
        place: RowPlace::Line(session.rounds.first().map_or(1, |round| round.line)),
    }
}

/// Numbers requests and subagents in the order of time, as in a Weka trace.
fn number(main: &mut AgentRequests, subagents: &mut [Subagent]) {
    enum TimedEntry<'a> {
        RecordedCall(&'a mut RecordedCall),
        Agent(&'a mut Subagent),
    }
    let mut entries: Vec<(f64, TimedEntry<'_>)> =
        main.calls.iter_mut().map(|call| (call.start_s, TimedEntry::RecordedCall(call))).collect();
    entries.extend(subagents.iter_mut().map(|agent| (agent.start_s, TimedEntry::Agent(agent))));
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (entry, (_, what)) in (0..).zip(entries) {
        match what {
            TimedEntry::RecordedCall(call) => call.place = RecordedPlace { entry, inner: None },
            TimedEntry::Agent(agent) => {
                for (inner, call) in (0..).zip(&mut agent.strand.calls) {
                    call.place = RecordedPlace { entry, inner: Some(inner) };
                }
            }
        }
    }
}
