//! `aiperf init`: from three answers to a command that runs.

use crate::support::{Program, sim};

#[test]
fn piped_answers_give_a_command_for_the_model_that_the_server_lists() {
    let sim = sim("");
    let said = Program::new("init").input(&format!("{}\nlatency\n", sim.url())).run();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("the only one"), "{}", said.stderr);
    assert!(said.stdout.starts_with(&format!("aiperf profile --url {} --model ", sim.url())), "{}", said.stdout);
    assert!(said.stdout.contains("--concurrency 1 --request-count 50"), "{}", said.stdout);
}

#[test]
fn options_take_the_place_of_questions() {
    let said = Program::new("init --url sim: --goal capacity").run();
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("--search-recipe max-concurrency-under-sla"), "{}", said.stdout);
    let refused = Program::new("init --url sim: --goal speed").run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("latency"), "{}", refused.stderr);
}

#[test]
fn a_server_that_does_not_answer_needs_the_name_of_the_model() {
    let said = Program::new("init --url localhost:1 --goal load").run();
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(
        said.stderr.contains("cannot be asked for its models") && said.stderr.contains("give --model"),
        "{}",
        said.stderr
    );
    let said = Program::new("init --url localhost:1 --goal load --model my-model").run();
    assert!(said.stdout.contains("--model my-model"), "{}", said.stdout);
}
