//! One line: a request to the model, its response and the tools that it called.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::file::{JsonFields, object, unexpected};

/// Events that come from the model; all others are its input.
const OUTPUT_EVENTS: [&str; 5] = ["text", "reasoning", "thinking", "tool_call", "assistant_message"];
/// The most tokens in a prompt: more than any model supports. Block ids are generated for them.
const MOST_TOKENS: u64 = 1 << 24;

#[derive(Debug)]
pub(super) struct TracelabRound {
    pub(super) line: usize,
    pub(super) session: String,
    pub(super) index: u64,
    pub(super) owner: Owner,
    pub(super) model: String,
    pub(super) input: u64,
    /// The number of tokens at the start that the previous round also had.
    pub(super) prefix: u64,
    pub(super) output: u64,
    pub(super) tool_result: bool,
    /// The time of the last input event, in seconds since 1970.
    pub(super) submitted_s: f64,
    pub(super) api_s: f64,
    pub(super) tools: Vec<Tool>,
}

/// The owner of a session. Agents only call agents of the same owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) provider: String,
    pub(super) user: String,
    pub(super) project: String,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) start_s: f64,
    pub(super) end_s: f64,
}

pub(super) fn read(line: &[u8], number: usize) -> Result<TracelabRound, String> {
    let row = object(line)?;
    let fields = JsonFields(&row);
    let text = |name: &str| Ok::<_, String>(fields.string(name)?.unwrap_or_default().to_owned());
    let events = events(fields)?;
    let first = events.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    let inputs = events.iter().filter(|(is_output, _)| !is_output).map(|(_, time)| *time);
    let submitted_s = inputs.fold(f64::NEG_INFINITY, f64::max);
    let submitted_s = if submitted_s.is_finite() { submitted_s } else { first };
    let outputs = events.iter().filter(|(is_output, _)| *is_output).map(|(_, time)| *time);
    let (input, prefix) = (tokens(fields, "input_tokens_total")?, tokens(fields, "prefix_tokens")?);
    let session = text("session_id")?;
    if session.is_empty() {
        return Err("session_id: a name is expected".to_owned());
    }
    if input == 0 {
        return Err("input_tokens_total: a number of tokens above zero is expected".to_owned());
    }
    if prefix > input {
        return Err(format!("prefix_tokens: {prefix} is more than input_tokens_total, {input}"));
    }
    Ok(TracelabRound {
        line: number,
        session,
        index: tokens(fields, "round_index")?,
        owner: Owner { provider: text("provider")?, user: text("user")?, project: text("project")? },
        model: text("model")?,
        input,
        prefix,
        // Reasoning tokens are counted separately.
        output: tokens(fields, "output_tokens")? + tokens_or_none(fields, "reasoning_output_tokens")?,
        tool_result: fields.string("first_input_event_type")? == Some("tool_result"),
        submitted_s,
        api_s: (outputs.fold(f64::NEG_INFINITY, f64::max) - submitted_s).max(0.0),
        tools: tools(fields)?,
    })
}

/// For each event, whether it comes from the model, and its time.
fn events(fields: JsonFields<'_>) -> Result<Vec<(bool, f64)>, String> {
    let list = fields.list("timing_events")?.unwrap_or_default();
    if list.is_empty() {
        return Err("timing_events: at least one event is expected".to_owned());
    }
    let read = |event: &Value| {
        let event = event.as_object().ok_or_else(|| unexpected("timing_events", "a list of objects", event))?;
        let kind = JsonFields(event).string("event_type")?.unwrap_or_default();
        let time = time(event, "timestamp")?.ok_or("timing_events: a timestamp is expected")?;
        Ok((OUTPUT_EVENTS.contains(&kind), time))
    };
    list.iter().map(read).collect()
}

/// Tool calls with a start and an end; others cannot contain a subagent.
fn tools(fields: JsonFields<'_>) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    for tool in fields.list("tools")?.unwrap_or_default() {
        let tool = tool.as_object().ok_or_else(|| unexpected("tools", "a list of objects", tool))?;
        let Some(start_s) = time(tool, "emitted_at")? else { continue };
        let latency = JsonFields(tool).milliseconds("tool_wall_latency_ms")?;
        let Some(end_s) = time(tool, "result_at")?.or(latency.map(|latency| start_s + latency / 1e3)) else { continue };
        let name = JsonFields(tool).string("tool_name")?.unwrap_or_default().to_owned();
        tools.push(Tool { name, start_s, end_s });
    }
    Ok(tools)
}

fn time(object: &Map<String, Value>, field: &str) -> Result<Option<f64>, String> {
    let Some(text) = JsonFields(object).string(field)? else { return Ok(None) };
    let expected = || unexpected(field, "a time such as 2026-01-01T00:00:00Z", &Value::from(text));
    let time: Timestamp = text.parse().map_err(|_| expected())?;
    Ok(Some(time.as_duration().as_secs_f64()))
}

fn tokens(fields: JsonFields<'_>, field: &str) -> Result<u64, String> {
    let value = fields.get(field).ok_or_else(|| format!("{field}: a whole number is expected"))?;
    let number = value.as_u64().filter(|number| *number <= MOST_TOKENS);
    number.ok_or_else(|| unexpected(field, "a non-negative whole number", value))
}

fn tokens_or_none(fields: JsonFields<'_>, field: &str) -> Result<u64, String> {
    if fields.get(field).is_none() { Ok(0) } else { tokens(fields, field) }
}
