//! From options to configuration: the rules, the defaults, and that nothing accepted is forgotten.

mod capacity;
mod data_rules;
mod defaults;
mod experiment;
mod exported;
mod exporters;
mod files;
mod generated;
mod gpu_telemetry;
mod grpc;
mod load;
mod load_rules;
mod media;
mod named_data;
mod network_latency;
mod nodes;
mod preconnect;
mod public;
mod rules;
mod scenario;
mod server_metrics;
mod tls_and_proxies;
mod traces;
mod transport;

use std::path::{Path, PathBuf};

use aiperf_config::{Config, Environment, ExpressionChecks, FileFormat, FilePeek};
use aiperf_endpoint::{PayloadTemplate, ResponseField};

use crate::catalogue::{OptionId, OptionSpec, ValueKind, options};
use crate::{ConfigError, RawOptions};

/// Reads `--name=value` and `-n=value`; a flag may stand alone.
fn raw(words: &[&str]) -> RawOptions {
    let mut raw = RawOptions::default();
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, "true"));
        let spec = options()
            .find(|spec| {
                spec.long.iter().any(|long| name == format!("--{long}"))
                    || spec.short.is_some_and(|short| name == format!("-{short}"))
            })
            .unwrap_or_else(|| panic!("{name} is not in the catalogue"));
        raw.push(spec.id, name, vec![value.to_owned()]);
    }
    raw
}

fn environment() -> Environment {
    let expressions = ExpressionChecks {
        payload_template: |text| PayloadTemplate::parse(text).map(|template| template.may_write_limit()),
        response_field: |text| ResponseField::parse(text).map(|_| ()),
    };
    Environment {
        current_dir: PathBuf::from("/somewhere"),
        peek: Some(peek),
        expressions: Some(expressions),
        ..Environment::default()
    }
}

/// Takes rows with a length for those of a Mooncake trace.
fn peek(path: &Path, named: Option<FileFormat>) -> Option<FilePeek> {
    let text = std::fs::read_to_string(path).ok()?;
    let format = named.or_else(|| text.contains("input_length").then_some(FileFormat::MooncakeTrace))?;
    Some(FilePeek { format, has_time: text.contains("timestamp") })
}

fn resolve(words: &[&str]) -> Result<Config, ConfigError> {
    raw(words).resolve(&environment())
}

/// With a model, so that the rule under test is the first that can fail.
fn with_model(words: &[&str]) -> Result<Config, ConfigError> {
    let all: Vec<&str> = ["--model=m"].into_iter().chain(words.iter().copied()).collect();
    resolve(&all)
}

/// Each case fails, and its message has all of these in it.
fn check(cases: &[(&[&str], &[&str])]) {
    for (words, parts) in cases {
        let message = with_model(words).expect_err(&format!("{words:?} was accepted")).to_string();
        for part in *parts {
            assert!(message.contains(part), "{words:?} says {message:?}, without {part:?}");
        }
    }
}

/// A file with these lines, and the option that names it.
fn input_file(lines: &[&str]) -> (tempfile::TempDir, String) {
    named_file("--input-file", &lines.join("\n"))
}

fn named_file(option: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, text).unwrap();
    let word = format!("{option}={}", path.display());
    (folder, word)
}

#[test]
fn every_supported_option_is_asked_for() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1}"#]);
    let mut asked = std::collections::BTreeSet::new();
    for words in [
        vec!["--model=m"],
        vec!["--model=m", &input, "--custom-dataset-type=single_turn", "--fixed-schedule"],
        vec!["--model=m", "--user-centric-rate=1", "--num-users=1", "--session-turns-mean=2", "--warmup-duration=1"],
    ] {
        let raw = raw(&words);
        raw.resolve_experiment(&environment()).unwrap();
        // The reader of the command line asks first whether there is a file.
        assert!(raw.config_file().is_none());
        asked.extend(raw.asked());
    }
    let forgotten: Vec<OptionId> =
        options().filter(|spec| spec.is_supported() && !asked.contains(&spec.id)).map(|spec| spec.id).collect();
    assert_eq!(forgotten, []);
}

/// A value that the option's own kind allows, so that only its support decides.
fn some_value(spec: &OptionSpec) -> String {
    match spec.value {
        ValueKind::Flag => "true".to_owned(),
        ValueKind::Int | ValueKind::Float => "1".to_owned(),
        ValueKind::Choice(members) | ValueKind::Literal(members) => members[0].to_owned(),
        ValueKind::Text | ValueKind::Path | ValueKind::KeyValues => "a:1".to_owned(),
    }
}

#[test]
fn an_option_that_is_not_built_is_refused_by_the_name_that_was_typed_even_at_its_default() {
    for spec in options().filter(|spec| !spec.is_accepted()) {
        for name in spec.long.iter().chain(&spec.negative) {
            let mut raw = raw(&["--model=m"]);
            raw.push(spec.id, format!("--{name}"), vec![some_value(spec)]);
            let message = raw.resolve(&environment()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("--{name} is ")), "{message}");
        }
    }
}

#[test]
fn an_option_that_no_number_depends_on_is_accepted_with_a_warning_that_names_it() {
    let ignored: Vec<&OptionSpec> = options().filter(|spec| spec.is_accepted() && !spec.is_supported()).collect();
    assert!(!ignored.is_empty());
    for spec in ignored {
        for name in spec.long {
            let mut raw = raw(&["--model=m"]);
            raw.push(spec.id, format!("--{name}"), vec![some_value(spec)]);
            let warnings = raw.resolve(&environment()).unwrap().warnings;
            assert!(warnings[0].starts_with(&format!("--{name} has no effect: ")), "{warnings:?}");
        }
    }
}
