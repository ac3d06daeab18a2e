//! Which parts of each prompt a cache would already contain, turn by turn: what all sessions share (L1), what a group shares
//! (L1.5), what the session has so far (L2) and what the turn adds (L3).

use std::collections::HashSet;

use serde::Serialize;

use super::settings::AgenticSettings;
use crate::{BlockId, Trace};

/// The blocks of all prompts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CacheStructure {
    pub block_size: u32,
    pub l1_blocks: u64,
    pub l15_blocks: u64,
    pub sessions: Vec<SessionStructure>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionStructure {
    pub session_id: String,
    pub turns: Vec<TurnStructure>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnStructure {
    pub turn_index: usize,
    /// The number of tokens that the turn adds.
    pub input_length: u64,
    pub output_length: u64,
    /// The number of blocks in the whole prompt.
    pub num_blocks: u64,
    pub segments: Vec<BlockSegment>,
}

/// Consecutive blocks of one layer and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BlockSegment {
    pub start: u64,
    pub count: u64,
    pub layer: CacheLayer,
    pub status: CacheStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum CacheLayer {
    #[serde(rename = "L1")]
    Everyone,
    #[serde(rename = "L1.5")]
    Group,
    #[serde(rename = "L2")]
    Session,
    #[serde(rename = "L3")]
    Turn,
}

/// Whether an earlier prompt contained the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheStatus {
    Cached,
    New,
}

impl CacheStructure {
    pub(super) fn of(trace: &Trace, settings: &AgenticSettings) -> Self {
        let (shared, group) = (settings.shared_blocks(), settings.group_blocks());
        let mut seen: HashSet<BlockId> = HashSet::new();
        let mut sessions: Vec<SessionStructure> = Vec::new();
        let mut before = 0;
        for request in &trace.requests {
            let name = request.session.as_deref().unwrap_or_default();
            let blocks = request.blocks();
            let is_first = sessions.last().is_none_or(|session| session.session_id != name);
            if is_first {
                sessions.push(SessionStructure { session_id: name.to_owned(), turns: Vec::new() });
                before = 0;
            }
            let status = |blocks: &[BlockId]| {
                if blocks.iter().all(|block| seen.contains(block)) { CacheStatus::Cached } else { CacheStatus::New }
            };
            let mut segments = Vec::new();
            let mut put = |start: u64, count: u64, layer: CacheLayer, status: CacheStatus| {
                if count > 0 {
                    segments.push(BlockSegment { start, count, layer, status });
                }
            };
            let all = before + blocks.len() as u64;
            if is_first {
                let (everyone, rest) = blocks.split_at((shared as usize).min(blocks.len()));
                let (of_group, own) = rest.split_at((group as usize).min(rest.len()));
                put(0, everyone.len() as u64, CacheLayer::Everyone, status(everyone));
                put(shared, of_group.len() as u64, CacheLayer::Group, status(of_group));
                // A restarted session begins with the blocks of the session that it continues.
                let known = own.iter().take_while(|block| seen.contains(block)).count() as u64;
                put(shared + group, known, CacheLayer::Session, CacheStatus::Cached);
                put(shared + group + known, own.len() as u64 - known, CacheLayer::Session, CacheStatus::New);
            } else {
                put(0, shared, CacheLayer::Everyone, CacheStatus::Cached);
                put(shared, group, CacheLayer::Group, CacheStatus::Cached);
                put(shared + group, before - shared - group, CacheLayer::Session, CacheStatus::Cached);
                put(before, blocks.len() as u64, CacheLayer::Turn, CacheStatus::New);
            }
            seen.extend(blocks);
            before = all;
            if let Some(session) = sessions.last_mut() {
                session.turns.push(TurnStructure {
                    turn_index: session.turns.len(),
                    input_length: request.input_tokens().unwrap_or(0),
                    output_length: request.output_tokens.unwrap_or(0),
                    num_blocks: all,
                    segments,
                });
            }
        }
        Self { block_size: settings.block_size, l1_blocks: shared, l15_blocks: group, sessions }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;
    use crate::agentic::generate;

    #[test]
    fn every_block_is_in_one_segment_and_only_first_uses_are_new() {
        let settings = AgenticSettings::default();
        let made = generate(&settings, 12, Seed::fixed(3)).unwrap();
        let structure = &made.structure;
        assert_eq!((structure.sessions.len(), structure.l1_blocks, structure.l15_blocks), (12, 63, 40));
        for turn in structure.sessions.iter().flat_map(|session| &session.turns) {
            let mut next = 0;
            for segment in &turn.segments {
                assert_eq!(segment.start, next);
                next += segment.count;
            }
            assert_eq!(next, turn.num_blocks);
        }
        let first = &structure.sessions[0].turns[0].segments;
        assert!(first.iter().all(|segment| segment.status == CacheStatus::New), "nothing was there before");
        let second = &structure.sessions[1].turns[0].segments;
        assert_eq!((second[0].layer, second[0].status), (CacheLayer::Everyone, CacheStatus::Cached));
        let json = serde_json::to_value(structure).unwrap();
        let segment = &json["sessions"][0]["turns"][1]["segments"][1];
        assert_eq!(*segment, serde_json::json!({"start": 63, "count": 40, "layer": "L1.5", "status": "cached"}));
    }

    #[test]
    fn what_is_played_are_whole_prompts_in_the_order_of_time_of_each_session() {
        let made = generate(&AgenticSettings::default(), 40, Seed::fixed(3)).unwrap();
        assert_eq!(made.played.requests.len(), made.trace.requests.len());
        assert!(made.played.requests.iter().all(|request| crate::request_problem(request, 512).is_none()));
        for pair in made.played.requests.windows(2).filter(|pair| pair[0].session == pair[1].session) {
            assert!(pair[0].timestamp_ms < pair[1].timestamp_ms && pair[0].input_tokens() < pair[1].input_tokens());
        }
        let analysis = crate::analyze(&made.played);
        assert!(analysis.cache.unwrap().best_hit_rate() > 0.8, "coding sessions live from the cache");
    }
}
