//! Recorded sessions of agents: spans of OpenTelemetry with the `gen_ai` attributes of each model call. Each call that
//! succeeded is a turn with its own messages, tools and settings, after the pause that the agent made.

use aiperf_config::PublicSource;
use aiperf_conversation::{ContextMode, Turn};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::Draft;
use super::span_message::{messages, parsed, tools};
use crate::public::cell::Row;
use crate::public::session;

/// One model call of a session.
struct Call {
    start_ms: Option<f64>,
    end_ms: Option<f64>,
    turn: Turn,
}

/// A conversation of all calls, or of each call at its own time where the schedule is the recorded one.
pub(super) fn drafts(source: &PublicSource, row: &Row) -> Result<Vec<Draft>, String> {
    let row = row.to_json();
    let spans = parsed(row.get("spans").ok_or("there is no column spans")?);
    let spans = spans.as_array().ok_or("column spans holds no list")?;
    let mut calls: Vec<Call> = spans.iter().filter_map(Value::as_object).filter_map(call).collect();
    calls.sort_by(|a, b| a.start_ms.unwrap_or(0.0).total_cmp(&b.start_ms.unwrap_or(0.0)));
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let name = row.get("session_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let draft = |name: Option<String>, turns: Vec<Turn>| Draft {
        session: name.map(|name| session(&name)),
        turns,
        context_mode: ContextMode::MessageArrayWithResponses,
    };
    if !source.fixed_schedule {
        return Ok(vec![draft(name.map(str::to_owned), with_pauses(calls, source.delay_cap_ms))]);
    }
    let single = |(place, call): (usize, Call)| {
        let turn = Turn { timestamp_ms: call.start_ms, ..call.turn };
        draft(name.map(|name| format!("{name}_{place}")), vec![turn])
    };
    Ok(calls.into_iter().enumerate().map(single).collect())
}

fn with_pauses(calls: Vec<Call>, cap_ms: Option<f64>) -> Vec<Turn> {
    let mut last_end: Option<f64> = None;
    let turn = |call: Call| {
        let pause = call.start_ms.zip(last_end).map(|(start, end)| (start - end).max(0.0));
        last_end = call.end_ms.or(last_end);
        Turn { delay_ms: pause.map(|pause| pause.min(cap_ms.unwrap_or(f64::INFINITY))), ..call.turn }
    };
    calls.into_iter().map(turn).collect()
}

/// The call that a span records; `None` where it failed, generated nothing or is no chat.
fn call(span: &Map<String, Value>) -> Option<Call> {
    let attributes = parsed(span.get("attributes")?);
    let attribute = |name: &str| attributes.get(name).filter(|value| !value.is_null());
    let is_chat = match attribute("gen_ai.operation.name").and_then(Value::as_str) {
        Some(operation) => operation == "chat",
        None => attribute("gen_ai.input.messages").is_some(),
    };
    let generated = attribute("gen_ai.usage.output_tokens").and_then(count);
    if !is_chat || has_failed(span.get("status")) || generated == Some(0) {
        return None;
    }
    let messages = messages(attribute("gen_ai.system_instructions"), attribute("gen_ai.input.messages")?);
    if messages.is_empty() {
        return None;
    }
    let asked = attribute("gen_ai.request.max_tokens").and_then(count).filter(|tokens| *tokens > 0);
    let mut settings = Map::new();
    for (name, field) in [("gen_ai.request.temperature", "temperature"), ("gen_ai.request.stop_sequences", "stop")] {
        let value = attribute(name).map(parsed).filter(|value| *value != Value::Array(Vec::new()));
        settings.extend(value.map(|value| (field.to_owned(), value)));
    }
    let turn = Turn {
        raw_messages: Some(messages),
        raw_tools: attribute("gen_ai.tool.definitions").and_then(tools),
        max_tokens: asked.or(generated),
        extra_body: Some(settings).filter(|settings| !settings.is_empty()),
        ..Turn::default()
    };
    let time = |name: &str| span.get(name).and_then(milliseconds);
    Some(Call { start_ms: time("start_time"), end_ms: time("end_time"), turn })
}

/// A status is a code or a record with one; 2 is the code of failure.
fn has_failed(status: Option<&Value>) -> bool {
    let Some(status) = status.map(parsed) else { return false };
    let code = status.get("code").or_else(|| status.get("status_code")).unwrap_or(&status);
    match code {
        Value::Number(code) => code.as_i64() == Some(2),
        Value::String(code) => code.to_ascii_uppercase().ends_with("ERROR"),
        _ => false,
    }
}

fn count(value: &Value) -> Option<u32> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
    (0.0..=f64::from(u32::MAX)).contains(&number).then_some(number as u32)
}

/// Since the epoch. Texts are dates; how large a number is tells its unit.
fn milliseconds(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => {
            let stamp = text
                .parse::<Timestamp>()
                .ok()
                .or_else(|| Some(text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()));
            match stamp {
                Some(stamp) => Some(stamp.as_microsecond() as f64 / 1e3),
                None => milliseconds(&Value::Number(text.parse().ok()?)),
            }
        }
        Value::Number(number) => {
            let number = number.as_f64()?;
            let unit = match number.abs() {
                1e17.. => 1e6,
                1e14.. => 1e3,
                1e11.. => 1.0,
                _ => 1e-3,
            };
            Some(number / unit)
        }
        _ => None,
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

    fn read(spans: &Value, fixed_schedule: bool, delay_cap_ms: Option<f64>) -> Vec<Draft> {
        let set = aiperf_config::PUBLIC_SETS.iter().find(|set| set.name == "exgentic").unwrap();
        let source = PublicSource {
            set,
            repository: None,
            subset: None,
            filters: Vec::new(),
            entries: None,
            fixed_schedule,
            delay_cap_ms,
            trace: aiperf_config::TraceOptions::default(),
        };
        let row = json!({"session_id": "s", "spans": spans});
        drafts(&source, &Row::from(row.as_object().unwrap().clone())).unwrap()
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

    #[test]
    fn numbers_and_texts_are_the_same_times() {
        for value in [
            json!("1970-01-02T00:00:00Z"),
            json!("1970-01-02T01:00:00+01:00"),
            json!("1970-01-02T00:00:00"),
            json!(86_400),
        ] {
            assert_eq!(milliseconds(&value), Some(86_400_000.0), "{value}");
        }
        for value in [json!(1_778_144_699_116_i64), json!(1_778_144_699_116_000_i64), json!("1778144699116000000")] {
            assert_eq!(milliseconds(&value), Some(1_778_144_699_116.0), "{value}");
        }
        assert_eq!(milliseconds(&json!("soon")), None);
    }
}
