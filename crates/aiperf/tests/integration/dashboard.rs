//! The dashboard and the progress line on a real terminal: keys, resizing, Ctrl-C, and a terminal that goes away.

use std::fs;
use std::process::{Command, Stdio};

use aiperf_sim::Sim;
use aiperf_test_tools::available;
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Program, Running, Terminal, sim, wait_for};

const ENTERED: &str = "\x1b[?1049h";
const LEFT: &str = "\x1b[?1049l";

/// A run that goes on until it is ended, on a terminal that shows its first requests.
fn endless(sim: &Sim, terminal: &Terminal, words: &str) -> Running {
    let words = format!("--streaming --osl 4 --concurrency 4 --benchmark-duration 600 {words}");
    let run = Program::against(sim, &words).start_on(terminal);
    wait_for("requests", || (sim.truth().len() >= 8).then_some(()));
    run
}

fn check_cancelled_files(summary: &Value) {
    assert_eq!((&summary["was_cancelled"], &summary["is_complete"]), (&true.into(), &false.into()));
    assert!(summary["request_count"]["avg"].as_f64().unwrap() >= 8.0, "{summary}");
}

#[test]
fn the_dashboard_is_shown_during_a_run_and_the_report_after_it() {
    let Some(terminal) = Terminal::open() else { return };
    let sim = sim("ttft=5&itl=1&error_every=7");
    let run = Program::against(&sim, "--streaming --osl 4 --concurrency 4 --benchmark-duration 3").start_on(&terminal);
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{}", terminal.shown());
    terminal.wait_for("logs/aiperf.log");
    let shown = terminal.shown();
    let (before, after) = shown.split_once(LEFT).expect("the dashboard leaves the screen");
    assert!(before.contains(ENTERED) && before.contains("Throughput") && before.contains("Latency (ms)"), "{before}");
    assert!(after.contains("LLM Metrics") && !after.contains(ENTERED), "{after}");
    assert!(terminal.is_restored());
}

#[test]
fn keys_change_the_page_and_q_leaves_the_dashboard_while_the_run_goes_on() {
    let Some(mut terminal) = Terminal::open() else { return };
    let sim = sim("ttft=5&itl=1");
    let run = endless(&sim, &terminal, "");
    terminal.wait_for("Throughput");
    for (keys, text) in [
        ("?", "Keys"),
        ("?", "Throughput"),
        ("3", "Metrics of"),
        ("/", "Filter:"),
        ("token\r", "Token"),
        ("p", "view paused"),
    ] {
        terminal.press(keys);
        terminal.wait_for(text);
    }
    terminal.press("q");
    // The progress line takes over.
    terminal.wait_for("req/s");
    assert!(terminal.is_restored());
    let sent = sim.truth().len();
    wait_for("more requests", || (sim.truth().len() > sent + 4).then_some(()));
    terminal.press("\x03");
    assert_eq!(run.end().code, Some(130));
    assert!(terminal.is_restored());
}

#[test]
fn a_resized_terminal_is_drawn_again_in_its_new_size() {
    let Some(mut terminal) = Terminal::open() else { return };
    let sim = sim("ttft=5&itl=1");
    let run = endless(&sim, &terminal, "");
    terminal.wait_for("Throughput");
    terminal.resize((120, 40));
    terminal.wait_for("p99 over time");
    // Too small for panels.
    terminal.resize((40, 10));
    wait_for("a screen without panels", || {
        let screen = terminal.screen();
        (screen.contains("In flight") && !screen.contains("Throughput")).then_some(())
    });
    terminal.press("\x03");
    assert_eq!(run.end().code, Some(130));
    assert!(terminal.is_restored());
}

#[test]
fn ctrl_c_ends_the_run_with_its_files_and_gives_the_terminal_back() {
    let Some(mut terminal) = Terminal::open() else { return };
    let sim = sim("ttft=5&itl=1");
    let run = endless(&sim, &terminal, "");
    terminal.wait_for("Throughput");
    terminal.press("\x03");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", terminal.shown());
    terminal.wait_for("cancelled early");
    assert!(terminal.is_restored());
    check_cancelled_files(&ended.artifacts.summary());
}

/// With every kind of progress, by the signal and by the end of the terminal itself.
#[test]
fn a_terminal_that_goes_away_ends_the_run_with_its_files() {
    for (ui, sends_signal) in [("dashboard", true), ("dashboard", false), ("simple", false), ("none", false)] {
        let Some(terminal) = Terminal::open() else { return };
        let sim = sim("ttft=5&itl=1");
        let run = endless(&sim, &terminal, &format!("--ui {ui}"));
        if sends_signal {
            run.signal(Signal::HUP);
        } else {
            terminal.hang_up();
        }
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "--ui {ui}");
        check_cancelled_files(&ended.artifacts.summary());
        assert!(ended.artifacts.names().contains(&".aiperf_results_ready.json".to_owned()), "--ui {ui}");
    }
}

/// As under `nohup`.
#[test]
fn a_run_that_was_started_to_survive_its_terminal_goes_on() {
    let sim = sim("ttft=5&itl=1");
    let words = "--streaming --osl 4 --concurrency 4 --benchmark-duration 600";
    let run = Program::against(&sim, words).after("trap '' HUP").start();
    wait_for("requests", || (sim.truth().len() >= 8).then_some(()));
    run.signal(Signal::HUP);
    let sent = sim.truth().len();
    wait_for("more requests", || (sim.truth().len() > sent + 100).then_some(()));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    check_cancelled_files(&ended.artifacts.summary());
}

/// `script` is the terminal emulator here: killed hard, it can tell nobody.
#[test]
fn a_terminal_that_is_killed_leaves_a_run_with_its_files() {
    if !available(&[&["script", "--version"]]) {
        return;
    }
    let sim = sim("ttft=5&itl=1");
    let folder = tempfile::tempdir().unwrap();
    let program = format!(
        "{} profile --url {} --model m --tokenizer builtin --streaming --isl 20 --osl 4 --concurrency 4 --benchmark-duration 600 \
         --no-server-metrics --artifact-dir out",
        env!("CARGO_BIN_EXE_aiperf"),
        sim.url()
    );
    let mut terminal = Command::new("script")
        .args(["--quiet", "--flush", "--command", &program, "typescript"])
        .current_dir(&folder)
        .env("TERM", "xterm-256color")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("requests", || (sim.truth().len() >= 8).then_some(()));
    let typescript = folder.path().join("typescript");
    wait_for("the dashboard", || fs::read_to_string(&typescript).ok()?.contains(ENTERED).then_some(()));
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    let out = folder.path().join("out");
    wait_for("the results", || out.join(".aiperf_results_ready.json").exists().then_some(()));
    let summary = fs::read_to_string(out.join("profile_export_aiperf.json")).unwrap();
    check_cancelled_files(&serde_json::from_str(&summary).unwrap());
}

/// Log lines come while the progress line is redrawn ten times a second.
#[test]
fn log_lines_and_the_progress_line_never_share_a_line() {
    let Some(terminal) = Terminal::open() else { return };
    terminal.resize((200, 24));
    let sim = sim("ttft=5&itl=1");
    let run = Program::against(&sim, "--streaming --osl 4 --concurrency 4 --benchmark-duration 2 --ui simple -vv")
        .start_on(&terminal);
    assert_eq!(run.end().code, Some(0), "{}", terminal.shown());
    terminal.wait_for("logs/aiperf.log");
    let shown = terminal.shown();
    assert!(shown.contains("Profiling  "), "no progress line: {shown}");
    for line in shown.split('\n') {
        // What stands on the line in the end.
        let line = line.trim_end_matches('\r');
        let last = line.rsplit("\x1b[2K").next().unwrap_or_default();
        let is_log = ["INFO", "DEBUG", "TRACE", "WARNING"].iter().any(|level| last.contains(level));
        assert!(!(is_log && last.contains("in flight")), "{last:?} in {line:?}");
    }
}
