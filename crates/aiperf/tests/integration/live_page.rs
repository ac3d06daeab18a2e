//! The live page in a real browser, headless: `tests/browser/live_page.py` uses it as a person does.

use std::process::Command;

use aiperf_test_tools::available;

use crate::live_api::address;
use crate::support::{Program, Running, sim};

const LOAD: &str =
    "--streaming --osl 12 --concurrency 4 --warmup-request-count 4 --goodput time_to_first_token:500 --api-port 0";

/// Whether there is a browser to test with.
fn has_browser() -> bool {
    available(&[&["python3", "--version"], &["chromium", "--version"]])
}

fn watch(part: &str, run: &Running) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/live_page.py");
    let mut command = Command::new("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(part).arg(address(run));
    let watched = command.output().unwrap();
    let said = [&watched.stdout, &watched.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(watched.status.success(), "{said:?}\nthe run said: {}", run.stderr());
}

#[test]
fn a_person_watches_loses_the_connection_and_cancels() {
    if !has_browser() {
        return;
    }
    let sim = sim("ttft=30&itl=3&error_every=11");
    let run = Program::against(&sim, LOAD).with("--benchmark-duration 600 --api-linger 600").start();
    watch("whole", &run);
    assert_eq!(run.end().code, Some(130));
}

#[test]
fn the_page_fits_a_phone_in_light_and_dark() {
    if !has_browser() {
        return;
    }
    let sim = sim("ttft=30&itl=3&error_every=11");
    let run = Program::against(&sim, LOAD).with("--benchmark-duration 600").start();
    watch("phone", &run);
}

#[test]
fn a_run_does_not_notice_that_a_browser_was_killed() {
    if !has_browser() {
        return;
    }
    let sim = sim("ttft=30&itl=3");
    let mut run = Program::against(&sim, LOAD).with("--request-count 2000").start();
    watch("killed", &run);
    assert!(!run.has_ended(), "the run went on");
    drop(run);
    let quick = Program::against(&sim, LOAD).with("--request-count 60").start();
    let _ = address(&quick);
    let ended = quick.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn a_page_with_a_token_in_its_address_works_and_hides_it() {
    if !has_browser() {
        return;
    }
    let sim = sim("ttft=30&itl=3");
    let run = Program::against(&sim, LOAD).with("--benchmark-duration 600 --api-token watch-me-please-now").start();
    watch("token", &run);
}
