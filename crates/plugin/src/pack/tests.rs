use std::path::Path;

use super::*;
use crate::category::Category;
use crate::starter::starter;

fn pack(text: &str) -> Result<Pack, String> {
    Pack::read(&format!("schema_version: \"1.0\"\n{text}"), Path::new("folder/mine.yaml"))
        .map_err(|error| error.to_string())
}

fn problem(text: &str) -> String {
    pack(text).unwrap_err()
}

#[test]
fn a_mistake_is_named_with_its_place_and_the_nearest_name() {
    for (text, words) in [
        ("endpont:\n  x: {}", "2:1: endpont: unknown category; did you mean `endpoint`?"),
        ("endpoint:\n  x: {requst: a}", "3:7: endpoint.x.requst: unknown key; did you mean `request`?"),
        ("endpoint:\n  x: {class: a.b:C}", "endpoint.x.class: Python classes cannot be loaded"),
        ("endpoint:\n  x: {description: a}", "endpoint.x: needs `request`"),
        ("endpoint:\n  x: {request: '{{ tex }'}", "endpoint.x.request: syntax error"),
        ("endpoint:\n  x: {request: '{}', response: {text: 'a['}}", "endpoint.x.response: text: \"a[\""),
        ("endpoint:\n  chat: {request: '{}'}", "endpoint.chat: `chat` is a built-in entry"),
        ("endpoint:\n  x: {request: '{}', metadata: {endpoint_path: v1}}", "a path begins with `/`"),
        ("ui:\n  x: {}", "ui: packs cannot add to this category"),
        ("slo_set:\n  x: {limits: {request_latency: fast}}", "slo_set.x.limits: the limit of"),
        ("search_recipe:\n  x: {options: {concurency: 1}}", "did you mean `concurrency`?"),
        ("public_dataset_loader:\n  x: {metadata: {url: 'http://x'}}", "needs one of these: prompt_column"),
        ("accuracy_grader:\n  x: {pattern: '('}", "accuracy_grader.x.pattern: regex parse error"),
        ("plot:\n  x: {mode: both, preset: {}}", "\"both\": choose one of single, multi"),
        ("data_exporter:\n  x: {process: {command: a, restarts: 0}}", "restarts: must be a whole number of at least 1"),
    ] {
        let said = problem(text);
        assert!(said.contains(words), "{text}: {said}");
    }
    assert!(
        Pack::read("a: 1", Path::new("x.yaml")).unwrap_err().to_string().contains("needs `schema_version: \"1.0\"`")
    );
    let other = Pack::read("schema_version: \"2.0\"", Path::new("x.yaml")).unwrap_err().to_string();
    assert!(other.contains("this program reads version 1.0, not 2.0"), "{other}");
}

#[test]
fn every_starter_is_a_pack_without_problems() {
    for category in CATEGORIES.iter().filter(|category| category.takes_packs()) {
        let files = starter(category, "mine").unwrap();
        let pack = Pack::read(&files[0].text, Path::new("mine/plugin.yaml")).unwrap();
        assert_eq!(pack.name, "mine");
        assert_eq!((pack.entries.len(), pack.entries[0].category.name), (1, category.name));
    }
    assert!(starter(Category::named("ui").unwrap(), "mine").is_none());
}

#[test]
fn entries_become_what_options_can_name() {
    let pack = pack(
        "endpoint:\n  my_api: {request: '{\"in\": \"{{ text }}\"}', response: {text: out}}\n\
         slo_set:\n  interactive: {limits: {time_to_first_token: 200, inter_token_latency: 30}}\n\
         accuracy_grader:\n  letter: {pattern: 'answer is ([A-D])', ignore_case: true}",
    )
    .unwrap();
    let [api, slos, grader] = &pack.entries[..] else { panic!("{pack:?}") };
    let EntryContent::Endpoint(kind) = api.content else { panic!("{api:?}") };
    assert_eq!((kind.facts().name, kind.facts().refuses_history), ("my_api", true));
    let EntryContent::SloSet(limits) = &slos.content else { panic!("{slos:?}") };
    assert_eq!(limits, "time_to_first_token:200 inter_token_latency:30");
    let EntryContent::Grader(grader) = &grader.content else { panic!("{grader:?}") };
    let text = "The answer is A. No, the answer is b, or rather the answer is C.";
    assert_eq!(grader.extract(text), Some("C"));
    assert!(grader.equals("C", " c ") && !grader.equals("C", "d"));
    assert_eq!(grader.extract("none"), None);
}

#[test]
fn the_schema_file_is_written_from_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(SCHEMA_FILE);
    let wanted = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == wanted, "write it with UPDATE_DOCS=1 cargo test -p aiperf-plugin");
}
