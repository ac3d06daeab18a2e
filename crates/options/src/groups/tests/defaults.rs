//! What applies when little is said, and how what is said is read.

use std::path::Path;
use std::time::Duration;

use aiperf_address::{Address, Scheme};
use aiperf_config::*;
use aiperf_protocol::EndpointKind;
use serde_json::json;

use super::{environment, raw, resolve, with_model};
use crate::*;

#[test]
fn a_model_is_enough() {
    let config = with_model(&[]).unwrap();
    assert_eq!(config.endpoint.targets, [Target::Url(Address::parse("http://localhost:8000", Scheme::Http).unwrap())]);
    assert_eq!(config.endpoint.kind, EndpointKind::Chat);
    assert!(!config.endpoint.streaming);
    assert_eq!(config.endpoint.request_timeout, Some(Duration::from_secs(21_600)));
    assert_eq!(config.endpoint.tokenizer, None);
    assert_eq!(config.phases.profiling().pace, Pace::Concurrency(1));
    assert_eq!(config.phases.profiling().stop, StopConditions { requests: Some(10), ..StopConditions::default() });
    assert_eq!(config.phases.profiling().grace, GracePeriod::Unlimited);
    assert!(!config.phases.has_warmup());
    let DatasetSource::Synthetic(synthetic) = &config.dataset.source else { panic!("a file") };
    assert_eq!((synthetic.entries, synthetic.batch_size), (100, 1));
    assert_eq!(synthetic.lengths, PromptLengths::Drawn(Length::constant(550.0)));
    assert_eq!(config.dataset.sampling, Sampling::Sequential);
    assert_eq!(config.output.dir, Path::new("/somewhere/artifacts/m-openai-chat-concurrency1"));
    assert_eq!((config.output.level, config.output.ui), (ExportLevel::Records, UiKind::None));
    assert_eq!((config.output.log_level, config.random_seed), (LogLevel::Info, None));
    assert_eq!(config.tuning, Tuning::default());
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[test]
fn the_simulator_needs_neither_model_nor_tokenizer() {
    let config = resolve(&["--url=sim:?ttft=40&itl=8", "--streaming"]).unwrap();
    assert_eq!(&*config.dataset.models[0], "sim-model");
    assert_eq!(config.endpoint.tokenizer.as_deref(), Some("builtin"));
    assert_eq!(config.warnings, Vec::<String>::new());
    assert_eq!(config.to_input_config()["endpoint"]["urls"], json!(["sim:?ttft=40&itl=8"]));
}

#[test]
fn a_placeholder_model_falls_back_to_the_builtin_tokenizer_with_a_warning() {
    let config = resolve(&["--model=mock-model"]).unwrap();
    assert_eq!(config.endpoint.tokenizer.as_deref(), Some("builtin"));
    assert!(config.warnings[0].contains("mock-model") && config.warnings[0].contains("--tokenizer"));
    let mixed = resolve(&["--model=mock-model,org/real"]).unwrap();
    assert_eq!(mixed.endpoint.tokenizer_name("mock-model"), "builtin");
    assert_eq!(mixed.endpoint.tokenizer_name("org/real"), "org/real");
    let chosen = resolve(&["--model=mock-model", "--tokenizer=gpt2"]).unwrap();
    assert_eq!((chosen.endpoint.tokenizer_name("mock-model"), chosen.warnings.len()), ("gpt2", 0));
}

#[test]
fn the_number_of_conversations_follows_what_stops_the_run() {
    let entries = |words: &[&str]| match with_model(words).unwrap().dataset.source {
        DatasetSource::Synthetic(synthetic) => synthetic.entries,
        DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => panic!("not generated"),
    };
    assert_eq!(entries(&["--request-count=7"]), 7);
    assert_eq!(entries(&["--request-count=7", "--num-sessions=6"]), 6);
    assert_eq!(entries(&["--request-count=7", "--num-sessions=6", "--num-prompts=5"]), 5);
    assert_eq!(entries(&["--benchmark-duration=7"]), 100);
}

#[test]
fn streaming_is_switched_off_with_a_warning_where_it_cannot_be() {
    let config = with_model(&["--streaming", "--endpoint-type=embeddings", "--osl=5"]).unwrap();
    assert!(!config.endpoint.streaming);
    assert!(config.warnings[0].contains("--streaming") && config.warnings[0].contains("embeddings"));
    assert!(config.warnings[1].contains("--osl"));
}

#[test]
fn the_folder_is_named_after_model_endpoint_and_load_unless_it_is_given() {
    let dir = |words: &[&str]| resolve(words).unwrap().output.dir.to_string_lossy().into_owned();
    assert_eq!(
        dir(&["--model=org/a,b", "--request-rate=20", "--concurrency=4", "--endpoint-type=completions"]),
        "/somewhere/artifacts/org_a_multi-openai-completions-concurrency4-request_rate20.0"
    );
    assert_eq!(dir(&["--model=a", "--request-rate=0.5"]), "/somewhere/artifacts/a-openai-chat-request_rate0.5");
    assert_eq!(dir(&["--model=a", "--request-rate=inf"]), "/somewhere/artifacts/a-openai-chat-request_rateinf");
    assert_eq!(dir(&["--model=a", "--artifact-dir=out"]), "/somewhere/out");
    assert_eq!(dir(&["--model=a", "--artifact-dir=/else/out"]), "/else/out");
}

#[test]
fn a_known_suffix_is_taken_off_the_prefix_the_longest_first() {
    let prefix = |text: &str| with_model(&[&format!("--profile-export-file={text}")]).unwrap().output.prefix.unwrap();
    assert_eq!(prefix("run"), "run");
    assert_eq!(prefix("run.json"), "run");
    assert_eq!(prefix("run_raw.jsonl"), "run");
    assert_eq!(prefix("run_server_metrics.csv"), "run");
    assert_eq!(prefix("run.v2"), "run.v2");
    let absolute = with_model(&["--profile-export-prefix=/a/b/run.csv"]).unwrap();
    assert_eq!(absolute.output.prefix.as_deref(), Some("run"));
    assert!(absolute.warnings[0].contains("--artifact-dir"));
}

#[test]
fn the_progress_line_is_for_terminals_and_for_the_talkative() {
    let ui = |words: &[&str], terminal: bool| {
        let environment = Environment { stderr_is_terminal: terminal, ..environment() };
        raw(&[&["--model=m"], words].concat()).resolve(&environment).unwrap().output.ui
    };
    assert_eq!((ui(&[], false), ui(&[], true)), (UiKind::None, UiKind::Simple));
    assert_eq!((ui(&["--quiet"], true), ui(&["--json"], true)), (UiKind::None, UiKind::Simple));
    assert_eq!((ui(&["--ui=none"], true), ui(&["--ui=SIMPLE"], false)), (UiKind::None, UiKind::Simple));
    assert_eq!(ui(&["--verbose"], false), UiKind::Simple);
    assert!(raw(&["--model=m", "--quiet", "--ui=simple"]).resolve(&environment()).is_err());
}

#[test]
fn the_dashboard_is_the_default_on_a_terminal_that_can_draw() {
    let on = |words: &[&str], term: &str| {
        let variables = [("TERM".to_owned(), term.to_owned())].into();
        let terminal = Environment { stdout_is_terminal: true, stderr_is_terminal: true, variables, ..environment() };
        raw(&[&["--model=m"], words].concat()).resolve(&terminal).unwrap().output
    };
    assert_eq!(on(&[], "xterm-256color").ui, UiKind::Dashboard);
    assert_eq!((on(&[], "dumb").ui, on(&[], "").ui), (UiKind::Simple, UiKind::Simple));
    assert_eq!(
        (on(&["-v"], "xterm").ui, on(&["-v", "--ui=dashboard"], "xterm").ui),
        (UiKind::Simple, UiKind::Dashboard)
    );
    assert_eq!(on(&["--ui=dashboard"], "dumb").ui, UiKind::Simple);
    assert_eq!(on(&["--json"], "xterm").console, ConsoleOutput::Json);
    assert_eq!(on(&["--quiet"], "xterm").console, ConsoleOutput::Nothing);
}

#[test]
fn verbosity_is_a_log_level() {
    let level = |words: &[&str]| with_model(words).unwrap().output.log_level;
    assert_eq!(level(&["--verbose"]), LogLevel::Debug);
    assert_eq!(level(&["--verbose", "--extra-verbose"]), LogLevel::Trace);
    assert_eq!(level(&["--log-level=warning"]), LogLevel::Warning);
    assert_eq!(level(&["--verbose=false"]), LogLevel::Info);
}

#[test]
fn a_bad_variable_is_an_error_even_when_all_options_are_good() {
    let mut environment = environment();
    environment.variables.insert("AIPERF_HTTP_SSL_VERIFY".to_owned(), "perhaps".to_owned());
    let message = raw(&["--model=m"]).resolve(&environment).unwrap_err().to_string();
    assert!(message.contains("AIPERF_HTTP_SSL_VERIFY"), "{message}");
}

#[test]
fn headers_inputs_and_lists_add_up() {
    let mut raw = raw(&["--model=a,b", "--model-selection-strategy=random", "--extra-inputs=temperature:0.5,x:1"]);
    raw.push(catalogue::OptionId::Header, "-H", vec!["A: 1, 2".to_owned(), "B:true".to_owned()]);
    raw.push(catalogue::OptionId::Url, "-u", vec!["h1:1,h2:2".to_owned(), "https://h3".to_owned()]);
    let config = raw.resolve(&environment()).unwrap();
    assert_eq!(config.dataset.models.iter().map(|m| &**m).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(config.dataset.model_selection, ModelSelection::Random);
    assert_eq!(config.endpoint.targets.len(), 3);
    assert_eq!(config.endpoint.headers, [("A".to_owned(), "1, 2".to_owned()), ("B".to_owned(), "true".to_owned())]);
    assert_eq!(json!(config.endpoint.extra_inputs), json!({"temperature": 0.5, "x": 1}));
}
