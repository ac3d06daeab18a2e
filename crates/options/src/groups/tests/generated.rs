//! Generated texts: each rule about their options, and what the options come to.

use aiperf_config::*;
use serde_json::json;

use super::{check, input_file, named_file, with_model};

fn source(words: &[&str]) -> SyntheticSource {
    let config = with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    match config.dataset.source {
        DatasetSource::Synthetic(source) => source,
        DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => panic!("not generated"),
    }
}

fn shown(words: &[&str]) -> serde_json::Value {
    with_model(words).unwrap().to_input_config()["datasets"][0].clone()
}

#[test]
fn lengths_turns_and_pauses_may_be_distributions() {
    let made = source(&[
        "--isl=lognormal:mean=100,median=60",
        "--session-turns-mean={\"points\": [{\"value\": 1}, {\"value\": 3}]}",
        "--session-turn-delay-mean=uniform:low=5,high=15",
    ]);
    assert_eq!(made.lengths, PromptLengths::Drawn(Length::LogNormal { mean: 100.0, median: 60.0 }));
    assert!((made.turns.mean() - 2.0).abs() < 1e-9);
    assert_eq!(made.turn_delay.pause_ms, Some(Length::Uniform { low: 5.0, high: 15.0 }));
    let config = with_model(&["--osl={\"mean\": 10, \"stddev\": 2, \"max\": 12}"]).unwrap();
    let wanted = Length::Clamped { length: Box::new(Length::normal(10.0, 2.0)), min: 0.0, max: 12.0 };
    assert_eq!(config.dataset.output_tokens, Some(wanted));
    check(&[
        (&["--isl=lognormal:mean=1,median=2"], &["--isl", "at least its median"]),
        (&["--isl=lognormal:mean=100,median=60", "--isl-stddev=5"], &["--isl", "--isl-stddev", "sets its own spread"]),
        (&["--isl=gamma:shape=1"], &["--isl", "not a distribution"]),
        (&["--osl={\"mean\": 5", "--osl-stddev=1"], &["--osl", "not JSON"]),
        (&["--session-turns-mean=uniform:low=0,high=1"], &["--session-turns-mean", "at least 1"]),
        (&["--isl=fixed:value=0"], &["--isl", "would be empty"]),
    ]);
}

#[test]
fn distributions_are_shown_as_a_configuration_file_says_them() {
    for described in [
        json!({"mean": 100.0, "median": 60.0}),
        json!({"low": 5.0, "high": 9.0}),
        json!({"points": [{"value": 5.0, "weight": 3.0}, {"value": 7.0, "weight": 1.0}]}),
        json!({"peaks": [{"mean": 5.0, "weight": 3.0}, {"mean": 9.0, "median": 7.0, "weight": 1.0}]}),
        json!({"mean": 5.0, "stddev": 1.0, "min": 2.0, "max": 7.0}),
    ] {
        assert_eq!(shown(&[&format!("--isl={described}")])["prompts"]["isl"], described);
    }
}

#[test]
fn a_mix_of_pairs_replaces_both_lengths() {
    let made = source(&["--seq-dist=256|10,128:40;512,256:60"]);
    let PromptLengths::Pairs(pairs) = made.lengths else { panic!("{:?}", made.lengths) };
    assert_eq!(pairs.len(), 2);
    assert_eq!(pairs[0].value.input, Length::normal(256.0, 10.0));
    assert_eq!(
        shown(&["--seq-dist=256|10,128:40;512,256:60"])["prompts"]["sequence_distribution"],
        json!([{"isl": 256.0, "isl_stddev": 10.0, "osl": 128.0, "probability": 40.0},
               {"isl": 512.0, "osl": 256.0, "probability": 60.0}])
    );
    check(&[
        (&["--seq-dist=256,128:40"], &["--seq-dist", "add up to 40"]),
        (&["--seq-dist=0,128:100"], &["--seq-dist", "at least 1"]),
        (&["--sequence-distribution=256;128"], &["--sequence-distribution", "no `:`"]),
        (&["--seq-dist=2,1:100", "--isl=5"], &["--seq-dist", "--isl"]),
        (&["--seq-dist=2,1:100", "--osl=5"], &["--seq-dist", "--osl"]),
        (&["--seq-dist=2,1:100", "--osl-stddev=5"], &["--seq-dist", "--osl-stddev"]),
        (&["--seq-dist=2,1:100", "--random-range-ratio=0.5", "--osl=1"], &["--seq-dist", "--osl"]),
        (&["--seq-dist=2,1:100", "--random-range-ratio=0.5"], &["--seq-dist", "--random-range-ratio"]),
    ]);
}

#[test]
fn a_window_lies_around_the_means() {
    let window = |words: &[&str]| {
        let config = with_model(words).unwrap();
        let DatasetSource::Synthetic(SyntheticSource { lengths: PromptLengths::Window(window), .. }) =
            config.dataset.source
        else {
            panic!("no window")
        };
        (window, config.dataset.output_tokens.unwrap())
    };
    let (input, output) = window(&["--random-range-ratio=0.25", "--osl=10"]);
    assert_eq!(input, RangeRatio { style: RandomStyle::Vllm, mean: 550, ratio: 0.25 });
    assert_eq!(output, Length::Uniform { low: 7.0, high: 13.0 });
    let (input, output) = window(&["--random-range-ratio={\"input\": 0, \"output\": 0.9}", "--isl=100", "--osl=1"]);
    assert_eq!((input.ratio, output), (0.0, Length::Uniform { low: 1.0, high: 2.0 }));
    let (input, output) = window(&["--random-range-ratio=1", "--random-corpus-style=sglang", "--isl=100", "--osl=7"]);
    assert_eq!(input.style.window(100.0, 1.0), (100.0, 100.0));
    assert_eq!(output, Length::Uniform { low: 7.0, high: 7.0 });
    assert_eq!(RandomStyle::Sglang.window(9.0, 0.05), (1.0, 9.0));
    check(&[
        (&["--random-range-ratio=0.5"], &["--random-range-ratio", "--osl"]),
        (&["--random-range-ratio=1", "--osl=5"], &["--random-range-ratio", "below 1"]),
        (&["--random-range-ratio=-0.1", "--osl=5"], &["--random-range-ratio", "at least 0"]),
        (&["--random-range-ratio=x", "--osl=5"], &["--random-range-ratio", "number"]),
        (&["--random-range-ratio=1.1", "--osl=5", "--random-corpus-style=sglang"], &["from 0 to 1"]),
        (
            &["--random-range-ratio={\"input\":0,\"output\":0}", "--osl=5", "--random-corpus-style=sglang"],
            &["--random-range-ratio", "one number for both"],
        ),
        (&["--random-range-ratio=0.5", "--osl=5", "--isl-stddev=1"], &["--random-range-ratio", "--isl-stddev"]),
        (&["--random-range-ratio=0.5", "--osl=5", "--osl-stddev=1"], &["--random-range-ratio", "--osl-stddev"]),
        (&["--random-range-ratio=0.5", "--osl=normal:mean=5"], &["--random-range-ratio", "--osl"]),
        (&["--random-range-ratio=0.5", "--osl=5", "--isl=0"], &["--isl", "contains no prompt"]),
        (&["--random-corpus-style=vllm"], &["--random-corpus-style", "--random-range-ratio", "--prompt-corpus"]),
    ]);
}

#[test]
fn texts_are_made_of_what_is_asked_for() {
    assert_eq!(source(&[]).corpus, Corpus::Prose);
    assert_eq!(source(&["--prompt-corpus=CODING"]).corpus, Corpus::Code);
    let random = ["--prompt-corpus=random", "--random-corpus-style=sglang"];
    assert_eq!(source(&random).corpus, Corpus::RandomTokens(RandomStyle::Sglang));
    let (_folder, file) = named_file("--prompt-corpus-file", "some text");
    assert!(matches!(source(&[&file]).corpus, Corpus::File(_)));
    check(&[
        (&["--prompt-corpus=poems"], &["--prompt-corpus", "sonnet, coding, random"]),
        (&["--prompt-corpus-file=nowhere.txt"], &["--prompt-corpus-file", "nowhere.txt"]),
        (&[&file, "--prompt-corpus=coding"], &["--prompt-corpus-file", "--prompt-corpus"]),
    ]);
}

#[test]
fn options_of_generated_texts_are_refused_with_a_file() {
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    let (_other, corpus) = named_file("--prompt-corpus-file", "text");
    for word in [
        "--seq-dist=1,1:100",
        "--random-range-ratio=0.5",
        "--random-corpus-style=vllm",
        &corpus,
        "--rankings-passages-mean=2",
        "--session-turns-mean=2",
        "--session-turn-delay-mean=2",
    ] {
        let name = word.split('=').next().unwrap();
        check(&[(&[&input, word], &[name, "--input-file"])]);
    }
}

#[test]
fn rankings_need_an_endpoint_that_ranks() {
    check(&[(&["--rankings-passages-mean=3"], &["--rankings-passages-mean", "--endpoint-type"])]);
    assert_eq!(source(&[]).rankings, None);
    for kind in ["nim_rankings", "hf_tei_rankings", "cohere_rankings"] {
        let kind = format!("--endpoint-type={kind}");
        let made = source(&[&kind, "--rankings-passages-mean=3", "--rankings-passages-stddev=1"]);
        let wanted = Rankings { passages: Length::normal(3.0, 1.0), ..Rankings::default() };
        assert_eq!(made.rankings, Some(wanted));
        check(&[(&[&kind, "--isl=5"], &["--isl", "--endpoint-type", "--rankings-passages-prompt-token-mean"])]);
    }
}

#[test]
fn cache_busting() {
    let system = "--system-prompt=Be brief.";
    let place = |words: &[&str]| (with_model(words).unwrap().cache_bust.name(), source(words).marked_first_turn);
    assert_eq!(place(&[]), ("none", false));
    assert_eq!(place(&["--cache-bust=none"]), ("none", false));
    assert_eq!(place(&["--cache-bust=first-turn-prefix"]), ("first_turn_prefix", true));
    assert_eq!(place(&["--cache-bust=system_suffix", system]), ("system_suffix", false));
    assert_eq!(place(&["--cache-bust=system_suffix"]), ("system_suffix", true), "falls back to the first turn");
    let warm = "--warmup-request-count=2";
    assert_eq!(place(&["--cache-bust=warmup_isolation_first_turn", warm]), ("warmup_isolation_first_turn", false));
    assert_eq!(place(&["--cache-bust=warmup_isolation_system", warm, system]).0, "warmup_isolation_system");
    assert_eq!(shown(&["--cache-bust=first_turn_suffix"])["prompts"]["cache_bust"]["target"], "first_turn_suffix");
    check(&[
        (&["--cache-bust=somewhere"], &["--cache-bust", "system_prefix"]),
        (
            &["--cache-bust=first_turn_prefix", "--endpoint-type=completions"],
            &["--cache-bust", "--endpoint-type chat, responses or messages"],
        ),
        (&["--cache-bust=warmup_isolation_first_turn"], &["--cache-bust", "--warmup-request-count"]),
        (&["--cache-bust=warmup_isolation_system", warm], &["--cache-bust", "--system-prompt"]),
    ]);
}

#[test]
fn a_chat_template_needs_messages_and_a_tokenizer_that_has_one() {
    assert!(with_model(&["--apply-chat-template"]).unwrap().endpoint.apply_chat_template);
    assert!(!with_model(&[]).unwrap().endpoint.apply_chat_template);
    check(&[
        (&["--apply-chat-template", "--tokenizer=builtin"], &["--apply-chat-template", "no chat template"]),
        (&["--apply-chat-template", "--endpoint-type=completions"], &["--apply-chat-template", "chat"]),
    ]);
}

#[test]
fn weights_of_models_cannot_be_given() {
    check(&[(&["--model-selection-strategy=weighted"], &["--model-selection-strategy", "weights"])]);
}
