//! The locked scenario: what it sets, what it forbids, and what goes with no scenario.

use std::time::Duration;

use aiperf_config::{AgenticReplay, CacheBust, Config, GracePeriod, Pace, PhaseKind};

use super::{check, input_file, with_model};

const SCENARIO: &str = "--scenario=inferencex-agentx-mvp";
const PINNED: &str = "--public-dataset=semianalysis_cc_traces_weka_062126";

fn replay(config: &Config) -> AgenticReplay {
    match config.phases.profiling().pace {
        Pace::AgenticReplay(replay) => replay,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn it_sets_what_it_asks_for() {
    let config = with_model(&[SCENARIO, PINNED]).unwrap();
    assert!(config.endpoint.streaming);
    assert_eq!(config.endpoint.extra_inputs["ignore_eos"], true);
    assert_eq!(config.cache_bust.name(), "first_turn_prefix");
    assert_eq!(config.phases.profiling().stop.duration, Some(Duration::from_secs(1800)));
    let replay = replay(&config);
    assert_eq!((replay.lanes, replay.start_min, replay.start_max), (1, 0.0, 1.0));
    assert_eq!((replay.idle_cap, replay.burst, replay.cache_warmup), (Some(Duration::from_secs(10)), false, None));
    let warmup = config.phases.warmups().next().unwrap();
    assert_eq!(
        (warmup.kind, &*warmup.name, warmup.grace),
        (PhaseKind::Warmup, "agentic.warmup", GracePeriod::Unlimited)
    );
    let scenario = config.scenario.as_ref().unwrap();
    assert_eq!((scenario.violations.len(), scenario.overridden), (0, false));
    assert_eq!(scenario.set.len(), 7, "all that it set is said: {:?}", scenario.set);
    assert!(scenario.set.contains(&"--extra-inputs ignore_eos:true".to_owned()), "{:?}", scenario.set);
    assert!(!config.command_line.contains("ignore_eos"), "{}", config.command_line);
    let shown = config.to_input_config();
    assert_eq!(shown["scenario"], "inferencex-agentx-mvp");
    assert_eq!(shown["phases"].as_array().unwrap().len(), 1);
    assert_eq!(shown["phases"][0]["timing_mode"], "agentic_replay");
    assert_eq!(shown["phases"][0]["type"], "concurrency");
}

#[test]
fn what_the_user_says_stays_beside_what_it_sets() {
    let words = [SCENARIO, PINNED, "--concurrency=8", "--extra-inputs=top_k:3", "--benchmark-duration=900"];
    let config = with_model(&words).unwrap();
    assert_eq!(config.endpoint.extra_inputs["top_k"], 3);
    assert_eq!(config.endpoint.extra_inputs["ignore_eos"], true);
    assert_eq!((replay(&config).lanes, config.phases.profiling().stop.duration), (8, Some(Duration::from_secs(900))));
}

#[test]
fn everything_that_it_forbids_is_named_together() {
    let (_folder, input) = input_file(&["{}"]);
    let words = [
        SCENARIO,
        &input,
        "--custom-dataset-type=weka_trace",
        "--streaming=false",
        "--extra-inputs=ignore_eos:false",
        "--cache-bust=none",
        "--benchmark-duration=5",
        "--synthesis-max-osl=5",
        "--synthesis-max-isl=5",
        "--inter-turn-delay-cap-seconds=3",
        "--trace-idle-gap-cap-seconds=3",
        "--system-idle-gap-cap-seconds=3",
        "--trajectory-start-min-ratio=0.5",
        "--trajectory-start-max-ratio=0.6",
    ];
    let message = with_model(&words).unwrap_err().to_string();
    for part in [
        "--streaming false",
        "ignore_eos:false",
        "--input-file",
        "--cache-bust none",
        "--benchmark-duration 5",
        "--synthesis-max-isl 5",
        "--inter-turn-delay-cap-seconds 3",
        "--trace-idle-gap-cap-seconds 3",
        "--system-idle-gap-cap-seconds 3",
        "--trajectory-start-min-ratio 0.5",
        "--trajectory-start-max-ratio 0.6",
        "--unsafe-override",
    ] {
        assert!(message.contains(part), "no {part:?} in {message}");
    }
    assert_eq!(message.lines().count(), 13, "{message}");
    let kept = with_model(&[&words[..], &["--unsafe-override"]].concat()).unwrap();
    assert_eq!((kept.scenario.unwrap().violations.len(), kept.warnings.len()), (11, 11));
    assert_eq!(kept.cache_bust, CacheBust::None);
    let forgotten = with_model(&[SCENARIO, PINNED, "--ignore-trace-delays"]).unwrap_err().to_string();
    assert!(forgotten.contains("--ignore-trace-delays"), "{forgotten}");
}

#[test]
fn only_data_that_others_have_too_counts() {
    for (word, counts) in [
        ("--public-dataset=semianalysis_cc_traces_weka_with_subagents", true),
        ("--public-dataset=semianalysis_cc_traces_weka_with_subagents_060826_256k", true),
        ("--public-dataset=semianalysis_cc_traces_weka_no_subagents", false),
        ("--public-dataset=semianalysis_cc_traces_weka", false),
        ("--hf-weka-dataset=semianalysisai/cc-traces-weka-062126", true),
        ("--hf-weka-dataset=me/mine", false),
    ] {
        assert_eq!(with_model(&[SCENARIO, word]).is_ok(), counts, "{word}");
    }
}

#[test]
fn what_cannot_be_is_refused_even_if_overridden() {
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    let unsafe_too = "--unsafe-override";
    check(&[
        (&["--scenario=other"], &["--scenario", "inferencex-agentx-mvp"]),
        (&[SCENARIO, unsafe_too], &["--scenario", "--public-dataset", "--hf-weka-dataset", "--input-file"]),
        (
            &[SCENARIO, unsafe_too, &input, "--custom-dataset-type=single_turn"],
            &["--custom-dataset-type", "agent sessions"],
        ),
        (&[SCENARIO, unsafe_too, "--public-dataset=aimo"], &["--public-dataset", "agent sessions"]),
        (&[SCENARIO, unsafe_too, PINNED, "--request-rate=2"], &["--request-rate", "--scenario"]),
        (&[SCENARIO, unsafe_too, PINNED, "--user-centric-rate=2"], &["--user-centric-rate", "--scenario"]),
        (&[SCENARIO, unsafe_too, PINNED, "--fixed-schedule"], &["--fixed-schedule"]),
        (
            &[SCENARIO, unsafe_too, PINNED, "--endpoint-type=completions"],
            &["--cache-bust first_turn_prefix (set by --scenario)", "--endpoint-type chat"],
        ),
        (&[SCENARIO, unsafe_too, PINNED, "--concurrency-ramp-duration=2"], &["--concurrency-ramp-duration"]),
        (&[SCENARIO, unsafe_too, PINNED, "--warmup-request-count=2"], &["--warmup-request-count", "warms up"]),
        (&[SCENARIO, unsafe_too, PINNED, "--warmup-duration=2"], &["--warmup-duration", "warms up"]),
        (&[SCENARIO, unsafe_too, PINNED, "--concurrency=1,2"], &["--concurrency", "--scenario", "one value"]),
        (&[SCENARIO, unsafe_too, PINNED, "--cache-bust=warmup_isolation_first_turn"], &["--cache-bust", "--scenario"]),
        (
            &[SCENARIO, unsafe_too, PINNED, "--trajectory-start-min-ratio=0.9", "--trajectory-start-max-ratio=0.1"],
            &["--trajectory-start-min-ratio", "--trajectory-start-max-ratio"],
        ),
    ]);
}

#[test]
fn without_a_scenario_its_options_have_no_use() {
    for word in [
        "--unsafe-override",
        "--allow-dataset-wrap",
        "--burst-phase-starts",
        "--trajectory-start-min-ratio=0.1",
        "--trajectory-start-max-ratio=0.1",
        "--system-idle-gap-cap-seconds=1",
        "--agentic-cache-warmup-duration=1",
        "--agentic-warmup-grace-period=1",
    ] {
        let name = word.split('=').next().unwrap();
        check(&[(&[word], &[name, "--scenario inferencex-agentx-mvp"])]);
    }
    check(&[(&["--unsafe-override"], &["settings that a scenario forbids"])]);
    assert!(with_model(&["--allow-dataset-wrap=false"]).is_ok(), "that is how it is anyway");
}
