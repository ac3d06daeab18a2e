//! The schema of one field, from the option that it stands for.

use aiperf_options::catalogue::{Bound, OptionId, OptionSpec, ValueKind};
use serde_json::{Map, Value, json};

use super::{object, written};
use crate::field::{Field, Form};

/// A section with the fields of a table and some others.
pub(super) fn section(fields: &'static [Field], others: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let schema = of_field(field);
        if let Some(alias) = field.alias {
            properties.insert(alias.to_owned(), schema.clone());
        }
        properties.insert(field.name.to_owned(), schema);
    }
    properties.extend(others.clone());
    object(properties)
}

/// The schema with a description, unless it has one.
pub(super) fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = json!(about);
    schema
}

fn of_field(field: &Field) -> Value {
    match field.form {
        Form::Scalar(id) => of_option(id, scalar(id.spec())),
        Form::Flag(id) => of_option(id, json!({"$ref": "#/$defs/truth"})),
        Form::NegatedFlag(id) => {
            described(json!({"$ref": "#/$defs/truth"}), &format!("false stands for {}: {}", id.flag(), id.spec().help))
        }
        Form::List(id) => {
            let one = scalar(id.spec());
            of_option(id, json!({"anyOf": [one, {"type": "array", "items": one}]}))
        }
        Form::Map(id) => of_option(id, json!({"type": "object"})),
        Form::Pairs(id) => {
            of_option(id, json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}))
        }
        Form::Thresholds(id) => of_option(id, json!({"type": "object", "additionalProperties": {"type": "number"}})),
        Form::Distribution(mean, _) => of_option(mean, json!({"$ref": "#/$defs/distribution"})),
        Form::Duration(id) => of_option(id, json!({"$ref": "#/$defs/duration"})),
        Form::Section(fields) => section(fields, &Map::new()),
        Form::Own(form) => super::own::schema(form),
        Form::Refused(reason) => json!({"description": format!("Refused: {reason}."), "not": {}}),
        Form::WithoutEffect(reason) => json!({"description": format!("Has no effect: {reason}.")}),
    }
}

/// What an option says about its value, with its name.
pub(super) fn of_option(id: OptionId, schema: Value) -> Value {
    let spec = id.spec();
    let default = spec.default.map_or_else(String::new, |default| format!(" Default: {default}."));
    described(schema, &format!("{}{default} Option: {}.", spec.help, id.flag()))
}

/// One value of an option.
pub(super) fn scalar(spec: &OptionSpec) -> Value {
    let value = match spec.value {
        ValueKind::Flag => return json!({"$ref": "#/$defs/truth"}),
        ValueKind::Int => bounded(spec, "integer"),
        ValueKind::Float => bounded(spec, "number"),
        // Letters may be of any case, which editors need not know.
        ValueKind::Choice(members) | ValueKind::Literal(members) => json!({"enum": members}),
        ValueKind::Text | ValueKind::Path | ValueKind::KeyValues => {
            return json!({"type": ["string", "number", "boolean"]});
        }
    };
    json!({"anyOf": [value, {"$ref": "#/$defs/reference"}]})
}

fn bounded(spec: &OptionSpec, kind: &str) -> Value {
    let mut schema = json!({"type": kind});
    match spec.range.low {
        Bound::None => {}
        Bound::Inclusive(low) => schema["minimum"] = json!(low),
        Bound::Exclusive(low) => schema["exclusiveMinimum"] = json!(low),
    }
    match spec.range.high {
        Bound::None => {}
        Bound::Inclusive(high) => schema["maximum"] = json!(high),
        Bound::Exclusive(high) => schema["exclusiveMaximum"] = json!(high),
    }
    // Rates and times may be unlimited.
    if kind == "number" { json!({"anyOf": [schema, {"enum": ["inf"]}]}) } else { schema }
}

/// A number that is drawn.
pub(super) fn distribution() -> Value {
    let number = || json!({"anyOf": [{"type": "number", "minimum": 0}, {"$ref": "#/$defs/reference"}]});
    let entry = |key: &str, what: Value| json!({"type": "array", "items": {"type": "object", "required": [key], "properties": {key: what, "weight": number()}}});
    let properties = written(&[
        (
            "type",
            "Kind of distribution; it follows from the other keys.",
            json!({"enum": ["fixed", "normal", "lognormal", "uniform", "multimodal", "empirical"]}),
        ),
        ("value", "The one value of a fixed distribution.", number()),
        ("mean", "Mean.", number()),
        ("stddev", "Standard deviation of a normal distribution.", number()),
        ("median", "Median of a log-normal distribution, at most its mean.", number()),
        ("low", "Lowest value of a uniform distribution.", number()),
        ("high", "Highest value of a uniform distribution.", number()),
        ("min", "Values below this become this.", number()),
        ("max", "Values above this become this.", number()),
        (
            "peaks",
            "Distributions with weights, of which each value is drawn from one.",
            json!({"type": "array", "minItems": 2, "items": {"type": "object"}}),
        ),
        ("points", "Values with weights.", entry("value", number())),
    ]);
    json!({
        "description": "A number, or a distribution: {mean, stddev}, {mean, median}, {peaks}, {points}, each with min and max.",
        "anyOf": [{"type": "number", "minimum": 0}, {"$ref": "#/$defs/reference"}, {"type": "string"}, object(properties)]
    })
}
