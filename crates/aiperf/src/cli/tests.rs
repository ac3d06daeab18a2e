//! Command lines as users type them.

use std::ffi::OsString;
use std::path::Path;

use aiperf_config::{Config, DatasetSource, Environment, LogLevel, Pace, UiKind};
use aiperf_options::catalogue::{OptionSpec, ValueKind, options};

use super::{CliError, Invocation, parse};

fn environment() -> Environment {
    let variables = [("HOME", "/home/me"), ("SHELL", "/usr/bin/zsh")];
    Environment {
        current_dir: "/somewhere".into(),
        variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        ..Environment::default()
    }
}

fn invoke(words: &[&str]) -> Result<Invocation, CliError> {
    let args = ["aiperf"].into_iter().chain(words.iter().copied()).map(OsString::from);
    parse(args, &environment())
}

fn profile(line: &str) -> Config {
    let words: Vec<&str> = ["profile"].into_iter().chain(line.split(' ')).collect();
    match invoke(&words) {
        Ok(Invocation::Profile(mut experiment)) => experiment.cells.remove(0).config,
        other => panic!("{line:?}: {other:?}"),
    }
}

fn refusal(words: &[&str]) -> String {
    match invoke(words) {
        Err(error) => error.to_string(),
        Ok(other) => panic!("{words:?}: {other:?}"),
    }
}

fn refused(line: &str) -> String {
    refusal(&line.split(' ').collect::<Vec<_>>())
}

fn text(words: &[&str]) -> String {
    match invoke(words) {
        Ok(Invocation::Text(text)) => text,
        other => panic!("{words:?}: {other:?}"),
    }
}

#[test]
fn help_and_version_are_answers() {
    assert!(text(&["--version"]).starts_with(concat!(env!("CARGO_PKG_VERSION"), " (")));
    assert_eq!(text(&["-V"]), text(&["--version"]));
    assert!(text(&[]).contains("profile"));
    assert!(text(&[]).contains("aiperf init") && text(&[]).contains("aiperf --help"));
    assert!(text(&[]).lines().count() < 12);
    assert!(text(&["sim", "-h"]).contains("--error-rate"));
}

#[test]
fn help_of_a_command_may_be_asked_for_in_front_of_it() {
    assert_eq!(text(&["help"]), text(&["--help"]));
    assert_eq!(text(&["help", "profile"]), text(&["profile", "--help"]));
    assert_eq!(text(&["help", "synthesize", "trace"]), text(&["synthesize", "trace", "--help"]));
    assert!(text(&["help", "genai-perf"]).contains("process-export-files"));
    assert!(refused("help service").contains("starts one of the processes"));
    assert!(refused("help frob").contains("\"frob\""));
}

#[test]
fn the_short_page_has_the_options_that_people_use_and_examples() {
    let brief = text(&["profile", "-h"]);
    let options_shown = brief.split("Examples:").next().unwrap_or_default();
    let shown = options_shown.lines().filter(|line| line.trim_start().starts_with('-')).count();
    assert!((25..=35).contains(&shown), "{shown} options in {brief}");
    assert!(brief.lines().count() < 100, "{} lines", brief.lines().count());
    for part in ["Load:", "--concurrency <N>", "[chat, completions, ", "Examples:", "--url sim:", "--help"] {
        assert!(brief.contains(part), "{part} is not in {brief}");
    }
    for spec in super::help::BRIEF.iter().flat_map(|(_, ids)| *ids).map(|id| id.spec()) {
        assert!(spec.is_supported() && spec.summary().len() <= 140, "{:?}: {}", spec.id, spec.summary());
    }
    assert!(text(&["profile", "--help"]).contains("Examples:"));
}

#[test]
fn the_long_page_lists_every_value_of_a_closed_set_and_describes_every_option() {
    let help = text(&["profile", "--help"]);
    let words: Vec<&str> = help.split([' ', ',', '\n', '[', ']']).collect();
    for spec in options().filter(|spec| spec.is_supported()) {
        for member in spec.members() {
            assert!(words.contains(member), "--{}: {member} is not in the help", spec.name());
        }
    }
    // A name that is followed by the next one has no description.
    let is_name = |line: &str| line.trim_start().starts_with("--") && line.starts_with("      --");
    let lines: Vec<&str> = help.split("Examples:").next().unwrap_or_default().lines().collect();
    for pair in lines.windows(2) {
        assert!(!is_name(pair[0]) || (!is_name(pair[1]) && !pair[1].is_empty()), "{} has no description", pair[0]);
    }
}

#[test]
fn help_shows_what_is_built_and_hides_what_is_not() {
    let help = text(&["profile", "--help"]);
    let shown =
        |name: &str| help.split_whitespace().any(|word| word.trim_end_matches(']').split('[').next() == Some(name));
    for spec in options() {
        assert_eq!(shown(&format!("--{}", spec.name())), spec.is_supported(), "--{}", spec.name());
    }
    assert!(help.contains("Load Generator:") && help.contains("[short: -vv]"));
}

#[test]
fn long_and_short_options_are_spelled_in_every_usual_way() {
    for line in ["--model x", "--model=x", "-m x", "-m=x", "-mx", "--model_names x", "--model-names=x"] {
        assert_eq!(&*profile(line).dataset.models[0], "x", "{line}");
    }
    let config = profile("-m x -vH A:b --max_workers 3");
    assert_eq!((config.output.log_level, config.workers_max), (LogLevel::Debug, Some(3)));
    assert_eq!(config.endpoint.headers, [("A".to_owned(), "b".to_owned())]);
}

#[test]
fn spellings_that_were_published_but_never_built_are_understood() {
    let config = profile("-m x --session-concurrency 3 -g request_latency:500");
    assert_eq!(config.phases.profiling().pace, Pace::Concurrency(3));
    assert_eq!(config.output.goodput, [("request_latency".to_owned(), 500.0)]);
    assert!(refused("profile -m x --session-concurrency 0").contains("--session-concurrency"));
}

#[test]
fn flags_that_switch_something_off_are_flags_of_their_own() {
    let message = refused("profile -m x --fixed-schedule --no-fixed-schedule");
    assert!(message.contains("--fixed-schedule and --no-fixed-schedule"), "{message}");
    assert_eq!(profile("-m x --no_fixed_schedule").phases.profiling().pace, Pace::Concurrency(1));
}

#[test]
fn very_verbose_is_an_option_of_its_own() {
    assert_eq!(profile("-m x -vv").output.log_level, LogLevel::Trace);
    assert_eq!(profile("-m x -v -vv --ui none").output.ui, UiKind::None);
    assert!(profile("-m x -vv").command_line.ends_with("-m x -vv"));
}

#[test]
fn a_flag_alone_is_true_and_takes_its_truth_after_an_equals_sign_only() {
    for (line, streaming) in [
        ("--streaming", true),
        ("--streaming=true", true),
        ("--streaming=yes", true),
        ("--streaming=1", true),
        ("--streaming=false", false),
        ("--streaming=no", false),
        ("--streaming=0", false),
    ] {
        assert_eq!(profile(&format!("-m x {line}")).endpoint.streaming, streaming, "{line}");
    }
    assert!(refused("profile -m x --streaming=on").contains("--streaming"));
    let message = refused("profile -m x --streaming true");
    assert!(message.contains("\"true\"") && message.contains("write --streaming or --streaming=true"), "{message}");
    assert!(refused("profile -m x --no-streaming").contains("--no-streaming"));
}

#[test]
fn an_option_that_takes_one_value_is_not_given_twice_under_any_name() {
    for (line, name) in [
        ("--isl 5 --isl 6", "--isl"),
        ("--isl 5 --synthetic-input-tokens-mean 6", "--synthetic-input-tokens-mean"),
        ("--streaming --streaming", "--streaming"),
        ("-b 2 -b 3", "--batch-size"),
        ("--concurrency 2 --session-concurrency 3", "--session-concurrency"),
    ] {
        let message = refused(&format!("profile -m x {line}"));
        assert!(message.contains(name) && message.contains("more than once"), "{message}");
    }
}

#[test]
fn lists_take_repetition_commas_and_several_words_where_they_may() {
    let config = profile("-m a,b -m c --url h1:1 h2:2 --url h3:3,h4:4 --header A:1 B:2 -H C:3 --extra-inputs a:1 b:2");
    assert_eq!(config.dataset.models.len(), 3);
    assert_eq!(config.endpoint.targets.len(), 4);
    assert_eq!((config.endpoint.headers.len(), config.endpoint.extra_inputs.len()), (3, 2));
    assert_eq!(refused("profile --model a b"), "unexpected argument \"b\"; separate values with commas (--model a,b)");
    let DatasetSource::Synthetic(made) =
        profile("-m x --audio-batch-size 1 --audio-sample-rates 16 44.1").dataset.source
    else {
        panic!("not generated")
    };
    assert_eq!(made.media.unwrap().audio.unwrap().rates_hz, [16_000, 44_100]);
    assert!(refused("profile -m x --source-address=::1 ::2").contains("(--source-address ::1,::2)"));
    assert!(refused("profile -m x --concurrency 1 2").contains("(--concurrency 1,2)"));
    assert!(refused("profile -m x --goodput a:1 b:2").contains("(--goodput \"a:1 b:2\")"));
    assert!(profile("-m x --header --streaming").endpoint.headers.is_empty());
    assert!(refused("profile -m x --url").contains("--url needs a value"));
}

#[test]
fn a_negative_number_is_a_value() {
    assert!(refused("profile -m x --isl -5").contains("\"-5\""));
    assert!(refused("profile -m x --request-rate -0.5").contains("\"-0.5\""));
}

#[test]
fn a_double_dash_changes_nothing() {
    assert_eq!(profile("-m x -- --concurrency 7").phases.profiling().pace, Pace::Concurrency(7));
}

#[test]
fn unknown_options_name_the_nearest_and_are_never_completed() {
    assert!(refused("profile -m x --concur 5").contains("--concurrency"));
    assert!(refused("profile -m x --Concurrency 5").contains("--concurrency"));
    assert!(refused("profile -m x --duration 5").ends_with("did you mean --benchmark-duration?"));
    assert!(refused("profile -m x --rate 5").ends_with("did you mean --request-rate?"));
    assert!(refused("profile -m x --frobnicate").ends_with("`aiperf profile --help` lists all options"));
    assert!(refused("profile -m x -z").contains("-z"));
    assert!(refused("--frobnicate").contains("--frobnicate"));
    assert!(refused("profile -m x stray").contains("\"stray\""));
    assert!(refused("profile -m x --isl").contains("--isl needs a value"));
}

#[test]
fn options_of_genai_perf_are_known_by_name_and_point_to_what_takes_them() {
    for (option, expected) in [
        ("--generate-plots", "; use --auto-plot"),
        ("--max-threads 4", "; use --workers-max, or run the line as `aiperf genai-perf profile ...`"),
        ("--enable-checkpointing", "; run the line as `aiperf genai-perf profile ...`"),
        ("--checkpoint-dir x", "; run the line as `aiperf genai-perf profile ...`"),
        ("--sweep-list 1,2", "; run the line as `aiperf genai-perf analyze ...`"),
        ("--binary-search", "searches for a load"),
    ] {
        let message = refused(&format!("profile -m x {option}"));
        assert!(message.contains(expected) && message.contains("GenAI-Perf"), "{option}: {message}");
        assert!(!message.contains("did you mean"), "{message}");
    }
}

#[test]
fn a_file_to_synthesize_from_is_a_trace_and_another_word_lists_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.jsonl"), "{}").unwrap();
    let here = Environment { current_dir: folder.path().to_owned(), ..environment() };
    let words = ["aiperf", "synthesize", "t.jsonl", "--output", "o"];
    match parse(words.map(OsString::from), &here) {
        Ok(Invocation::Trace(super::TraceInvocation::Change(change))) => {
            assert_eq!(change.input, folder.path().join("t.jsonl"));
        }
        other => panic!("{other:?}"),
    }
    let message = refused("synthesize none.jsonl");
    assert!(message.contains("`aiperf synthesize trace FILE`") && !message.contains("profile"), "{message}");
    assert!(refused("synthesize").contains("trace and agentic-code"));
}

#[test]
fn a_profile_of_nothing_says_what_is_needed() {
    let message = refused("profile");
    assert!(message.contains("--model") && message.contains("--url sim:"), "{message}");
    assert!(refused("profile --streaming").contains("--model"));
}

#[test]
fn commands_of_the_reference_are_refused_by_name_and_others_are_unknown() {
    for name in super::INTERNAL_COMMANDS {
        let message = refusal(&[name, "--some", "thing"]);
        assert!(message.starts_with(&format!("aiperf {name} starts one of the processes")), "{message}");
    }
    for name in super::GENAI_PERF_COMMANDS {
        let message = refusal(&[name]);
        assert!(message.ends_with(&format!("`aiperf genai-perf {name}`")), "{message}");
    }
    assert!(refused("prefile").ends_with("did you mean `aiperf profile`?"));
    let message = refused("frob");
    assert!(message.contains("\"frob\"") && message.contains("profile"), "{message}");
}

/// Words that give the option a value of its kind.
fn words(spec: &OptionSpec, spelling: &str) -> Vec<String> {
    let value = match spec.value {
        ValueKind::Flag => return vec![spelling.to_owned()],
        ValueKind::Int | ValueKind::Float => "1",
        ValueKind::Choice(members) | ValueKind::Literal(members) => members[0],
        ValueKind::Text | ValueKind::Path | ValueKind::KeyValues => "a:1",
    };
    vec![spelling.to_owned(), value.to_owned()]
}

#[test]
fn every_spelling_of_the_catalogue_is_understood_or_refused_by_its_own_name() {
    for spec in options() {
        let long = spec.long.iter().chain(&spec.negative).map(|name| format!("--{name}"));
        for spelling in long.chain(spec.short.map(|short| format!("-{short}"))) {
            let own = words(spec, &spelling);
            let mut line: Vec<&str> = vec!["profile"];
            if spec.long[0] != "model-names" {
                line.extend(["--model", "m"]);
            }
            line.extend(own.iter().map(String::as_str));
            match invoke(&line) {
                Ok(_) => assert!(spec.is_accepted(), "{spelling} was accepted"),
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.contains(&spelling), "{spelling}: {message}");
                    assert!(!message.contains("is not an option"), "{message}");
                    assert_eq!(
                        message.contains(" is not supported yet; leave it out"),
                        !spec.is_accepted(),
                        "{message}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_command_line_can_be_typed_again() {
    let line = "--model m --url http://h:1 --concurrency 2 --streaming --extra-inputs a:1 --isl 5";
    let config = profile(line);
    assert_eq!(config.command_line, format!("aiperf profile {line}"));
    let again = profile(config.command_line.strip_prefix("aiperf profile ").unwrap());
    assert_eq!(again.to_input_config(), config.to_input_config());
}

#[test]
fn the_simulator_takes_its_settings_from_its_own_table() {
    let Ok(Invocation::Sim(sim)) = invoke(&["sim", "--port", "9", "--error_rate", "0.5"]) else {
        panic!("no simulator")
    };
    assert_eq!(sim.bind.to_string(), "127.0.0.1:9");
    assert_eq!(sim.settings, [("error_rate", "0.5".to_owned())]);
    assert!(refused("sim --port x").contains("--port"));
    assert!(refused("sim --nothing 1").contains("--nothing"));
}

#[test]
fn completion_scripts_know_the_options() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let Ok(Invocation::Completion(completion)) = invoke(&["completions", shell]) else { panic!("no script") };
        assert_eq!(completion.path, None);
        let script = String::from_utf8(completion.script).unwrap();
        assert!(script.contains("request-rate"), "{shell}");
        let offered: Vec<&str> = script.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
        let names = |spec: &OptionSpec| [spec.long, spec.negative.as_slice()].concat();
        // `synthesize` has a --config of its own.
        let refused = options().filter(|spec| !spec.is_supported()).flat_map(names).filter(|name| *name != "config");
        for name in refused {
            let (dashed, bare) = (format!("--{name}"), name);
            // fish writes names without their dashes.
            let is_offered = offered.contains(&dashed.as_str()) || script.contains(&format!("-l {bare} "));
            assert!(!is_offered, "{shell} offers --{name}, which is refused");
        }
        for command in super::INTERNAL_COMMANDS {
            assert!(!script.contains(&format!("aiperf__subcmd__{command})")), "{shell} offers {command}");
        }
    }
    assert!(refused("completions tcsh").contains("tcsh"));
}

#[test]
fn a_completion_script_goes_where_the_shell_looks_or_where_the_user_says() {
    let path = |words: &[&str]| match invoke(words) {
        Ok(Invocation::Completion(completion)) => completion.path.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(path(&["--install-completion"]), Path::new("/home/me/.zfunc/_aiperf"));
    assert_eq!(
        path(&["--install-completion", "--shell", "fish"]),
        Path::new("/home/me/.config/fish/completions/aiperf.fish")
    );
    assert_eq!(path(&["--install-completion", "--shell=bash", "-o", "x"]), Path::new("/somewhere/x"));
    assert!(refused("--install-completion --shell powershell").contains("--output PATH"));
}

#[test]
fn a_selftest_takes_the_options_of_its_table() {
    let Ok(Invocation::SelfTest(test)) = invoke(&["selftest", "--streams", "9", "--max_ttft_error_ms=2"]) else {
        panic!("no self-test");
    };
    assert_eq!(test.settings, [("streams", "9".to_owned()), ("max-ttft-error-ms", "2".to_owned())]);
    assert!(text(&["selftest", "--help"]).contains("--tokens-per-second <N>"));
    assert!(refused("selftest --stream 9").contains("--streams"));
}

#[test]
fn a_run_without_a_model_takes_the_only_one_of_its_server() {
    let asked = |list: aiperf_config::ListModels, line: &str| {
        let args = ["aiperf", "profile"].into_iter().chain(line.split(' ')).map(OsString::from);
        match parse(args, &Environment { listed_models: Some(list), ..environment() }) {
            Ok(Invocation::Profile(mut experiment)) => Ok(experiment.cells.remove(0).config),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    };
    let url = "--url http://server:8000";
    let config = asked(|_| Ok(vec!["a/b".to_owned()]), url).unwrap();
    assert_eq!(config.dataset.models, ["a/b".into()]);
    assert_eq!(config.warnings, ["no model given: using a/b, the only one that http://server:8000 lists"]);
    let several = asked(|_| Ok(vec!["a".to_owned(), "b".to_owned()]), url).unwrap_err();
    assert!(several.contains("lists several: a, b; choose one with --model"), "{several}");
    let none = asked(|_| Ok(Vec::new()), url).unwrap_err();
    assert!(none.contains("lists none under /v1/models"), "{none}");
    let silent = asked(|_| Err("connection refused".to_owned()), url).unwrap_err();
    assert!(silent.contains("cannot be asked for its models: connection refused; name one with --model"), "{silent}");
    // A model that is named is not asked for.
    let named = asked(|_| Err("not to be asked".to_owned()), "--model mine --url http://server:8000").unwrap();
    assert_eq!(named.dataset.models, ["mine".into()]);
}
