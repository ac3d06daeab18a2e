//! Traces: when they bring their schedule, and which options they heed.

use aiperf_config::{Config, DatasetSource, Pace, ScheduleZero, TraceOptions};

use super::{check, input_file, with_model};

const TIMED: &str = r#"{"timestamp": 5, "input_length": 3}"#;

fn is_scheduled(row: &str, more: &[&str]) -> bool {
    let (_folder, input) = input_file(&["", row]);
    let words: Vec<&str> = [&*input].into_iter().chain(more.iter().copied()).collect();
    matches!(with_model(&words).unwrap().phases.profiling().pace, Pace::FixedSchedule { .. })
}

#[test]
fn a_trace_with_times_brings_its_schedule_whether_it_is_named_or_detected() {
    let mooncake = "--custom-dataset-type=mooncake_trace";
    assert!(is_scheduled(TIMED, &[mooncake]));
    assert!(is_scheduled(TIMED, &[mooncake, "--concurrency=4", "--fixed-schedule-end-offset=9"]));
    assert!(is_scheduled(r#"{"chat_id": 1}"#, &["--custom-dataset-type=bailian_trace"]));
    assert!(is_scheduled(TIMED, &[]) && is_scheduled(TIMED, &["--concurrency=4", "--request-count=3"]));
    for kind in ["burst_gpt_trace", "azure_trace", "baseten_trace", "sagemaker_data_capture"] {
        assert!(is_scheduled("", &[&format!("--custom-dataset-type={kind}")]), "{kind}");
    }
    for more in [
        &["--no-fixed-schedule"][..],
        &["--request-rate=2"],
        &["--measurement-interval=500"],
        &[mooncake, "--no-fixed-schedule", "--request-rate=2"],
        &[mooncake, "--ignore-trace-delays"],
        &["--custom-dataset-type=single_turn"],
    ] {
        assert!(!is_scheduled(TIMED, more), "{more:?}");
    }
    assert!(!is_scheduled(r#"{"delay": 5, "input_length": 3}"#, &[mooncake]));
}

#[test]
fn a_load_beside_the_recorded_one_is_refused_with_the_way_out() {
    let (_folder, input) = input_file(&[TIMED]);
    for option in ["--request-rate=1", "--num-users=2", "--arrival-smoothness=2", "--request-rate-ramp-duration=1"] {
        let name = option.split('=').next().unwrap();
        let words = [&*input, "--custom-dataset-type=mooncake_trace", option];
        check(&[(&words, &[name, "--custom-dataset-type", "--no-fixed-schedule"])]);
    }
    let (_folder, unread) = input_file(&["\u{1f}"]);
    std::fs::write(unread.split_once('=').unwrap().1, b"\xff").unwrap();
    check(&[(
        &[&unread, "--custom-dataset-type=mooncake_trace"],
        &["--no-fixed-schedule", "cannot read the beginning"],
    )]);
}

#[test]
fn options_of_traces_need_one() {
    let (_folder, input) = input_file(&[TIMED]);
    for option in [
        "--synthesis-speedup-ratio=2",
        "--synthesis-prefix-len-multiplier=2",
        "--synthesis-prefix-root-multiplier=2",
        "--synthesis-prompt-len-multiplier=2",
        "--synthesis-output-len-multiplier=2",
        "--synthesis-max-isl=2",
        "--synthesis-max-osl=2",
        "--replay-speedup=2",
        "--max-idle-gap-cap-seconds=2",
        "--open-loop-strict",
        "--trace-session-sample-ratio=0.5",
        "--ignore-trace-delays",
        "--omit-kv-hints",
        "--open-loop-replay=false",
        "--force-min-tokens=false",
        "--isl-block-size=16",
    ] {
        let name = option.split('=').next().unwrap();
        check(&[
            (&[option], &[name, "--input-file"]),
            (&[&input, "--custom-dataset-type=single_turn", option], &[name, "single_turn"]),
        ]);
    }
    let baseten = "--custom-dataset-type=baseten_trace";
    check(&[
        (&[&input, baseten, "--synthesis-prompt-len-multiplier=2"], &["--synthesis-prompt-len-multiplier", "baseten"]),
        (&[&input, baseten, "--extra-inputs=min_tokens:4"], &["--extra-inputs", "min_tokens", "baseten_trace"]),
        (&[&input, baseten, "--open-loop-replay=false", "--open-loop-strict"], &["--open-loop-strict"]),
    ]);
    let csv = "--custom-dataset-type=azure_trace";
    check(&[
        (&[&input, csv, "--isl-block-size=16"], &["--isl-block-size", "azure_trace"]),
        (&[&input, csv, "--synthesis-prefix-len-multiplier=2"], &["--synthesis-prefix-len-multiplier", "block ids"]),
        (&[&input, "--ignore-trace-delays", "--replay-speedup=2"], &["--replay-speedup", "--ignore-trace-delays"]),
        (&[&input, "--ignore-trace-delays", "--fixed-schedule"], &["--fixed-schedule", "--ignore-trace-delays"]),
        (&[&input, "--synthesis-speedup-ratio=0"], &["--synthesis-speedup-ratio", "above 0"]),
        (&[&input, "--trace-session-sample-ratio=1.5"], &["--trace-session-sample-ratio", "at most 1"]),
    ]);
}

fn trace(words: &[&str]) -> (Config, TraceOptions) {
    let (_folder, input) = input_file(&[TIMED]);
    let words: Vec<&str> = [&*input].into_iter().chain(words.iter().copied()).collect();
    let config = with_model(&words).unwrap();
    let DatasetSource::File(file) = &config.dataset.source else { panic!("no file") };
    let trace = file.trace.clone();
    (config, trace)
}

#[test]
fn both_speedups_act_and_the_start_of_the_schedule_follows_them() {
    let (config, options) = trace(&[
        "--fixed-schedule",
        "--synthesis-speedup-ratio=5",
        "--replay-speedup=2",
        "--fixed-schedule-start-offset=1000",
    ]);
    assert!((options.speedup() - 10.0).abs() < 1e-12);
    assert!(
        matches!(config.phases.profiling().pace, Pace::FixedSchedule { zero: ScheduleZero::At(at), .. } if (at - 100.0).abs() < 1e-9)
    );
}

#[test]
fn result_files_show_what_was_changed() {
    let (config, _) = trace(&["--synthesis-prefix-root-multiplier=3", "--synthesis-max-isl=9", "--replay-speedup=2"]);
    let dataset = &config.to_input_config()["datasets"][0];
    assert_eq!(dataset["synthesis"], serde_json::json!({"prefix_root_multiplier": 3, "max_isl": 9}));
    assert_eq!(dataset["replay_speedup"], 2.0);
    assert!(dataset.get("open_loop_strict").is_none());
}

#[test]
fn options_about_sessions_of_agents_need_a_recording_of_them() {
    let (_folder, input) = input_file(&["{}"]);
    let weka = "--custom-dataset-type=weka_trace";
    for option in ["--max-context-length=9", "--use-think-time-only", "--trace-idle-gap-cap-seconds=1"] {
        let name = option.split('=').next().unwrap();
        check(&[
            (&[option], &[name, "--input-file"]),
            (&[&input, "--custom-dataset-type=mooncake_trace", option], &[name, "mooncake_trace", "weka_trace"]),
        ]);
        assert!(with_model(&[&input, weka, option]).is_ok(), "{option}");
        assert!(with_model(&[&input, "--custom-dataset-type=tracelab", option]).is_ok(), "{option}");
    }
    check(&[
        (
            &[&input, weka, "--ignore-trace-delays", "--use-think-time-only"],
            &["--use-think-time-only", "--ignore-trace-delays"],
        ),
        (&[&input, weka, "--isl-block-size=16"], &["--isl-block-size", "weka_trace"]),
        (&[&input, weka, "--synthesis-speedup-ratio=2"], &["--synthesis-speedup-ratio", "weka_trace"]),
        (&[&input, weka, "--fixed-schedule"], &["--fixed-schedule"]),
    ]);
    for option in ["--num-dataset-entries=2", "--synthesis-max-isl=5", "--synthesis-max-osl=5", "--ignore-trace-delays"]
    {
        assert!(with_model(&[&input, weka, option]).is_ok(), "{option}");
    }
    assert!(with_model(&[&input, "--custom-dataset-type=tracelab", "--isl-block-size=16"]).is_ok());
}
