//! Process plugins that work, and those that crash, hang, flood or speak another version. The fixture is a shell script.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_config::{DataLoaders, FileFormat, ProcessCommand};
use aiperf_plugin::{ExportedRun, PluginClient, PluginError, ProcessGrader, ProcessLoaders, StreamExporter, export};
use serde_json::json;

fn command(mode: &str) -> ProcessCommand {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    ProcessCommand {
        program: PathBuf::from("sh"),
        arguments: vec!["plugin.sh".to_owned(), mode.to_owned()],
        folder,
        // Only the hanging plugin waits for its end.
        timeout: if mode == "hang" { Duration::from_millis(300) } else { Duration::from_secs(60) },
        max_line_bytes: 1 << 20,
        max_output_mb: 1,
        max_memory_mb: 4096,
        restarts: 1,
    }
}

/// The same plugin, written in Python.
fn in_python(mode: &str) -> ProcessCommand {
    ProcessCommand {
        program: PathBuf::from("python3"),
        arguments: vec!["plugin.py".to_owned(), mode.to_owned()],
        // The interpreter takes its time to start.
        timeout: if mode == "hang" { Duration::from_secs(5) } else { Duration::from_secs(60) },
        ..command(mode)
    }
}

/// What is said about a plugin that behaves in this way.
fn problem(command: ProcessCommand) -> String {
    let folder = tempfile::tempdir().unwrap();
    let loaders = ProcessLoaders::new(vec![("words".to_owned(), command)], folder.path().to_owned());
    loaders.load("words", None).unwrap_err()
}

#[test]
fn each_broken_plugin_in_python_has_one_clear_message() {
    if !aiperf_test_tools::available(&[&["python3", "--version"]]) {
        return;
    }
    for (mode, words) in [
        ("crash", "it ended (exit status: 1) before it answered; its last line on stderr: broken on purpose"),
        ("hang", "no answer within 5 s"),
        ("flood", "more than 1 MiB"),
        ("garbage", "not a JSON object with a type: \"this is not JSON\""),
        ("version", "speaks version 2 of the plugin protocol, and this program speaks 1"),
    ] {
        let said = problem(in_python(mode));
        assert!(said.contains(words), "{mode}: {said}");
    }
}

#[test]
fn a_loader_gives_rows_once_and_its_file_goes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let loaders = ProcessLoaders::new(vec![("words".to_owned(), command("well"))], folder.path().to_owned());
    let rows = loaders.load("words", None).unwrap();
    assert_eq!(rows.format, FileFormat::SingleTurn);
    let text = std::fs::read_to_string(&rows.path).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert_eq!(loaders.load("words", None).unwrap(), rows);
    drop(loaders);
    assert!(!rows.path.exists());
}

#[test]
fn each_broken_plugin_has_one_clear_message() {
    let crashed = problem(command("crash"));
    assert!(crashed.contains("it ended (exit status: 3) before it answered"), "{crashed}");
    assert!(crashed.contains("broken on purpose"), "{crashed}");
    let hung = problem(command("hang"));
    assert!(hung.contains("no answer within 0.3 s") && hung.contains("timeout_seconds"), "{hung}");
    let flooded = problem(command("flood"));
    assert!(flooded.contains("more than 1 MiB") && flooded.contains("max_output_mb"), "{flooded}");
    let garbled = problem(command("garbage"));
    assert!(garbled.contains("not a JSON object with a type: \"this is not JSON\""), "{garbled}");
    let other = problem(command("version"));
    assert!(other.contains("speaks version 2 of the plugin protocol, and this program speaks 1"), "{other}");
    let missing = ProcessCommand { program: "no-such-program".into(), ..command("well") };
    let error = PluginClient::start("endpoint", "x", &missing).unwrap_err();
    assert!(error.to_string().contains("cannot start no-such-program"), "{error}");
}

#[test]
fn a_line_without_end_is_not_stored() {
    let short = ProcessCommand { max_line_bytes: 10, ..command("well") };
    assert!(matches!(PluginClient::start("endpoint", "x", &short), Err(PluginError::LineTooLong(10))));
}

#[test]
fn a_grader_is_asked_again_and_again() {
    let mut grader = ProcessGrader::start("words", &command("well")).unwrap();
    assert!(grader.grade("right", "right").unwrap().is_correct);
    let wrong = grader.grade("other", "right").unwrap();
    assert!(!wrong.is_correct && !wrong.is_parsed);
}

#[test]
fn exporters_get_all_records_during_a_run_or_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("profile_export.jsonl");
    let run = ExportedRun { summary: json!({"a": 1}), artifact_dir: folder.path().to_owned() };
    let live = StreamExporter::start("words", &command("well"), &records).unwrap();
    std::fs::write(&records, "{\"n\":1}\n{\"n\":2}\n").unwrap();
    assert_eq!(live.finish(run.clone()).unwrap().as_deref(), Some("exported"));
    let done = export("data_exporter", "words", &command("well"), &records, &run);
    assert_eq!(done.unwrap().as_deref(), Some("exported"));
    let crashed = StreamExporter::start("words", &command("crash"), &records).unwrap().finish(run);
    assert!(matches!(crashed, Err(PluginError::Ended { .. })));
}
