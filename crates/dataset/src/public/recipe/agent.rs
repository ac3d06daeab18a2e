//! Recorded sessions of agents, as traces of OpenTelemetry: a row is a session, and each model call in it that was answered
//! is a turn with messages, tools and settings of its own.

mod span;
mod span_time;

use aiperf_config::PublicSource;
use aiperf_conversation::{ContextMode, Turn};
use serde_json::Value;

use super::ConversationDraft;
use super::span_message::parsed;
use crate::public::session;
use crate::public::table_row::TableRow;
use span::OtelSpan;
use span_time::SpanTime;

/// A session as one conversation, or each of its calls as a conversation if the recorded schedule is replayed.
pub(super) fn drafts(source: &PublicSource, row: &TableRow) -> Result<Vec<ConversationDraft>, String> {
    let recorded = AgentSession::read(&row.to_json())?;
    Ok(match (recorded.calls.is_empty(), source.fixed_schedule) {
        (true, _) => Vec::new(),
        (false, true) => recorded.at_their_times(),
        (false, false) => vec![recorded.one_after_the_other(source.delay_cap_ms)],
    })
}

/// A session with its model calls, the earliest first.
struct AgentSession {
    id: Option<String>,
    calls: Vec<ModelCall>,
}

struct ModelCall {
    began: Option<SpanTime>,
    ended: Option<SpanTime>,
    turn: Turn,
}

impl AgentSession {
    fn read(row: &serde_json::Map<String, Value>) -> Result<Self, String> {
        let Some(column) = row.get("spans") else { return Err("column spans is missing".to_owned()) };
        let Value::Array(spans) = parsed(column) else { return Err("column spans does not contain a list".to_owned()) };
        let mut calls = Vec::with_capacity(spans.len());
        for span in spans.iter().filter_map(OtelSpan::of) {
            let turn = if span.was_answered() { span.turn() } else { None };
            calls.extend(turn.map(|turn| ModelCall {
                began: span.time("start_time"),
                ended: span.time("end_time"),
                turn,
            }));
        }
        // A call without a time comes first, since its position is unknown.
        calls.sort_by_key(|call| call.began);
        let id = row.get("session_id").and_then(Value::as_str).filter(|id| !id.is_empty());
        Ok(Self { id: id.map(str::to_owned), calls })
    }

    /// One conversation in which each call keeps its recorded delay after the previous answer.
    fn one_after_the_other(self, cap_ms: Option<f64>) -> ConversationDraft {
        let mut turns: Vec<Turn> = Vec::with_capacity(self.calls.len());
        let mut answered: Option<SpanTime> = None;
        for ModelCall { began, ended, mut turn } in self.calls {
            turn.delay_ms = began.zip(answered).map(|(began, answered)| {
                let pause = began.ms_after(answered);
                cap_ms.map_or(pause, |cap| pause.min(cap))
            });
            answered = ended.or(answered);
            turns.push(turn);
        }
        draft(self.id, turns)
    }

    /// One conversation per call, which starts at the time of the call.
    fn at_their_times(self) -> Vec<ConversationDraft> {
        let Self { id, calls } = self;
        let alone = |(number, ModelCall { began, mut turn, .. }): (usize, ModelCall)| {
            turn.timestamp_ms = began.map(SpanTime::ms);
            draft(id.as_ref().map(|id| format!("{id}_{number}")), vec![turn])
        };
        calls.into_iter().enumerate().map(alone).collect()
    }
}

/// A conversation whose turns contain all their messages.
fn draft(id: Option<String>, turns: Vec<Turn>) -> ConversationDraft {
    ConversationDraft {
        session: id.map(|id| session(&id)),
        turns,
        context_mode: ContextMode::MessageArrayWithResponses,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn span(start: &str, end: &str, more: &Value) -> Value {
        let mut attributes = json!({
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": start}]}],
            "gen_ai.usage.output_tokens": 12,
        });
        attributes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"start_time": start, "end_time": end, "status": {"code": 1}, "attributes": attributes})
    }

    fn read(spans: &Value, fixed_schedule: bool, delay_cap_ms: Option<f64>) -> Vec<ConversationDraft> {
        let set = aiperf_config::PUBLIC_SETS.iter().find(|set| set.name == "exgentic").unwrap();
        let source = PublicSource { fixed_schedule, delay_cap_ms, ..PublicSource::of(set) };
        let row = json!({"session_id": "s", "spans": spans});
        drafts(&source, &TableRow::from(row.as_object().unwrap().clone())).unwrap()
    }

    #[test]
    fn calls_are_turns_in_order_of_time_with_the_pauses_between_them() {
        let spans = json!([
            span("2026-05-07T09:00:05Z", "2026-05-07T09:00:06Z", &json!({"gen_ai.request.max_tokens": 99})),
            span("2026-05-07T09:00:00.000", "2026-05-07T09:00:02.500", &json!({"gen_ai.request.temperature": 0.5})),
        ]);
        let all = read(&spans, false, None);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].context_mode, ContextMode::MessageArrayWithResponses);
        let turns = &all[0].turns;
        assert_eq!(turns.iter().map(|turn| turn.delay_ms).collect::<Vec<_>>(), [None, Some(2500.0)]);
        assert_eq!(turns.iter().map(|turn| turn.max_tokens).collect::<Vec<_>>(), [Some(12), Some(99)]);
        assert_eq!(turns[0].extra_body.as_ref().unwrap()["temperature"], 0.5);
        assert_eq!(turns[0].raw_messages.as_ref().unwrap()[0]["content"], "2026-05-07T09:00:00.000");
        assert_eq!(read(&spans, false, Some(1000.0))[0].turns[1].delay_ms, Some(1000.0));
    }

    #[test]
    fn on_a_fixed_schedule_each_call_stands_alone_at_its_time() {
        let spans = json!([
            span("2026-05-07T09:00:00Z", "2026-05-07T09:00:02Z", &json!({})),
            span("2026-05-07T09:00:05Z", "2026-05-07T09:00:06Z", &json!({})),
        ]);
        let all = read(&spans, true, None);
        let times: Vec<f64> = all.iter().map(|draft| draft.turns[0].timestamp_ms.unwrap()).collect();
        assert!((times[1] - times[0] - 5000.0).abs() < 1e-3, "{times:?}");
        assert_eq!(all[1].session.as_ref().unwrap().to_string(), "s_1");
    }

    #[test]
    fn failed_empty_and_other_spans_are_left_out() {
        let good = ("2026-05-07T09:00:00Z", "2026-05-07T09:00:02Z");
        let with = |more: Value| span(good.0, good.1, &more);
        let mut failed = with(json!({}));
        failed["status"] = json!({"code": 2});
        let mut spelled = with(json!({}));
        spelled["status"] = json!("STATUS_CODE_ERROR");
        let spans = json!([
            failed,
            spelled,
            with(json!({"gen_ai.usage.output_tokens": 0})),
            with(json!({"gen_ai.operation.name": "execute_tool"})),
            with(json!({"gen_ai.input.messages": []})),
            {"name": "no attributes"},
            5
        ]);
        assert!(read(&spans, false, None).is_empty());
    }
}
