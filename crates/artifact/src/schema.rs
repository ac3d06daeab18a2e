//! The shape of every JSON file, as JSON schemas that stand in the repository for others to use. They are written with a
//! few keywords of the standard, which are all that is read here: a whole validator would bring more code than the rest
//! of this crate. A test holds them to these keywords.

mod shape;

use serde_json::{Map, Value};

pub(crate) use shape::{SCHEMAS, Shape};

/// Characters of a text that are quoted.
const SHOWN: usize = 40;

/// All schemas, ready to be used.
#[derive(Debug)]
pub(crate) struct Shapes(Vec<Value>);

impl Shapes {
    pub(crate) fn load() -> Self {
        Self(SCHEMAS.iter().map(|(_, text)| serde_json::from_str(text).unwrap_or_default()).collect())
    }

    /// Where a value is not of this shape, and why; `None` when it is.
    pub(crate) fn problem(&self, shape: Shape, value: &Value) -> Option<String> {
        let root = &self.0[shape as usize];
        let Mismatch { path, why } = check(root, root, value).err()?;
        let place = if path.is_empty() { "the top level".to_owned() } else { path };
        Some(format!("does not match its schema at {place}: {why}"))
    }
}

/// Where a value is not as its schema has it.
struct Mismatch {
    /// A JSON pointer.
    path: String,
    why: String,
}

impl Mismatch {
    fn here(why: String) -> Self {
        Self { path: String::new(), why }
    }

    fn below(self, step: &str) -> Self {
        Self { path: format!("/{step}{}", self.path), ..self }
    }

    fn depth(&self) -> usize {
        self.path.matches('/').count()
    }
}

fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), Mismatch> {
    let schema = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Bool(false) => return Err(Mismatch::here("this field is not allowed".to_owned())),
        other => other,
    };
    if let Some(target) = schema["$ref"].as_str() {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target.map_or(Ok(()), |target| check(root, target, value));
    }
    if let Some(expected) = schema.get("const")
        && value != expected
    {
        return Err(Mismatch::here(format!("expected {expected}, found {}", shown(value))));
    }
    if let Some(members) = schema["enum"].as_array()
        && !members.contains(value)
    {
        return Err(Mismatch::here(format!("expected one of {}, found {value}", schema["enum"])));
    }
    if !is_of_type(&schema["type"], value) {
        return Err(Mismatch::here(format!("expected {}, found {}", schema["type"], shown(value))));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        return Err(Mismatch::here(format!("{number} is below {least}")));
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        check_ways(root, ways, value)?;
    }
    match value {
        Value::Object(object) => check_object(root, schema, object),
        Value::Array(items) => {
            let Some(of_items) = schema.get("items") else { return Ok(()) };
            let checked = |(place, item)| check(root, of_items, item).map_err(|found| found.below(&format!("{place}")));
            items.iter().enumerate().try_for_each(checked)
        }
        _ => Ok(()),
    }
}

/// One of several shapes. What is said is where the value is nearest to one of them: the mismatch that lies deepest.
fn check_ways(root: &Value, ways: &[Value], value: &Value) -> Result<(), Mismatch> {
    let mut nearest: Option<Mismatch> = None;
    for way in ways {
        match check(root, way, value) {
            Ok(()) => return Ok(()),
            Err(found) => {
                let is_nearer = |known: &Mismatch| found.depth() > known.depth();
                if found.depth() > 0 && nearest.as_ref().is_none_or(is_nearer) {
                    nearest = Some(found);
                }
            }
        }
    }
    let none = || Mismatch::here(format!("{} matches none of the allowed forms", shown(value)));
    Err(nearest.unwrap_or_else(none))
}

fn check_object(root: &Value, schema: &Value, object: &Map<String, Value>) -> Result<(), Mismatch> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for key in required {
        if !object.contains_key(key) {
            return Err(Mismatch::here(format!("{key:?} is missing")));
        }
    }
    let known = schema["properties"].as_object();
    for (key, value) in object {
        let of_key = known.and_then(|known| known.get(key)).or_else(|| schema.get("additionalProperties"));
        if let Some(of_key) = of_key {
            check(root, of_key, value).map_err(|found| found.below(key))?;
        }
    }
    Ok(())
}

/// A value in a few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("{:?}...", text.chars().take(SHOWN).collect::<String>())
        }
        value => value.to_string(),
    }
}

fn is_of_type(expected: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match expected {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEYWORDS: [&str; 15] = [
        "$schema",
        "$id",
        "$defs",
        "$ref",
        "title",
        "type",
        "const",
        "enum",
        "minimum",
        "required",
        "properties",
        "additionalProperties",
        "items",
        "anyOf",
        "description",
    ];

    fn keywords(schema: &Value, found: &mut Vec<String>) {
        let Value::Object(object) = schema else { return };
        for (key, value) in object {
            found.push(key.clone());
            match key.as_str() {
                "properties" | "$defs" => value.as_object().unwrap().values().for_each(|part| keywords(part, found)),
                "anyOf" => value.as_array().unwrap().iter().for_each(|part| keywords(part, found)),
                "items" | "additionalProperties" => keywords(value, found),
                _ => {}
            }
        }
    }

    #[test]
    fn schemas_use_no_keyword_that_is_not_read() {
        for (name, text) in SCHEMAS {
            let schema: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut found = Vec::new();
            keywords(&schema, &mut found);
            assert!(found.len() > 5, "{name}");
            let unread: Vec<_> = found.iter().filter(|key| !KEYWORDS.contains(&key.as_str())).collect();
            assert!(unread.is_empty(), "{name}: {unread:?}");
            assert!(schema["$id"].as_str().unwrap().ends_with(name));
        }
    }

    #[test]
    fn every_shape_has_its_schema() {
        for (shape, word) in [
            (Shape::Summary, "summary"),
            (Shape::RoundTrip, "network_latency"),
            (Shape::Aggregate, "aggregate"),
            (Shape::RunConfig, "run_config"),
            (Shape::Comparison, "comparison"),
            (Shape::Checkpoint, "checkpoint"),
            (Shape::SelfTest, "selftest"),
            (Shape::CacheStructure, "cache_structure"),
            (Shape::RunNote, "run_note"),
            (Shape::ServerMetrics, "server_metrics"),
            (Shape::MlflowExport, "mlflow_export"),
            (Shape::ServerMetricsLine, "server_metrics_line"),
            (Shape::Plan, "plan"),
            (Shape::TrialMark, "trial_mark"),
            (Shape::SearchHistory, "search_history"),
            (Shape::SearchCheckpoint, "search_checkpoint"),
            (Shape::Capacity, "capacity"),
            (Shape::CapacityHistory, "capacity_history"),
        ] {
            assert_eq!(SCHEMAS[shape as usize].0, format!("{word}.schema.json"));
        }
        let published = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas")).unwrap();
        let mut published: Vec<String> =
            published.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        published.sort();
        let mut known: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        known.sort_unstable();
        assert_eq!(published, known);
    }

    #[test]
    fn codes_of_validity_notes_are_those_of_the_program() {
        let summary: Value = serde_json::from_str(SCHEMAS[Shape::Summary as usize].1).unwrap();
        let listed = &summary["properties"]["validity"]["items"]["properties"]["code"]["enum"];
        let known = aiperf_metrics::ValidityCode::ALL.map(aiperf_metrics::ValidityCode::name);
        assert_eq!(*listed, json!(known));
    }

    #[test]
    fn of_several_shapes_the_nearest_says_what_is_wrong() {
        let ways =
            json!({"anyOf": [{"type": "null"}, {"properties": {"a": {"properties": {"b": {"type": "number"}}}}}]});
        let found = check(&ways, &ways, &json!({"a": {"b": "x"}})).unwrap_err();
        assert_eq!((found.path.as_str(), found.why.as_str()), ("/a/b", "expected \"number\", found \"x\""));
        let ways = json!({"anyOf": [{"type": "null"}, {"type": "string"}]});
        assert!(check(&ways, &ways, &json!([1])).unwrap_err().why.starts_with("a list matches none"));
    }

    #[test]
    fn a_schema_says_where_a_file_is_wrong() {
        let shapes = Shapes::load();
        let ready = json!({"ready": true, "was_cancelled": false, "partial": false});
        assert_eq!(shapes.problem(Shape::Ready, &ready), None);
        let found = |shape, value: Value| shapes.problem(shape, &value).unwrap();
        assert!(found(Shape::Ready, json!({"ready": true, "partial": false})).contains("\"was_cancelled\" is missing"));
        let inputs = found(Shape::Inputs, json!({"data": [{"session_id": 7, "payloads": []}]}));
        assert_eq!(inputs, "does not match its schema at /data/0/session_id: expected \"string\", found 7");
        let extra = found(Shape::Inputs, json!({"data": [], "more": 1}));
        assert_eq!(extra, "does not match its schema at /more: this field is not allowed");
        let slice =
            json!({"timeslices": [{"start_ns": 1, "end_ns": 2, "x": {"unit": "ms", "std": -1}}], "input_config": {}});
        assert_eq!(found(Shape::Timeslices, slice), "does not match its schema at /timeslices/0/x/std: -1 is below 0");
    }
}
