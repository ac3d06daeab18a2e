//! The live page in a real browser, headless: `tests/browser/live_page.py` uses it as a person does.

use std::process::Command;

use aiperf_test_tools::available;

use crate::live_api::{address, ask, completed, place};
use crate::support::{Program, Running, TestServer, chat_events, in_chunks, in_one, sim, wait_for};

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
    let run = Program::against(&sim, LOAD).with("--benchmark-duration 600 --api-linger 0").start();
    watch("killed", &run);
    let address = address(&run);
    let place = place(&address);
    let then = completed(place).unwrap();
    wait_for("more requests", || completed(place).filter(|count| *count > then + 5));
    assert_eq!(ask(place, "POST", "/api/cancel").unwrap().0, 202);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.artifacts.summary()["request_count"]["avg"].as_f64() > Some(then as f64), "{}", ended.stderr);
}

#[test]
fn markup_from_a_server_is_text_and_other_sites_have_no_access() {
    if !has_browser() {
        return;
    }
    let markup = "<img src=x onerror=window.hit=1><script>window.hit=1</script>";
    let server = TestServer::start(move |number, _| {
        if number % 3 == 0 {
            in_one("500 <img src=x>", "", markup.as_bytes())
        } else {
            in_chunks("", &chat_events(&["a", "b"]).into_iter().map(String::into_bytes).collect::<Vec<_>>())
        }
    });
    let load =
        "--tokenizer builtin --isl 20 --streaming --osl 2 --request-rate 20 --benchmark-duration 600 --api-port 0";
    let run = Program::profile(&format!("--url {} {load}", server.url())).with("--model").word(markup).start();
    watch("hostile", &run);
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
