//! `GET /openapi.json`: the OpenAPI document, made from the table of routes.

use axum::Json;
use serde_json::{Map, Value, json};

use crate::routes::{Content, ROUTES, Route};

pub(crate) async fn answer() -> Json<Value> {
    Json(document())
}

pub(crate) fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let path = route.path.replace("{*", "{");
        let operation = operation(route);
        match paths.get_mut(&path) {
            Some(known) => known[route.method] = operation,
            None => {
                paths.insert(path, json!({ route.method: operation }));
            }
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "aiperf live interface",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A running benchmark. Every route but POST /api/cancel and POST /api/shutdown only reads.",
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {"type": "object", "required": ["detail"], "properties": {"detail": {"type": "string"}}},
            },
        },
        "security": [{}, {"token": []}],
        "paths": paths,
    })
}

fn operation(route: &Route) -> Value {
    let error = |description: &str| {
        let schema = json!({"$ref": "#/components/schemas/Error"});
        json!({"description": description, "content": {"application/json": {"schema": schema}}})
    };
    let mut responses = Map::new();
    let (status, answer) = match route.content {
        Content::Refusal => ("501", error("Not available")),
        Content::WebSocket => ("101", json!({"description": "The connection becomes a WebSocket"})),
        content => (
            if route.path == "/api/cancel" { "202" } else { "200" },
            json!({"description": route.summary, "content": { media_type(content): {} }}),
        ),
    };
    responses.insert(status.to_owned(), answer);
    responses.insert("401".to_owned(), error("The token is missing or wrong"));
    if route.method == "post" && route.content == Content::Json {
        responses.insert("409".to_owned(), error("Not possible in this state of the run"));
    }
    if route.path.contains('{') && route.content == Content::File {
        responses.insert("404".to_owned(), error("There is no such file, or the run is not over"));
    }
    json!({"summary": route.summary, "operationId": id(route), "parameters": parameters(route), "responses": responses})
}

fn media_type(content: Content) -> &'static str {
    match content {
        Content::Json => "application/json",
        Content::Text => "text/plain",
        Content::Html => "text/html",
        Content::EventStream => "text/event-stream",
        Content::File | Content::WebSocket | Content::Refusal => "application/octet-stream",
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| name.trim_start_matches('*'))
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    if route.content == Content::EventStream {
        let interval = json!({"type": "integer", "minimum": 100, "maximum": 60000, "default": 500});
        parameters.push(json!({"name": "interval_ms", "in": "query", "schema": interval}));
        parameters.push(json!({"name": "last_event_id", "in": "query", "schema": {"type": "string"}}));
        parameters.push(json!({"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}));
    }
    parameters
}

fn id(route: &Route) -> String {
    let words = route.path.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = std::iter::once(route.method).chain(words).collect();
    words.join("_")
}
