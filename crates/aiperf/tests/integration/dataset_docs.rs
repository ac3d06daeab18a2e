//! Every example of `docs/accuracy.md`, `docs/datasets.md`, `docs/endpoints.md`, `docs/chat.md`, `docs/migrating.md`, `docs/quickstart.md` and `docs/cookbook.md`, run as it stands there. What the page promises is compared with what the server saw.
//!
//! The convention, section by section (a section begins at a heading of any depth):
//!
//! - A line that is nothing but a file name in backticks and a colon (`` `chats.jsonl`: ``), then a fenced block: the file.
//!   The name may have folders in it. Next to these files there are `cat.png`, `cat.jpg`, `speech.wav` and `clip.mp4`.
//! - A block fenced as `sh`: commands, run by `sh -e` in the folder of the files. `aiperf` is this program and `localhost:8000`
//!   is a simulator; it must end well and no request may fail. Name `--model` and `--tokenizer builtin`.
//! - The line `Sent:` or `Sent, among others:`, then a block fenced as `json` or `jsonl`: request bodies. Each must have been
//!   sent by the commands of the section: the fields that are shown, with their values; others may be there too. A string
//!   that ends in `...` is the beginning of one. After `Sent:` there were no other requests.
//! - Other blocks are for the reader only. A section without an `sh` block is not run.

use std::fs;
use std::path::Path;

use aiperf_protocol::{BodySource, EndpointFacts, EndpointKind};
use aiperf_test_tools::available;
use serde_json::Value;

use crate::support::{shell, sim};

const ACCURACY: &str = include_str!("../../../../docs/accuracy.md");
const DATA_SETS: &str = include_str!("../../../../docs/datasets.md");
const ENDPOINTS: &str = include_str!("../../../../docs/endpoints.md");
const CHAT: &str = include_str!("../../../../docs/chat.md");
const MIGRATING: &str = include_str!("../../../../docs/migrating.md");
const QUICKSTART: &str = include_str!("../../../../docs/quickstart.md");
const COOKBOOK: &str = include_str!("../../../../docs/cookbook.md");
const MEDIA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dataset/tests/fixtures/media");

/// The server of the pages, in commands and in files.
const SERVER: &str = "localhost:8000";

/// One section of the page.
#[derive(Debug, Default)]
struct Example {
    heading: String,
    files: Vec<(String, String)>,
    commands: String,
    sent: Vec<Value>,
    /// Nothing else was sent.
    complete: bool,
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples = vec![Example::default()];
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            examples.push(Example { heading: line.trim_start_matches(['#', ' ']).to_owned(), ..Example::default() });
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            examples.last_mut().unwrap().add(before, language, &block);
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    examples
}

impl Example {
    fn add(&mut self, before: &str, language: &str, block: &[&str]) {
        let name = before.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
        match (name, language, before) {
            (Some(name), _, _) => self.files.push((name.to_owned(), block.join("\n"))),
            (None, "sh", _) => self.commands += &format!("{}\n", block.join("\n")),
            (None, "json" | "jsonl", "Sent:" | "Sent, among others:") => {
                let bodies =
                    serde_json::Deserializer::from_str(&block.join("\n")).into_iter().collect::<Result<Vec<_>, _>>();
                self.sent.extend(bodies.unwrap_or_else(|error| panic!("{}: {error}", self.heading)));
                self.complete = before == "Sent:";
            }
            _ => {}
        }
    }

    fn run(&self) {
        // One example packs its file first.
        if self.commands.contains("gzip ") && !available(&[&["gzip", "--version"]]) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let sim = sim("ttft=0&itl=0&osl=4");
        let address = sim.addr().to_string();
        self.lay_out(folder.path(), &address);
        let commands = self.commands.replace(SERVER, &address);
        let ended = shell(folder.path(), &commands);
        assert!(ended.status.success(), "{}: {}\n{commands}", self.heading, String::from_utf8_lossy(&ended.stderr));
        for path in records(folder.path()) {
            let records = fs::read_to_string(&path).unwrap();
            let failed = records.lines().find(|line| line.contains(r#""error":{"#));
            assert_eq!(failed, None, "{}", self.heading);
        }
        assert!(!sim.truth().is_empty(), "{}: nothing was sent", self.heading);
        // Forms and questions after jobs have no JSON that a page could show.
        let truth = sim.truth();
        let mut seen: Vec<Value> =
            truth.iter().filter_map(|truth| serde_json::from_str(truth.body.as_deref()?).ok()).collect();
        for body in &self.sent {
            let place = seen.iter().position(|seen| shows(body, seen));
            let place =
                place.unwrap_or_else(|| panic!("{}: nobody sent {body}; what is left: {seen:#?}", self.heading));
            seen.remove(place);
        }
        assert!(!self.complete || seen.is_empty(), "{}: sent, but not on the page: {seen:#?}", self.heading);
    }

    fn lay_out(&self, folder: &Path, address: &str) {
        for (name, fixture) in
            [("cat.png", "tiny.png"), ("cat.jpg", "tiny.jpg"), ("speech.wav", "tiny.wav"), ("clip.mp4", "tiny.mp4")]
        {
            fs::copy(Path::new(MEDIA).join(fixture), folder.join(name)).unwrap();
        }
        for (name, content) in &self.files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content.replace(SERVER, address)).unwrap();
        }
    }
}

/// Files with a line for each request, of all runs in the folder.
fn records(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("profile_export.jsonl") {
                found.push(path);
            }
        }
    }
    found
}

/// Whether everything on the page is in what was sent.
fn shows(page: &Value, sent: &Value) -> bool {
    match (page, sent) {
        (Value::Object(page), Value::Object(sent)) => {
            page.iter().all(|(name, value)| sent.get(name).is_some_and(|sent| shows(value, sent)))
        }
        (Value::Array(page), Value::Array(sent)) => {
            page.len() == sent.len() && page.iter().zip(sent).all(|(page, sent)| shows(page, sent))
        }
        (Value::String(page), Value::String(sent)) => match page.strip_suffix("...") {
            Some(start) => sent.starts_with(start),
            None => page == sent,
        },
        _ => page == sent,
    }
}

fn run(page: &str) -> Vec<Example> {
    let examples: Vec<Example> = examples(page).into_iter().filter(|example| !example.commands.is_empty()).collect();
    examples.iter().for_each(Example::run);
    examples
}

#[test]
fn every_example_of_the_page_on_data_sets_does_what_the_page_says() {
    assert!(!run(DATA_SETS).is_empty());
}

#[test]
fn the_page_on_talks_shows_commands_that_work() {
    assert!(run(CHAT).iter().any(|example| example.commands.contains("--quick")));
}

#[test]
fn the_page_on_moving_over_shows_commands_that_work() {
    assert!(run(MIGRATING).iter().any(|example| example.commands.contains("aiperf genai-perf")));
}

#[test]
fn the_worked_example_of_an_accuracy_benchmark_works() {
    assert_eq!(run(ACCURACY).len(), 1);
}

#[test]
fn the_first_steps_are_commands_that_work() {
    assert_eq!(run(QUICKSTART).len(), 4);
}

#[test]
fn every_task_of_the_cookbook_has_a_command_that_works() {
    let tasks = COOKBOOK.lines().filter(|line| line.starts_with("## ")).count();
    assert!(tasks >= 20, "{tasks}");
    assert_eq!(run(COOKBOOK).len(), tasks);
}

#[test]
fn the_page_on_endpoints_has_a_working_command_for_each() {
    let examples = run(ENDPOINTS);
    for kind in EndpointKind::ALL {
        let EndpointFacts { name, path, body, .. } = *kind.facts();
        // An API that the simulator does not know cannot have a command that the tests run.
        if body == BodySource::Turn && !aiperf_sim::serves(path) {
            continue;
        }
        let shown = examples.iter().any(|example| example.commands.contains(&format!("--endpoint-type {name} ")));
        assert!(shown, "{name}");
    }
}

#[test]
fn what_is_shown_of_a_body_must_be_in_it() {
    let sent: Value = serde_json::from_str(r#"{"model": "m", "url": "data:abc", "list": [{"a": 1, "b": 2}]}"#).unwrap();
    for (page, expected) in [
        (r#"{"model": "m"}"#, true),
        (r#"{"model": "n"}"#, false),
        (r#"{"url": "data:..."}"#, true),
        (r#"{"url": "file:..."}"#, false),
        (r#"{"list": [{"b": 2}]}"#, true),
        (r#"{"list": []}"#, false),
        (r#"{"missing": null}"#, false),
    ] {
        assert_eq!(shows(&serde_json::from_str(page).unwrap(), &sent), expected, "{page}");
    }
}
