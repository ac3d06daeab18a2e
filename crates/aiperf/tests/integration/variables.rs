//! Variables of the environment that nobody reads are said, once, and change nothing else.

use crate::support::{Ended, Program, sim};

const SET: [(&str, &str); 3] =
    [("AIPERF_ZMQ_RCVTIMEO", "5"), ("AIPERF_HTTP_SSL_VERFY", "false"), ("AIPERF_MY_OWN_THING", "1")];

fn with_variables(program: Program) -> Ended {
    SET.into_iter().fold(program, |program, (name, value)| program.env(name, value)).run()
}

fn each_is_said_once(ended: &Ended) {
    for words in [
        "AIPERF_ZMQ_RCVTIMEO has no effect: there is one process, which needs no message bus",
        "unknown environment variable AIPERF_HTTP_SSL_VERFY (ignored); did you mean AIPERF_HTTP_SSL_VERIFY?",
        "unknown environment variable AIPERF_MY_OWN_THING (ignored); docs/cli.md lists the known ones",
    ] {
        assert_eq!(ended.stderr.matches(words).count(), 1, "{words} in {}", ended.stderr);
    }
}

#[test]
fn a_run_says_which_variables_it_does_not_read() {
    let sim = sim("ttft=2&itl=0&osl=4");
    let ended = with_variables(Program::against(&sim, "--request-count 2 --strict clock_step"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    each_is_said_once(&ended);
    assert!(ended.artifacts.text("logs/aiperf.log").contains("AIPERF_ZMQ_RCVTIMEO"));
}

#[test]
fn several_runs_say_it_once() {
    let sim = sim("ttft=2&itl=0&osl=4");
    let ended = with_variables(Program::against(&sim, "--request-count 2 --num-profile-runs 2 --concurrency 1,2"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    each_is_said_once(&ended);
}

#[test]
fn a_talk_says_it_too() {
    let sim = sim("ttft=2&itl=0&osl=4");
    let program = Program::new(&format!("chat --model m --url {} --quick hello", sim.url()));
    let ended = with_variables(program);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    each_is_said_once(&ended);
}
