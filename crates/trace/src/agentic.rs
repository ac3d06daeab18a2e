//! Generated traces of coding agents: sessions that begin with a long shared context and grow turn by turn.

mod config_summary;
mod lognormal;
mod played;
mod quality;
mod session;
mod settings;
mod structure;

use std::collections::HashMap;
use std::sync::Arc;

use aiperf_seed::{Seed, Stream};
use serde_json::Value;

pub use lognormal::LogNormal;
pub use quality::Quality;
use session::{AgenticSession, SessionEnd};
pub use settings::{AgenticSettings, Groups, Layers, Reset, TurnPause, Turns};
pub use structure::{BlockSegment, CacheLayer, CacheStatus, CacheStructure, SessionStructure, TurnStructure};

use crate::{BlockId, Layout, Trace, TracePrompt, TraceRequest, write};

/// A generated trace, and how close it is to its settings.
#[derive(Debug)]
pub struct AgenticTrace {
    /// The rows contain what each turn adds; the replay adds the history.
    pub trace: Trace,
    pub quality: Quality,
    /// Which parts of each prompt a cache would contain.
    pub structure: CacheStructure,
    /// Whole prompts with the times at which a server would receive them.
    pub played: Trace,
    pub assumptions: String,
    /// For each request that is a first turn: the group of its session, and whether it continues another session.
    origins: Vec<Option<(u64, bool)>>,
}

impl AgenticTrace {
    /// The trace as Mooncake rows. First turns also contain the group of their session.
    pub fn to_jsonl(&self) -> String {
        let mut text = String::new();
        for (request, origin) in self.trace.requests.iter().zip(&self.origins) {
            let mut row = write::row(request);
            if let Some((group, is_restart)) = origin {
                row.insert("group_id".to_owned(), (*group).into());
                row.insert("is_restart".to_owned(), (*is_restart).into());
            }
            text.push_str(&Value::Object(row).to_string());
            text.push('\n');
        }
        text
    }
}

/// The share of sessions, from the first on, that may be restarted, and the least distance to the session that continues one.
const RESTART_SPAN: f64 = 0.75;
const RESTART_DISTANCE: f64 = 0.25;

/// Generates this many sessions. The same settings and seed give the same trace.
pub fn generate(settings: &AgenticSettings, sessions: usize, seed: Seed) -> Result<AgenticTrace, String> {
    settings.check()?;
    if sessions == 0 {
        return Err("--num-sessions: at least 1 is expected".to_owned());
    }
    let mut stream = seed.stream("synthesis.agentic.sessions");
    let groups = Zipf::new(settings.cache.layer1_5_groups);
    let mut made: Vec<AgenticSession> = (0..sessions as u64)
        .map(|number| {
            let group = groups.draw(&mut stream);
            AgenticSession::draw(settings, number, group, &mut stream)
        })
        .collect();
    restart(settings, &mut made, &mut seed.stream("synthesis.agentic.restarts"));
    let mut names = seed.stream("synthesis.agentic.names");
    let (mut requests, mut origins) = (Vec::new(), Vec::new());
    let mut cut: HashMap<u64, Vec<u64>> = HashMap::new();
    for session in &made {
        let name: Arc<str> = Arc::from(format!("sess-{:012x}", names.next_u64() >> 16));
        let before = session.takes_up.and_then(|number| cut.remove(&number)).unwrap_or_default();
        let own = rows(settings, session, &before, &name, &mut requests);
        if session.end == SessionEnd::Restarted {
            cut.insert(session.number, own);
        }
        origins.push(Some((session.group, session.takes_up.is_some())));
        origins.resize(requests.len(), None);
    }
    let trace = Trace { layout: Layout::Mooncake, block_size: settings.block_size, requests, skipped_rows: 0 };
    let structure = CacheStructure::of(&trace, settings);
    Ok(AgenticTrace {
        quality: Quality::of(settings, &made),
        structure,
        played: played::played(settings, &made),
        assumptions: played::assumptions(),
        trace,
        origins,
    })
}

/// Cuts some early sessions, and inserts later sessions that continue them.
fn restart(settings: &AgenticSettings, sessions: &mut Vec<AgenticSession>, stream: &mut Stream) {
    let count = sessions.len() as f64;
    let mut later: Vec<(usize, AgenticSession)> = Vec::new();
    for (index, session) in sessions.iter_mut().enumerate() {
        let left = 1.0 - index as f64 / (count * RESTART_SPAN);
        if left <= 0.0 || stream.unit() >= settings.restart_initial_probability * left {
            continue;
        }
        let [first, last] = settings.restart_turn_range;
        let kept = u64::from(first) + stream.below(u64::from(last - first) + 1);
        let number = count as u64 + later.len() as u64;
        let Some(rest) = session.split(kept as usize, number) else { continue };
        let earliest = index as u64 + (count * RESTART_DISTANCE).ceil() as u64;
        let place = earliest + stream.below((count as u64).saturating_sub(earliest).max(1));
        later.push((place as usize, rest));
    }
    // From the end, so that earlier positions stay valid.
    later.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    for (place, session) in later {
        sessions.insert(place.min(sessions.len()), session);
    }
}

/// Adds the rows of a session that begins with the blocks `before` of the session that it continues. Returns its unshared
/// block ids.
fn rows(
    settings: &AgenticSettings,
    session: &AgenticSession,
    before: &[u64],
    name: &Arc<str>,
    requests: &mut Vec<TraceRequest>,
) -> Vec<u64> {
    let size = u64::from(settings.block_size);
    let mut fresh = settings.first_own_block(session.number)..;
    let mut all = Vec::new();
    for (turn, is_first) in session.turns.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
        let mut blocks: Vec<u64> = if is_first { settings.prefix_blocks(session.group).collect() } else { Vec::new() };
        let more = turn.new.div_ceil(size).saturating_sub(blocks.len() as u64) as usize;
        let known = if is_first { &before[..before.len().min(more)] } else { &[] };
        let own = known.iter().copied().chain(fresh.by_ref().take(more - known.len()));
        let shared = blocks.len();
        blocks.extend(own);
        all.extend(&blocks[shared..]);
        requests.push(TraceRequest {
            line: requests.len() + 1,
            timestamp_ms: is_first.then_some(0.0),
            delay_ms: turn.delay_ms.map(|delay| (delay * 10.0).round() / 10.0),
            duration_ms: None,
            holds_history: false,
            session: Some(Arc::clone(name)),
            prompt: TracePrompt::Length {
                tokens: turn.new,
                blocks: blocks.into_iter().map(|id| BlockId(id as i64)).collect(),
            },
            output_tokens: Some(turn.output),
            extra: None,
        });
    }
    all
}

/// Group `k` of `n` with weight `1 / (k + 1)^alpha`.
#[derive(Debug)]
struct Zipf(Vec<f64>);

impl Zipf {
    fn new(groups: Groups) -> Self {
        let mut sum = 0.0;
        let weights = (1..=groups.num_groups).map(|rank| (rank as f64).powf(-groups.zipf_alpha));
        Self(
            weights
                .map(|weight| {
                    sum += weight;
                    sum
                })
                .collect(),
        )
    }

    fn draw(&self, stream: &mut Stream) -> u64 {
        let total = self.0.last().copied().unwrap_or(1.0);
        let drawn = stream.unit() * total;
        self.0.partition_point(|sum| *sum <= drawn).min(self.0.len().saturating_sub(1)) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;
    use crate::validation;

    fn made(settings: &AgenticSettings, sessions: usize) -> AgenticTrace {
        generate(settings, sessions, Seed::fixed(42)).unwrap()
    }

    #[test]
    fn the_same_seed_makes_the_same_valid_trace() {
        let settings = AgenticSettings::default();
        let text = made(&settings, 30).to_jsonl();
        assert_eq!(text, made(&settings, 30).to_jsonl());
        let trace = Trace::parse(Path::new("made"), text.as_bytes(), Some(Layout::Mooncake)).unwrap();
        assert!(validation::session_problems(&trace.requests).is_empty());
        assert!(trace.requests.iter().all(|request| validation::request_problem(request, 512).is_none()));
        let sessions: HashSet<_> = trace.requests.iter().filter_map(|request| request.session.clone()).collect();
        assert_eq!(sessions.len(), 30);
        assert!(text.lines().next().unwrap().contains("group_id"));
    }

    #[test]
    fn contexts_grow_up_to_the_limit_and_ids_are_not_used_twice() {
        let AgenticTrace { trace, .. } = made(&AgenticSettings::default(), 60);
        let mut context = 0;
        let mut own = HashSet::new();
        for request in &trace.requests {
            if request.timestamp_ms.is_some() {
                context = 0;
            }
            context += request.input_tokens().unwrap();
            assert!(context < 200_000, "{context}");
            context += request.output_tokens.unwrap();
            let blocks = request.blocks().iter().filter(|block| block.0 >= 200_063);
            assert!(blocks.copied().all(|block| own.insert(block)));
        }
    }

    #[test]
    fn sessions_have_the_turns_that_they_are_made_for() {
        let turns: Turns = serde_json::from_str(r#"{"mean":4,"median":4,"allow_truncation":false}"#).unwrap();
        let AgenticTrace { trace, .. } =
            made(&AgenticSettings { turns: Some(turns), ..AgenticSettings::default() }, 25);
        assert_eq!(trace.requests.len(), 100);
    }

    #[test]
    fn a_restart_takes_up_the_context_of_a_cut_session() {
        let settings = AgenticSettings { restart_initial_probability: 1.0, ..AgenticSettings::default() };
        let AgenticTrace { trace, origins, quality, .. } = made(&settings, 40);
        let restarted: Vec<usize> = (0..origins.len()).filter(|i| origins[*i].is_some_and(|origin| origin.1)).collect();
        assert!(restarted.len() > 5 && quality.restarts() == restarted.len());
        assert!(restarted.iter().all(|index| trace.requests[*index].input_tokens().unwrap() > settings.first_tokens()));
        assert!(restarted[0] > trace.requests.len() / 5, "well behind its origin");
        let mut seen = HashSet::new();
        for (index, request) in trace.requests.iter().enumerate() {
            assert!(validation::request_problem(request, 512).is_none());
            let own: Vec<_> = request.blocks().iter().filter(|block| block.0 >= 200_063).collect();
            let known = own.iter().take_while(|block| seen.contains(**block)).count();
            assert_eq!(known > 0, restarted.contains(&index), "the blocks of the cut session come first");
            assert!(own[known..].iter().all(|block| seen.insert(**block)), "all others are new");
        }
    }

    #[test]
    fn a_cache_holds_what_a_restart_takes_up() {
        let settings = AgenticSettings { restart_initial_probability: 1.0, ..AgenticSettings::default() };
        let made = made(&settings, 40);
        let first = |session: &SessionStructure| session.turns[0].segments.clone();
        let taken_up = made.structure.sessions.iter().map(first).filter(|segments| {
            segments.iter().any(|part| (part.layer, part.status) == (CacheLayer::Session, CacheStatus::Cached))
        });
        assert_eq!(taken_up.count(), made.quality.restarts());
        let rate = |trace: &Trace| crate::analyze(trace).cache.unwrap().best_hit_rate();
        let uncut = generate(&AgenticSettings::default(), 40, Seed::fixed(42)).unwrap();
        assert!((rate(&made.played) - rate(&uncut.played)).abs() < 1e-3, "a prompt is the same whoever sends it");
    }

    #[test]
    fn settings_that_cannot_be_met_are_refused_by_name() {
        for (json, name) in [
            (r#"{"max_prompt_tokens": 52000}"#, "max_prompt_tokens"),
            (r#"{"cache": {"layer1_5_groups": {"num_groups": 2000}}}"#, "num_groups"),
            (r#"{"generation_length": {"mean": 1, "median": 2}}"#, "generation_length"),
            (r#"{"reset": {"base_probability": 2}}"#, "base_probability"),
            (r#"{"block_size": 0}"#, "block_size"),
        ] {
            let settings: AgenticSettings = serde_json::from_str(json).unwrap();
            let error = generate(&settings, 1, Seed::fixed(1)).unwrap_err();
            assert!(error.contains(name), "{json}: {error}");
        }
        assert!(serde_json::from_str::<AgenticSettings>(r#"{"sessions": 5}"#).is_err());
    }
}
