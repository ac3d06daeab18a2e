//! The JSON of a Weka trace. An unknown field is an error.

use std::sync::Arc;

use aiperf_conversation::{BlockReuse, RecordedPlace};
use serde_json::{Map, Value};

use super::recording::{AgentRequests, RecordedCall, Recording, Subagent};
use crate::RowPlace;
use crate::file::{JsonFields, LoadedFile, unexpected};

const TRACE_FIELDS: [&str; 8] =
    ["id", "models", "block_size", "hash_id_scope", "tool_tokens", "system_tokens", "totals", "requests"];
const CALL_FIELDS: [&str; 12] = [
    "t",
    "type",
    "model",
    "in",
    "out",
    "hash_ids",
    "input_types",
    "output_types",
    "stop",
    "api_time",
    "think_time",
    "ttft",
];
const AGENT_FIELDS: [&str; 12] = [
    "t",
    "type",
    "agent_id",
    "subagent_type",
    "duration_ms",
    "total_tokens",
    "tool_use_count",
    "status",
    "requests",
    "models",
    "tool_tokens",
    "system_tokens",
];
/// The most tokens in a prompt, an output or a block: more than any model supports.
const MOST_TOKENS: u64 = 1 << 30;

/// The trace in one JSON object.
pub(super) fn read(object: &Map<String, Value>, document: &LoadedFile, line: usize) -> Result<Recording, String> {
    let fields = JsonFields(object);
    fields.only(&TRACE_FIELDS)?;
    let id = name(fields, "id")?;
    list(fields, "models", true)?;
    fields.object("totals")?;
    let block_size = tokens(fields, "block_size")?.filter(|size| *size > 0);
    let block_size = block_size.ok_or("block_size: a number of tokens above zero is expected")?;
    match fields.string("hash_id_scope")? {
        Some("local") => {}
        other => return Err(format!("hash_id_scope: \"local\" is expected, not {other:?}")),
    }
    let (mut main, mut subagents) =
        (AgentRequests { system_tokens: system_tokens(fields)?, calls: Vec::new() }, Vec::new());
    for (place, request) in list(fields, "requests", true)?.iter().enumerate() {
        let located = |problem: String| format!("requests[{place}].{problem}");
        match entry(request).map_err(located)? {
            (fields, "subagent") => subagents.push(subagent(fields, place).map_err(located)?),
            (fields, _) => main.calls.push(call(fields, place, None).map_err(located)?),
        }
    }
    if main.calls.is_empty() {
        return Err("requests: at least one of type n or s is expected".to_owned());
    }
    let block_size = usize::try_from(block_size).unwrap_or(usize::MAX);
    in_order(&mut main.calls);
    for (owner, strand) in
        [("the trace", &main)].into_iter().chain(subagents.iter().map(|agent| (&*agent.id, &agent.strand)))
    {
        let needed = strand.system_tokens.div_ceil(block_size as u64);
        let recorded = strand.calls.first().map_or(0, |first| first.ids.len() as u64);
        if needed > recorded {
            return Err(format!(
                "tool_tokens and system_tokens of {owner}: they need {needed} blocks, but the first request has \
                 {recorded} hash_ids"
            ));
        }
    }
    Ok(Recording { id, block_size, main, subagents, path: document.path.clone(), place: RowPlace::Line(line) })
}

/// The fields of a request or a subagent, and its type.
fn entry(value: &Value) -> Result<(JsonFields<'_>, &str), String> {
    let object = value.as_object().ok_or_else(|| unexpected("", "an object", value))?;
    let fields = JsonFields(object);
    match fields.string("type")? {
        Some(kind @ ("n" | "s" | "subagent")) => Ok((fields, kind)),
        other => Err(format!("type: n, s or subagent is expected, not {other:?}")),
    }
}

fn subagent(fields: JsonFields<'_>, entry_place: usize) -> Result<Subagent, String> {
    fields.only(&AGENT_FIELDS)?;
    for field in ["subagent_type", "status"] {
        fields.string(field)?;
    }
    for field in ["total_tokens", "tool_use_count"] {
        tokens(fields, field)?;
    }
    list(fields, "models", false)?;
    let mut strand = AgentRequests { system_tokens: system_tokens(fields)?, calls: Vec::new() };
    for (place, request) in list(fields, "requests", true)?.iter().enumerate() {
        let located = |problem: String| format!("requests[{place}].{problem}");
        match entry(request).map_err(located)? {
            (_, "subagent") => return Err(located("type: n or s is expected inside an agent".to_owned())),
            (fields, _) => strand.calls.push(call(fields, entry_place, Some(place)).map_err(located)?),
        }
    }
    in_order(&mut strand.calls);
    Ok(Subagent {
        id: name(fields, "agent_id")?,
        start_s: seconds(fields, "t")?.ok_or("t: seconds from the start of the trace are expected")?,
        duration_s: fields.milliseconds("duration_ms")?.map(|duration| duration / 1e3),
        strand,
    })
}

fn call(fields: JsonFields<'_>, entry_place: usize, inner: Option<usize>) -> Result<RecordedCall, String> {
    let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let streamed = fields.string("type")? == Some("s");
    fields.only(if streamed { &CALL_FIELDS } else { &CALL_FIELDS[..CALL_FIELDS.len() - 1] })?;
    list(fields, "output_types", false)?;
    let input_types = list(fields, "input_types", false)?;
    fields.string("stop")?;
    seconds(fields, "ttft")?;
    let ids = list(fields, "hash_ids", true)?.iter();
    let ids: Option<Box<[i64]>> = ids.map(Value::as_i64).collect();
    Ok(RecordedCall {
        start_s: seconds(fields, "t")?.ok_or("t: seconds from the start of the trace are expected")?,
        api_s: seconds(fields, "api_time")?,
        think_s: seconds(fields, "think_time")?,
        model: name(fields, "model")?,
        input: tokens(fields, "in")?
            .filter(|input| *input > 0)
            .ok_or("in: a number of tokens above zero is expected")?,
        output: tokens(fields, "out")?.ok_or("out: a number of tokens is expected")?,
        tool_result: input_types.iter().any(|kind| kind == "tool_result"),
        ids: ids.ok_or("hash_ids: a list of whole numbers is expected")?,
        place: RecordedPlace { entry: number(entry_place), inner: inner.map(number) },
        reuse: BlockReuse::default(),
    })
}

fn in_order(calls: &mut [RecordedCall]) {
    calls.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
}

fn system_tokens(fields: JsonFields<'_>) -> Result<u64, String> {
    Ok(tokens(fields, "tool_tokens")?.unwrap_or(0) + tokens(fields, "system_tokens")?.unwrap_or(0))
}

fn name(fields: JsonFields<'_>, field: &str) -> Result<Arc<str>, String> {
    let name = fields.string(field)?.filter(|name| !name.is_empty());
    name.map(Arc::from).ok_or_else(|| format!("{field}: a name is expected"))
}

fn list<'a>(fields: JsonFields<'a>, field: &str, required: bool) -> Result<&'a [Value], String> {
    match fields.list(field)? {
        Some(list) => Ok(list),
        None if required => Err(format!("{field}: a list is expected")),
        None => Ok(&[]),
    }
}

fn tokens(fields: JsonFields<'_>, field: &str) -> Result<Option<u64>, String> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number <= MOST_TOKENS);
    number.map(Some).ok_or_else(|| unexpected(field, "a non-negative whole number", value))
}

fn seconds(fields: JsonFields<'_>, field: &str) -> Result<Option<f64>, String> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let number = value.as_f64().filter(|seconds| *seconds >= 0.0 && seconds.is_finite());
    number.map(Some).ok_or_else(|| unexpected(field, "a non-negative number of seconds", value))
}
