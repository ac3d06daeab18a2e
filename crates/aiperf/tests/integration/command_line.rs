//! The program without a benchmark: help, version, mistakes, completions, and the simulator as a server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::{Program, wait_for};

fn text(words: &str) -> String {
    let ended = Program::new(words).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr, "");
    ended.stdout
}

#[test]
fn help_names_the_commands_and_the_options() {
    let help = text("--help");
    for word in ["profile", "sim", "completions", "--version", "--install-completion"] {
        assert!(help.contains(word), "{word} is not in {help}");
    }
    let next_steps = text("");
    for word in ["aiperf profile --url sim:", "aiperf init", "aiperf doctor", "aiperf --help"] {
        assert!(next_steps.contains(word), "{word} is not in {next_steps}");
    }
    let help = text("profile --help");
    for word in ["--url", "--concurrency", "--request-rate", "--streaming", "--goodput"] {
        assert!(help.contains(word), "{word} is not in the help of profile");
    }
    assert!(text("sim --help").contains("--ttft"));
    assert_eq!(text("help profile"), help);
    assert!(text("profile -h").lines().count() < 100);
}

#[test]
fn the_version_is_that_of_the_package_and_names_the_build() {
    let version = text("--version");
    assert!(version.starts_with(concat!(env!("CARGO_PKG_VERSION"), " (")), "{version}");
    assert!(version.ends_with(")\n") && version.lines().count() == 1, "{version}");
    assert_eq!(text("-V"), text("--version"));
}

#[test]
fn mistakes_are_answered_in_one_sentence() {
    for (words, expected) in [
        ("profile --url sim: --concurency 3", &["--concurency", "--concurrency"][..]),
        ("profile", &["--model", "--url"]),
        ("profile --url sim: --concurrency many", &["--concurrency", "many"]),
        ("profile --url sim: --benchmark-grace-period 1", &["--benchmark-grace-period", "--benchmark-duration"]),
        ("profile --url sim:?nothing=1", &["nothing", "ttft"]),
        ("profile --url localhost:1", &["--model"]),
        ("prefile", &["prefile", "profile"]),
        ("sim --ttft slow", &["ttft", "slow"]),
        ("profile --url sim: --max-threads 4", &["GenAI-Perf", "--workers-max"]),
        ("profile --url sim: --streaming --goodput ttft:100", &["did you mean time_to_first_token?"]),
        ("profile --url sim: --goodput time_to_first_tokn:1", &["did you mean time_to_first_token?"]),
        ("profile --url sim: --streaming true", &["--streaming=true"]),
        ("synthesize nothing.jsonl", &["aiperf synthesize trace FILE"]),
        ("create-template", &["aiperf genai-perf create-template"]),
    ] {
        let ended = Program::new(words).run();
        ended.was_refused_with(expected);
    }
}

#[test]
fn completions_come_for_four_shells() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = text(&format!("completions {shell}"));
        assert!(script.contains("aiperf") && script.contains("request-rate"), "{shell}");
    }
    Program::new("completions tcsh").run().was_refused_with(&["tcsh"]);
    let running = Program::new("--install-completion --shell fish").start();
    let script = running.out().with_file_name(".config/fish/completions/aiperf.fish");
    let ended = running.end();
    assert_eq!(ended.stdout, format!("{}\n", script.display()));
    assert!(script.is_file());
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let running = Program::new("man-pages man").start();
    let folder = running.out().with_file_name("man");
    let ended = running.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("aiperf.1").contains("doctor"));
    assert!(page("aiperf-profile.1").contains("request\\-rate"), "{}", &page("aiperf-profile.1")[..2000]);
    assert!(page("aiperf-config-validate.1").contains("configuration"));
}

/// The reply to a GET, head and all. The server is asked to close, so that its end is the end.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn the_simulator_serves_until_it_is_interrupted() {
    for signal in [Signal::INT, Signal::TERM] {
        let mut running = Program::new("sim --port 0 --model my-model --ttft 1").start();
        let address = wait_for("the simulator's address", || {
            running.stdout().strip_suffix('\n')?.rsplit_once("http://").map(|(_, address)| address.to_owned())
        });
        assert!(get(&address, "/v1/models").contains("my-model"));
        assert!(get(&address, "/health").starts_with("HTTP/1.1 200"));
        let url = format!("http://{address}");
        let artifacts =
            Program::profile("--model m --tokenizer builtin --isl 8 --osl 3 --streaming --request-count 3 --url")
                .word(url)
                .succeed();
        assert_eq!(artifacts.records().len(), 3);
        assert_eq!(get(&address, "/sim/truth").matches("\"path\":\"/v1/chat/completions\"").count(), 3);
        assert!(!running.has_ended());
        running.signal(signal);
        let ended = running.end();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    }
}
