use proptest::prelude::*;
use serde_json::json;

use super::*;

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_document_becomes_a_tree_with_places() {
    let root = read("a: 1\nb:\n  - x\n  - {c: 2.5, d: \"7\"}\ne: ~\n").unwrap();
    assert_eq!(root.to_json(), json!({"a": 1, "b": ["x", {"c": 2.5, "d": "7"}], "e": null}));
    let b = root.get("b").unwrap();
    assert_eq!(b.position, Position { line: 3, column: 3 });
    let NodeValue::List(items) = &b.value else { panic!() };
    assert_eq!(items[1].get("d").unwrap().position, Position { line: 4, column: 17 });
    assert_eq!(root.entries()[1].key_position, Position { line: 2, column: 1 });
}

#[test]
fn anchors_and_merge_keys_are_followed() {
    let text = "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nagain: *b\n";
    let json = read(text).unwrap().to_json();
    assert_eq!(json["use"], json!({"y": 3, "x": 1}));
    assert_eq!(json["again"], json!({"x": 1, "y": 2}));
}

#[test]
fn a_key_that_is_given_twice_is_refused_with_its_place() {
    assert_eq!(error("a:\n  b: 1\n  b: 2\n"), ":3:3: a: the key b is given twice; keep one of them");
}

#[test]
fn a_key_that_is_not_text_is_refused() {
    assert!(error("1: x").contains("the key 1 is a whole number"));
    assert!(error("a: {true: x}").contains("the key true is true or false"));
    assert!(error("[a]: x").contains("a key must be text"));
}

#[test]
fn cycles_deep_nesting_and_growing_aliases_are_refused() {
    assert!(error("a: &x [1, *x]").contains("cannot contain itself"));
    assert!(error(&"[".repeat(400)).contains("not valid YAML") || error(&"[".repeat(400)).contains("nested"));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    assert!(error(&bomb).contains("more than 2000000 values"));
}

#[test]
fn an_empty_file_and_a_second_document_are_refused() {
    assert!(error("").contains("is empty"));
    assert!(error("# only a comment\n").contains("is empty"));
    assert!(error("a: 1\n---\nb: 2\n").contains("a second document"));
}

#[test]
fn tags_are_refused_unless_they_name_a_plain_type() {
    assert_eq!(read("a: !!str 5").unwrap().to_json(), json!({"a": "5"}));
    assert!(error("a: !!python/object 5").contains("is not supported"));
    assert!(error("a: !secret {b: 1}").contains("is not supported"));
}

#[test]
fn syntax_errors_have_a_line_and_a_column() {
    assert!(error("a: [1, 2\nb: 3\n").starts_with(':'), "{}", error("a: [1, 2\nb: 3\n"));
    assert!(error("a: \"x\n").contains("not valid YAML"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z:\\[\\]{}&*!\n \\-\"'|>#0-9,]{0,80}") {
        let _ = read(&text);
    }
}
