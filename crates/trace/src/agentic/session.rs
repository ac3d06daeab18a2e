//! One coding session: a long context that grows turn by turn.

use aiperf_seed::Stream;

use super::settings::AgenticSettings;

/// The least number of output tokens.
const SHORTEST_OUTPUT: u64 = 30;

#[derive(Debug, Clone)]
pub(super) struct AgenticSession {
    /// The number of the session, which determines its block ids.
    pub(super) number: u64,
    pub(super) group: u64,
    pub(super) turns: Vec<AgenticTurn>,
    pub(super) end: SessionEnd,
    /// The session whose context this one continues.
    pub(super) takes_up: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct AgenticTurn {
    /// The tokens of the whole prompt, including the history.
    pub(super) input: u64,
    /// The tokens that this turn adds to the prompt.
    pub(super) new: u64,
    pub(super) output: u64,
    /// The delay before the turn; `None` for the first.
    pub(super) delay_ms: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// The next prompt would exceed the context limit.
    Full,
    /// Ended by chance, or after the planned number of turns.
    Done,
    /// Cut off, and continued by another session.
    Restarted,
}

impl AgenticSession {
    pub(super) fn draw(settings: &AgenticSettings, number: u64, group: u64, stream: &mut Stream) -> Self {
        Self { number, ..Self::draw_turns(settings, group, stream) }
    }

    fn draw_turns(settings: &AgenticSettings, group: u64, stream: &mut Stream) -> Self {
        let Some(turns) = settings.turns else { return Self::grow(settings, group, None, stream) };
        let mut last = None;
        for _ in 0..turns.max_session_attempts.max(1) {
            let wanted = turns.distribution().draw(stream).round().max(1.0) as usize;
            let session = Self::grow(settings, group, Some(wanted), stream);
            if turns.allow_truncation || session.turns.len() == wanted {
                return session;
            }
            last = Some(session);
        }
        last.unwrap_or_else(|| Self::grow(settings, group, Some(1), stream))
    }

    fn grow(settings: &AgenticSettings, group: u64, wanted: Option<usize>, stream: &mut Stream) -> Self {
        let limit = settings.max_prompt_tokens;
        let room = (limit - settings.first_tokens()).saturating_sub(1).max(1);
        let own = (settings.cache.layer2.draw(stream).round() as u64).clamp(1, room);
        let input = settings.first_tokens() + own;
        let mut session = Self { number: 0, group, turns: Vec::new(), end: SessionEnd::Done, takes_up: None };
        session.turns.push(AgenticTurn { input, new: input, output: output(settings, stream), delay_ms: None });
        loop {
            let Some(before) = session.turns.last().copied() else { return session };
            match wanted {
                Some(wanted) if session.turns.len() >= wanted => return session,
                None if stream.unit() < end_chance(settings, before.input) => return session,
                _ => {}
            }
            let delay_ms = Some(pause(settings, before.input, stream));
            let new = (settings.new_tokens_per_turn.draw(stream).round() as u64).max(1);
            let input = before.input + before.output + new;
            if input >= limit {
                session.end = SessionEnd::Full;
                return session;
            }
            session.turns.push(AgenticTurn { input, new, output: output(settings, stream), delay_ms });
        }
    }

    /// Cuts the session after its first `kept` turns and returns the session `number` that continues it. The first prompt of
    /// that session is the whole context so far.
    pub(super) fn split(&mut self, kept: usize, number: u64) -> Option<AgenticSession> {
        if kept == 0 || kept >= self.turns.len() {
            return None;
        }
        let mut rest = self.turns.split_off(kept);
        if let Some(first) = rest.first_mut() {
            *first = AgenticTurn { new: first.input, delay_ms: None, ..*first };
        }
        let end = std::mem::replace(&mut self.end, SessionEnd::Restarted);
        Some(AgenticSession { number, group: self.group, turns: rest, end, takes_up: Some(self.number) })
    }
}

fn output(settings: &AgenticSettings, stream: &mut Stream) -> u64 {
    let drawn = settings.generation_length.draw(stream).round() as u64;
    let most = settings.generation_length.max.map_or(u64::MAX, |max| max as u64);
    drawn.max(SHORTEST_OUTPUT).min(most.max(1))
}

/// Draws a delay. Delays become shorter as the context fills.
fn pause(settings: &AgenticSettings, input: u64, stream: &mut Stream) -> f64 {
    let pauses = &settings.inter_turn_delay;
    let of_a_tool = stream.unit() < pauses.agentic_fraction;
    let drawn = if of_a_tool { &pauses.agentic_delay } else { &pauses.human_delay }.draw(stream);
    let scaled = drawn * (1.0 - 0.8 * filled(settings, input)).max(0.2);
    pauses.max.map_or(scaled, |max| scaled.min(max))
}

fn end_chance(settings: &AgenticSettings, input: u64) -> f64 {
    let reset = settings.reset;
    reset.base_probability * (1.0 + (reset.context_scaling - 1.0) * filled(settings, input))
}

fn filled(settings: &AgenticSettings, input: u64) -> f64 {
    input as f64 / settings.max_prompt_tokens as f64
}
