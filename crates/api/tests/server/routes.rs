//! The OpenAPI document and the routes say the same.

use aiperf_live::Scene;

use crate::support::ExampleServer;

#[test]
fn every_documented_route_answers_as_documented() {
    let server = ExampleServer::start(Scene::Steady);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() >= 20, "{}", paths.len());
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            if responses.contains_key("101") || path == "/api/events" {
                continue;
            }
            let called = path.replace("{name}", "live.js").replace("{path}", "profile_export.jsonl");
            let answer = server.ask(&method.to_uppercase(), &called, &[]);
            let documented = responses.get(&answer.status.to_string());
            let documented = documented.unwrap_or_else(|| panic!("{method} {called}: {} {responses:?}", answer.status));
            let kind = answer.head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap();
            let kind = kind.split(';').next().unwrap();
            let kinds: Vec<&String> = documented["content"].as_object().unwrap().keys().collect();
            assert!(kinds.iter().any(|known| *known == kind || *known == "application/octet-stream"), "{path}: {kind}");
            let wrong = if method == "get" { "DELETE" } else { "PUT" };
            assert_eq!(server.ask(wrong, &called, &[]).status, 405, "{wrong} {path}");
        }
    }
    assert!(server.get("/api/nothing").json()["detail"].as_str().unwrap().contains("/openapi.json"));
}

#[test]
fn only_two_routes_change_anything() {
    let server = ExampleServer::start(Scene::Steady);
    let document = server.get("/openapi.json").json();
    let posts: Vec<&String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, operations)| operations["post"]["responses"]["501"].is_null() && operations["post"].is_object())
        .map(|(path, _)| path)
        .collect();
    assert_eq!(posts, ["/api/cancel", "/api/shutdown"]);
    assert_eq!(server.ask("POST", "/api/shutdown", &[]).status, 409);
    let ended = ExampleServer::start(Scene::End);
    assert_eq!(ended.ask("POST", "/api/cancel", &[]).status, 409);
    assert_eq!(ended.ask("POST", "/api/shutdown", &[]).json()["status"], "shutting_down");
}
