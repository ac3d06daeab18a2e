//! The generated sessions as a server of a given speed would receive them: whole prompts, each with its time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::session::AgenticSession;
use super::settings::AgenticSettings;
use crate::{BlockId, Layout, Trace, TracePrompt, TraceRequest};

/// The assumed number of concurrent sessions, and the tokens per second of prefill and decode.
const SLOTS: usize = 16;
const PREFILL_PER_SECOND: f64 = 20_000.0;
const DECODE_PER_SECOND: f64 = 60.0;

/// The assumptions in one line, for the HTML page.
pub(super) fn assumptions() -> String {
    format!(
        "{SLOTS} sessions at a time, {PREFILL_PER_SECOND} new prompt tokens and {DECODE_PER_SECOND} output tokens per second"
    )
}

/// Plays each session in the first free slot, and each turn after its delay.
pub(super) fn played(settings: &AgenticSettings, sessions: &[AgenticSession]) -> Trace {
    let size = u64::from(settings.block_size);
    let (shared, group) = (settings.shared_blocks(), settings.group_blocks());
    let mut free: BinaryHeap<Reverse<u64>> = (0..SLOTS).map(|_| Reverse(0)).collect();
    let mut requests = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        let Reverse(start) = free.pop().unwrap_or(Reverse(0));
        let name: Arc<str> = Arc::from(format!("session-{number}"));
        // A restarted session continues with the prompt of the earlier one.
        let own = settings.first_own_block(session.takes_up.unwrap_or(session.number));
        let mut at_ms = start as f64;
        for turn in &session.turns {
            at_ms += turn.delay_ms.unwrap_or(0.0);
            let more = turn.input.div_ceil(size).saturating_sub(shared + group);
            let blocks = settings.prefix_blocks(session.group).chain(own..own + more);
            requests.push(TraceRequest {
                line: requests.len() + 1,
                timestamp_ms: Some(at_ms),
                delay_ms: None,
                duration_ms: None,
                holds_history: true,
                session: Some(Arc::clone(&name)),
                prompt: TracePrompt::Length {
                    tokens: turn.input,
                    blocks: blocks.map(|id| BlockId(id as i64)).collect(),
                },
                output_tokens: Some(turn.output),
                extra: None,
            });
            at_ms += turn.new as f64 / PREFILL_PER_SECOND * 1e3 + turn.output as f64 / DECODE_PER_SECOND * 1e3;
        }
        free.push(Reverse(at_ms as u64));
    }
    Trace { layout: Layout::Mooncake, block_size: settings.block_size, requests, skipped_rows: 0 }
}
