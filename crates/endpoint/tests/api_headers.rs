//! Headers of every API against those that the reference sent.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::Path;

use aiperf_endpoint::{EndpointKind, HeaderOptions, HeaderPlan, RequestIds};
use serde_json::Value;

fn string(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Every request of every capture: our headers, with its ids and key, are the captured ones in the captured order.
#[test]
fn headers_are_those_of_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/requests");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("genai-perf-http.json") {
            continue;
        }
        let cases: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for case in cases["cases"].as_array().unwrap() {
            let flags: Vec<&str> = case["flags"].as_str().unwrap().split(' ').collect();
            let flag = |name: &str| flags.iter().position(|word| *word == name).map(|at| flags[at + 1]);
            let Some(kind) = flag("--endpoint-type").map_or(Some(EndpointKind::Chat), EndpointKind::from_name) else {
                continue;
            };
            let own = ["--header", "-H", "--session-header", "CORRELATION_ID"];
            if flags.iter().any(|word| own.iter().any(|part| word.contains(part))) {
                continue;
            }
            let plan = HeaderPlan::new(&HeaderOptions {
                kind,
                version: "0.13.0",
                api_key: flag("--api-key"),
                streaming: flags.contains(&"--streaming") && kind.facts().streams,
                ..HeaderOptions::default()
            })
            .unwrap();
            for request in case["requests"].as_array().unwrap().iter().filter(|request| request["method"] == "POST") {
                let sent: Vec<(&str, &str)> = request["headers"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|header| (string(&header[0]), string(&header[1])))
                    .filter(|(name, _)| *name != "Content-Length")
                    .collect();
                let sent_as = |name: &str| sent.iter().find(|(there, _)| *there == name).map_or("", |(_, value)| value);
                let ids = RequestIds {
                    host: sent_as("Host"),
                    request_id: sent_as("X-Request-ID"),
                    correlation_id: sent_as("X-Correlation-ID"),
                };
                let form = plan.content_type(b"--<boundary>\r\n").map(|_| "multipart/form-data; boundary=<boundary>");
                let ours: Vec<(&str, &str)> =
                    plan.lines(ids).chain(form.map(|value| ("Content-Type", value))).collect();
                assert_eq!(ours, sent, "{} {}", path.display(), case["case"]);
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}
