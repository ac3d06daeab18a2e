//! The shape of every JSON file, as JSON schemas that stand in the repository for others to use.

use boon::{Compiler, SchemaIndex, Schemas, ValidationError};
use serde_json::Value;

/// A kind of file, by the name of its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Summary,
    Record,
    Raw,
    Inputs,
    Outputs,
    Timeslices,
    PhaseManifest,
    Ready,
}

/// Each schema, with its file name.
pub const SCHEMAS: [(&str, &str); 8] = [
    ("summary.schema.json", include_str!("../../../schemas/summary.schema.json")),
    ("record.schema.json", include_str!("../../../schemas/record.schema.json")),
    ("raw_record.schema.json", include_str!("../../../schemas/raw_record.schema.json")),
    ("inputs.schema.json", include_str!("../../../schemas/inputs.schema.json")),
    ("outputs.schema.json", include_str!("../../../schemas/outputs.schema.json")),
    ("timeslices.schema.json", include_str!("../../../schemas/timeslices.schema.json")),
    ("phase_manifest.schema.json", include_str!("../../../schemas/phase_manifest.schema.json")),
    ("results_ready.schema.json", include_str!("../../../schemas/results_ready.schema.json")),
];

/// All schemas, ready to be used.
pub(crate) struct Shapes {
    schemas: Schemas,
    indices: Vec<SchemaIndex>,
}

impl Shapes {
    /// `None` if a schema of ours is no schema, which a test rules out.
    pub(crate) fn load() -> Option<Self> {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        for (name, text) in SCHEMAS {
            compiler.add_resource(&location(name), serde_json::from_str(text).ok()?).ok()?;
        }
        let compile = |(name, _): (&str, &str)| compiler.compile(&location(name), &mut schemas).ok();
        let indices = SCHEMAS.into_iter().map(compile).collect::<Option<Vec<_>>>()?;
        Some(Self { schemas, indices })
    }

    /// Where a value is not of this shape, and why; `None` when it is.
    pub(crate) fn problem(&self, shape: Shape, value: &Value) -> Option<String> {
        let error = self.schemas.validate(value, self.indices[shape as usize]).err()?;
        let cause = deepest(&error);
        let place = cause.instance_location.to_string();
        let place = if place.is_empty() { "the whole".to_owned() } else { place };
        Some(format!("not of its schema at {place}: {}", cause.kind))
    }
}

fn location(name: &str) -> String {
    format!("https://aiperf.invalid/schemas/{name}")
}

/// The one that names the smallest part.
fn deepest<'a, 's, 'v>(error: &'a ValidationError<'s, 'v>) -> &'a ValidationError<'s, 'v> {
    error.causes.first().map_or(error, deepest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_schema_is_one_and_says_where_a_file_is_wrong() {
        let shapes = Shapes::load().expect("all schemas compile");
        assert_eq!(
            shapes.problem(Shape::Ready, &json!({"ready": true, "was_cancelled": false, "partial": false})),
            None
        );
        let problem = shapes.problem(Shape::Inputs, &json!({"data": [{"session_id": 7, "payloads": []}]})).unwrap();
        assert!(problem.contains("/data/0/session_id"), "{problem}");
    }
}
