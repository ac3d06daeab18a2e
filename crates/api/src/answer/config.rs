//! `GET /api/config`: the resolved configuration, with camelCase names as the reference has them.

use axum::Json;
use axum::extract::State;
use serde_json::Value;

use super::Shared;

/// Sections whose names are the user's own.
const NAMES_OF_USERS: [&str; 3] = ["slos", "headers", "extra"];

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    Json(in_camel_case(state.live.facts().input_config.clone()))
}

fn in_camel_case(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let renamed = map.into_iter().map(|(name, value)| {
                let value = if NAMES_OF_USERS.contains(&&*name) { value } else { in_camel_case(value) };
                (camel_case(&name), value)
            });
            Value::Object(renamed.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(in_camel_case).collect()),
        other => other,
    }
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut letters = part.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_change_and_names_of_users_do_not() {
        let config = serde_json::json!({"server_metrics": {"enabled": true}, "slos": {"time_to_first_token": 50.0}});
        let shown = in_camel_case(config);
        assert_eq!(
            shown,
            serde_json::json!({"serverMetrics": {"enabled": true}, "slos": {"time_to_first_token": 50.0}})
        );
    }
}
