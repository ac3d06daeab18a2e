//! Each rule about the load: what is typed, and what the error must say.

use super::{check, input_file, named_file, with_model};

#[test]
fn load_shape() {
    check(&[
        (&["--request-rate=0"], &["--request-rate", "above 0"]),
        (&["--request-rate=-1"], &["--request-rate", "above 0"]),
        (&["--concurrency=0"], &["--concurrency", "at least 1"]),
        (&["--request-count=0"], &["--request-count", "at least 1"]),
        (&["--num-sessions=0"], &["--num-sessions", "at least 1"]),
        (&["--benchmark-duration=0"], &["--benchmark-duration", "above 0"]),
        (&["--benchmark-duration=inf"], &["--benchmark-duration", "finite"]),
        (&["--arrival-smoothness=2"], &["--arrival-smoothness", "--request-rate"]),
        (&["--vllm-burstiness=2"], &["--vllm-burstiness", "--request-rate"]),
        (
            &["--arrival-smoothness=2", "--request-rate=5", "--arrival-pattern=poisson"],
            &["--arrival-smoothness", "--arrival-pattern", "gamma"],
        ),
        (&["--arrival-pattern=constant"], &["--arrival-pattern", "--request-rate"]),
        (&["--request-rate-mode=poisson"], &["--request-rate-mode", "--request-rate"]),
        (&["--arrival-pattern=concurrency_burst", "--request-rate=5"], &["--arrival-pattern", "--request-rate"]),
        (&["--benchmark-grace-period=5"], &["--benchmark-grace-period", "--benchmark-duration"]),
        (&["--stability-percentage=10"], &["--stability-percentage", "--measurement-interval"]),
        (&["--max-trials=10"], &["--max-trials", "--measurement-interval"]),
        (&["--measurement-interval=0"], &["--measurement-interval", "at least 1"]),
        (&["--measurement-interval=500", "--stability-percentage=0"], &["--stability-percentage", "above 0"]),
        (&["--measurement-interval=500", "--max-trials=2"], &["--max-trials", "at least 3"]),
        (
            &["--measurement-interval=500", "--request-count=2"],
            &["--measurement-interval", "--request-count", "leave one of them out"],
        ),
        (
            &["--measurement-interval=500", "--benchmark-duration=2"],
            &["--measurement-interval", "--benchmark-duration", "--max-trials"],
        ),
        (
            &["--measurement-interval=500", "--num-sessions=2"],
            &["--measurement-interval", "--num-sessions", "--num-dataset-entries"],
        ),
        (&["--benchmark-grace-period=-1", "--benchmark-duration=1"], &["--benchmark-grace-period", "at least 0"]),
    ]);
}

#[test]
fn warmup() {
    for setting in [
        "--warmup-concurrency=2",
        "--warmup-request-rate=2",
        "--warmup-arrival-pattern=constant",
        "--warmup-grace-period=1",
        "--warmup-prefill-concurrency=1",
        "--warmup-concurrency-ramp-duration=1",
        "--warmup-prefill-concurrency-ramp-duration=1",
        "--warmup-request-rate-ramp-duration=1",
    ] {
        let name = setting.split('=').next().unwrap();
        check(&[(&[setting], &[name, "--warmup-request-count", "--warmup-duration", "--num-warmup-sessions"])]);
    }
    check(&[
        (&["--warmup-grace-period=1", "--warmup-request-count=3"], &["--warmup-grace-period", "--warmup-duration"]),
        (&["--warmup-request-count=0"], &["--warmup-request-count", "at least 1"]),
        (&["--warmup-duration=0"], &["--warmup-duration", "above 0"]),
        (
            &["--warmup-request-count=3", "--warmup-arrival-pattern=constant"],
            &["--warmup-arrival-pattern", "--request-rate"],
        ),
        (
            &["--warmup-request-count=3", "--warmup-request-rate=1", "--warmup-arrival-pattern=concurrency_burst"],
            &["--warmup-arrival-pattern", "--warmup-request-rate"],
        ),
        (&["--num-warmup-sessions=0"], &["--num-warmup-sessions", "at least 1"]),
        (
            &["--warmup-request-count=3", "--warmup-request-rate-ramp-duration=1"],
            &["--warmup-request-rate-ramp-duration", "--warmup-request-rate", " --request-rate"],
        ),
        (
            &["--warmup-request-count=3", "--warmup-concurrency-ramp-duration=1"],
            &["--warmup-concurrency-ramp-duration", "--warmup-concurrency"],
        ),
        (
            &["--streaming", "--warmup-request-count=3", "--warmup-concurrency=2", "--warmup-prefill-concurrency=3"],
            &["--warmup-prefill-concurrency", "--warmup-concurrency"],
        ),
        (
            &["--streaming", "--warmup-request-count=3", "--warmup-prefill-concurrency=2"],
            &["--warmup-prefill-concurrency", "--warmup-concurrency"],
        ),
        (
            &[
                "--streaming",
                "--concurrency=4",
                "--prefill-concurrency=3",
                "--warmup-request-count=3",
                "--warmup-concurrency=2",
            ],
            &["--prefill-concurrency", "--warmup-concurrency"],
        ),
        (
            &["--warmup-request-count=3", "--warmup-prefill-concurrency=1"],
            &["--warmup-prefill-concurrency", "--streaming"],
        ),
        (
            &[
                "--warmup-request-count=3",
                "--warmup-request-rate=inf",
                "--request-rate=5",
                "--request-rate-ramp-duration=1",
            ],
            &["--request-rate-ramp-duration", "--warmup-request-rate"],
        ),
        (
            &[
                "--warmup-request-count=3",
                "--warmup-arrival-pattern=constant",
                "--user-centric-rate=4",
                "--num-users=2",
                "--session-turns-mean=2",
            ],
            &["--warmup-arrival-pattern", "--warmup-request-rate"],
        ),
    ]);
}

#[test]
fn prefill_concurrency_and_ramps() {
    check(&[
        (&["--streaming", "--prefill-concurrency=2"], &["--prefill-concurrency", "--concurrency"]),
        (
            &["--streaming", "--prefill-concurrency=4", "--concurrency=2"],
            &["--prefill-concurrency", "--concurrency", "2", "4"],
        ),
        (
            &["--streaming", "--prefill-concurrency=4", "--concurrency=2", "--request-rate=5"],
            &["--prefill-concurrency", "--concurrency"],
        ),
        (&["--prefill-concurrency=0"], &["--prefill-concurrency", "at least 1"]),
        (&["--prefill-concurrency=2", "--concurrency=2"], &["--prefill-concurrency", "--streaming"]),
        (&["--prefill-concurrency=2", "--request-rate=2"], &["--prefill-concurrency", "--streaming"]),
        (
            &["--prefill-concurrency=1", "--streaming", "--endpoint-type=embeddings"],
            &["--prefill-concurrency", "--streaming"],
        ),
        (&["--concurrency-ramp-duration=2"], &["--concurrency-ramp-duration", "--concurrency"]),
        (&["--concurrency-ramp-duration=2", "--request-rate=5"], &["--concurrency-ramp-duration", "--concurrency"]),
        (
            &["--concurrency-ramp-duration=2:steep", "--concurrency=2"],
            &["--concurrency-ramp-duration", "steep", "exponential"],
        ),
        (&["--request-rate-ramp-duration=2"], &["--request-rate-ramp-duration", "--request-rate"]),
        (&["--concurrency-ramp-duration=0", "--concurrency=2"], &["--concurrency-ramp-duration", "above 0"]),
        (&["--request-rate-ramp-duration=inf", "--request-rate=2"], &["--request-rate-ramp-duration", "finite"]),
        (
            &["--request-rate-ramp-duration=2", "--request-rate=inf"],
            &["--request-rate-ramp-duration", "--request-rate", "unlimited"],
        ),
        (&["--ramp-shape=linear"], &["--ramp-shape", "--concurrency-ramp-duration"]),
        (
            &["--ramp-shape=sine", "--concurrency=2", "--concurrency-ramp-duration=1"],
            &["--ramp-shape", "linear, exponential, poisson"],
        ),
    ]);
}

#[test]
fn one_mode_at_a_time() {
    let (_folder, series) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":2},{"time_s":4,"qps":10}]"#);
    let users = ["--user-centric-rate=4", "--num-users=2", "--session-turns-mean=2"];
    let choosers: [(&str, &[&str]); 4] = [
        ("--fixed-schedule", &["--fixed-schedule"]),
        ("--user-centric-rate", &users),
        ("--request-rate-series", &[&series]),
        ("--request-rate", &["--request-rate=5"]),
    ];
    for (index, (first, words)) in choosers.iter().enumerate() {
        for (second, more) in &choosers[index + 1..] {
            let together = [&words[..], more].concat();
            check(&[(&together, &[first, second, "cannot be combined"])]);
        }
    }
    check(&[(&["--fixed-schedule", "--no-fixed-schedule"], &["--fixed-schedule", "--no-fixed-schedule"])]);
}

#[test]
fn options_of_another_mode() {
    let users = ["--user-centric-rate=4", "--num-users=2", "--session-turns-mean=2"];
    for option in [
        "--arrival-pattern=poisson",
        "--arrival-pattern=concurrency_burst",
        "--arrival-smoothness=2",
        "--request-rate-ramp-duration=2",
    ] {
        let name = option.split('=').next().unwrap();
        check(&[(&[&users[..], &[option]].concat(), &["--user-centric-rate", name])]);
    }
    for option in ["--arrival-pattern=poisson", "--arrival-smoothness=2", "--request-rate-ramp-duration=2"] {
        let name = option.split('=').next().unwrap();
        check(&[(&["--fixed-schedule", option], &[name, "--fixed-schedule"])]);
    }
    for option in ["auto-offset", "auto-offset=false", "start-offset=1", "end-offset=1"] {
        let word = format!("--fixed-schedule-{option}");
        let name = word.split('=').next().unwrap();
        check(&[(&[&word], &[name, "--fixed-schedule"])]);
        check(&[(&[&word, "--request-rate=1"], &[name, "--fixed-schedule"])]);
    }
    check(&[(&["--num-users=3"], &["--num-users", "--user-centric-rate"])]);
    check(&[(&["--num-users=3", "--request-rate=3"], &["--num-users", "--user-centric-rate"])]);
}

#[test]
fn rate_series() {
    let (_folder, good) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":2},{"time_s":4,"qps":10}]"#);
    check(&[
        (&["--request-rate-series=nowhere.json"], &["--request-rate-series", "nowhere.json"]),
        (&[&good, "--arrival-pattern=concurrency_burst"], &["--arrival-pattern", "--request-rate-series"]),
        (
            &[&good, "--arrival-smoothness=2", "--arrival-pattern=constant"],
            &["--arrival-smoothness", "--arrival-pattern"],
        ),
    ]);
    for (text, reason) in [
        ("{", "not JSON"),
        (r#"[{"time_s":0,"qps":2}]"#, "at least 2"),
        (r#"[{"time_s":4,"qps":2},{"time_s":0,"qps":10}]"#, "point 2: time_s is 0"),
        (r#"{"points":[{"time_s":0,"qps":2},{"time_s":4,"qps":0}]}"#, "point 2: qps is 0"),
    ] {
        let (folder, series) = named_file("--request-rate-series", text);
        check(&[(&[&series], &["--request-rate-series", &folder.path().to_string_lossy(), reason])]);
    }
}

#[test]
fn users() {
    let users = ["--user-centric-rate=4", "--num-users=20", "--session-turns-mean=2"];
    let with = |more: &[&'static str]| [&users[..], more].concat();
    check(&[
        (&["--user-centric-rate=4", "--session-turns-mean=2"], &["--user-centric-rate", "--num-users"]),
        (&["--user-centric-rate=0", "--num-users=2"], &["--user-centric-rate", "above 0"]),
        (&["--user-centric-rate=inf", "--num-users=2"], &["--user-centric-rate", "finite"]),
        (&["--user-centric-rate=4", "--num-users=0"], &["--num-users", "at least 1"]),
        (
            &["--user-centric-rate=4", "--num-users=2"],
            &["--user-centric-rate", "--session-turns-mean of at least 2", "--request-rate"],
        ),
        (&with(&["--num-requests=19"]), &["--num-users", "--num-requests of at least 20"]),
        (&with(&["--num-sessions=19"]), &["--num-users", "--num-sessions of at least 20"]),
        (&with(&["--request-count=40", "--num-sessions=19"]), &["--num-users", "--num-sessions of at least 20"]),
    ]);
    let (_folder, input) = input_file(&["{}"]);
    for format in ["single_turn", "dag_jsonl"] {
        let format = format!("--custom-dataset-type={format}");
        let words = ["--user-centric-rate=4", "--num-users=2", &input, &format];
        check(&[(&words, &["--user-centric-rate", "--custom-dataset-type multi_turn"])]);
        warns(&["--user-centric-rate=4", "--num-users=2", &input], "--inter-turn-delay-cap-seconds=1");
    }
}

#[test]
fn fixed_schedule() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    let with = |more: &[&'static str]| [&[&*input, "--fixed-schedule"], more].concat();
    check(&[
        (&["--fixed-schedule"], &["--fixed-schedule", "--input-file"]),
        (&["--fixed-schedule", "--isl=5"], &["--fixed-schedule", "--input-file"]),
        (&with(&["--custom-dataset-type=dag_jsonl"]), &["--fixed-schedule", "--custom-dataset-type"]),
        (
            &with(&["--fixed-schedule-start-offset=2", "--fixed-schedule-end-offset=1"]),
            &["--fixed-schedule-start-offset", "--fixed-schedule-end-offset"],
        ),
        (
            &with(&["--fixed-schedule-start-offset=2", "--fixed-schedule-auto-offset"]),
            &["--fixed-schedule-start-offset", "--fixed-schedule-auto-offset"],
        ),
        (&with(&["--fixed-schedule-start-offset=-1"]), &["--fixed-schedule-start-offset", "at least 0"]),
        (&with(&["--fixed-schedule-end-offset=1.5"]), &["--fixed-schedule-end-offset", "whole number"]),
        (&with(&["--dataset-sampling-strategy=random"]), &["--dataset-sampling-strategy", "--fixed-schedule"]),
        (&with(&["--dataset-sampling-strategy=shuffle"]), &["--dataset-sampling-strategy", "--fixed-schedule"]),
        (&with(&["--concurrency=1,2"]), &["--concurrency", "sweep"]),
    ]);
    assert!(with_model(&with(&["--dataset-sampling-strategy=sequential"])).is_ok());
}

#[test]
fn cancellation_failures_and_probes() {
    check(&[
        (&["--request-cancellation-delay=1"], &["--request-cancellation-delay", "--request-cancellation-rate"]),
        (&["--request-cancellation-rate=0"], &["--request-cancellation-rate", "above 0"]),
        (&["--request-cancellation-rate=101"], &["--request-cancellation-rate", "at most 100"]),
        (
            &["--request-cancellation-rate=1", "--request-cancellation-delay=-1"],
            &["--request-cancellation-delay", "at least 0"],
        ),
        (&["--failed-request-threshold=1.1"], &["--failed-request-threshold", "at most 1"]),
        (&["--failed-request-threshold=-0.1"], &["--failed-request-threshold", "at least 0"]),
        (&["--wait-for-model-mode=models"], &["--wait-for-model-mode", "--wait-for-model-timeout above 0"]),
        (
            &["--wait-for-model-interval=1", "--wait-for-model-timeout=0"],
            &["--wait-for-model-interval", "--wait-for-model-timeout above 0"],
        ),
        (&["--wait-for-model-mode=Models"], &["--wait-for-model-mode", "models, inference, both"]),
        (&["--wait-for-model-interval=0"], &["--wait-for-model-interval", "above 0"]),
        (&["--wait-for-model-timeout=-1"], &["--wait-for-model-timeout", "at least 0"]),
        (&["--connection-reuse-strategy=always"], &["--connection-reuse-strategy", "sticky-user-sessions"]),
        (&["--url-strategy=random"], &["--url-strategy", "round_robin"]),
    ]);
}

#[test]
fn turns() {
    let (_folder, input) = input_file(&["{}"]);
    for option in [
        "--session-turns-mean=2",
        "--session-turns-stddev=2",
        "--session-turn-delay-mean=2",
        "--session-turn-delay-stddev=2",
        "--session-delay-ratio=2",
    ] {
        let name = option.split('=').next().unwrap();
        check(&[(&[&input, option], &[name, "--input-file"])]);
    }
    check(&[
        (&["--session-turns-mean=0"], &["--session-turns-mean", "at least 1"]),
        (&["--session-turns-mean=1.5"], &["--session-turns-mean", "whole number"]),
        (&["--session-turns-stddev=-1"], &["--session-turns-stddev", "at least 0"]),
        (&["--session-turn-delay-stddev=5"], &["--session-turn-delay-stddev", "--session-turn-delay-mean above 0"]),
        (
            &["--session-turn-delay-stddev=5", "--conversation-turn-delay-mean=0"],
            &["--session-turn-delay-stddev", "--conversation-turn-delay-mean above 0"],
        ),
        (&["--session-delay-ratio=0.5"], &["--session-delay-ratio", "--session-turn-delay-mean"]),
        (&["--session-delay-ratio=-1"], &["--session-delay-ratio", "at least 0"]),
        (&["--inter-turn-delay-cap-seconds=5"], &["--inter-turn-delay-cap-seconds", "--input-file"]),
    ]);
}

/// The option is accepted, and a warning says that it has no effect.
fn warns(words: &[&str], option: &str) {
    let config = with_model(&[words, &[option]].concat()).unwrap();
    let said = format!("{} has no effect", option.split('=').next().unwrap());
    assert!(config.warnings.iter().any(|warning| warning.starts_with(&said)), "{:?}", config.warnings);
}

#[test]
fn what_the_reference_accepts_without_an_effect_is_a_warning() {
    let users = ["--user-centric-rate=4", "--num-users=2", "--session-turns-mean=2"];
    for option in ["--session-turn-delay-mean=5", "--session-turn-delay-mean=0"] {
        warns(&users, option);
    }
    warns(&["--concurrency=2"], "--prefill-concurrency-ramp-duration=2");
    warns(&["--warmup-request-count=3"], "--warmup-prefill-concurrency-ramp-duration=1");
}

#[test]
fn each_ramp_may_have_a_shape_of_its_own() {
    use aiperf_config::{Pace, RampShape};
    let words = [
        "--request-rate=5",
        "--concurrency=4",
        "--streaming",
        "--prefill-concurrency=2",
        "--ramp-shape=poisson",
        "--concurrency-ramp-duration=2:exponential",
        "--prefill-concurrency-ramp-duration=3",
        "--request-rate-ramp-duration=4:linear",
    ];
    let config = with_model(&words).unwrap();
    let phase = config.phases.profiling();
    assert_eq!(
        phase.concurrency_ramp.map(|ramp| (ramp.duration.as_secs(), ramp.shape)),
        Some((2, RampShape::Exponential))
    );
    assert_eq!(phase.prefill_ramp.map(|ramp| (ramp.duration.as_secs(), ramp.shape)), Some((3, RampShape::Poisson)));
    let Pace::Rate { rate, .. } = &phase.pace else { panic!("no rate") };
    assert_eq!(rate.ramp.map(|ramp| (ramp.duration.as_secs(), ramp.shape)), Some((4, RampShape::Linear)));
}
