//! How requests are paced and when sending stops, as resolved.

use std::time::Duration;

use aiperf_address::ConnectionReuse;
use aiperf_config::*;

use super::{input_file, named_file, with_model};

fn profiling(words: &[&str]) -> PhaseConfig {
    with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}")).phases.profiling().clone()
}

fn warmup(words: &[&str]) -> PhaseConfig {
    with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}")).phases.warmups().next().unwrap().clone()
}

#[test]
fn a_rate_chooses_the_open_loop_and_smoothness_chooses_gamma() {
    let pace = |words: &[&str]| with_model(words).unwrap().phases.profiling().pace.clone();
    assert_eq!(
        pace(&["--request-rate=5"]),
        Pace::Rate { rate: RateCurve::constant(5.0), arrival: Arrival::Poisson, ceiling: None }
    );
    assert_eq!(
        pace(&["--request-rate=inf", "--concurrency=4", "--arrival-pattern=CONSTANT"]),
        Pace::Rate { rate: RateCurve::constant(f64::INFINITY), arrival: Arrival::Constant, ceiling: Some(4) }
    );
    assert_eq!(
        pace(&["--request-rate=5", "--arrival-smoothness=0.5"]),
        Pace::Rate { rate: RateCurve::constant(5.0), arrival: Arrival::Gamma { smoothness: 0.5 }, ceiling: None }
    );
    assert_eq!(
        pace(&["--request-rate=5", "--arrival-pattern=gamma"]),
        Pace::Rate { rate: RateCurve::constant(5.0), arrival: Arrival::Gamma { smoothness: 1.0 }, ceiling: None }
    );
    assert_eq!(pace(&["--arrival-pattern=concurrency-burst", "--concurrency=3,"]), Pace::Concurrency(3));
}

#[test]
fn a_duration_brings_thirty_seconds_of_grace_and_stops_may_be_combined() {
    let phase = |words: &[&str]| with_model(words).unwrap().phases.profiling().clone();
    let plain = phase(&["--benchmark-duration=2"]);
    assert_eq!(plain.stop, StopConditions { duration: Some(Duration::from_secs(2)), ..StopConditions::default() });
    assert_eq!(plain.grace, GracePeriod::Limited(Duration::from_secs(30)));
    let zero = phase(&["--benchmark-duration=2", "--benchmark-grace-period=0"]);
    assert_eq!(zero.grace, GracePeriod::Limited(Duration::ZERO));
    let endless = phase(&["--benchmark-duration=2", "--benchmark-grace-period=inf", "--request-count=7"]);
    assert_eq!((endless.grace, endless.stop.requests), (GracePeriod::Unlimited, Some(7)));
}

#[test]
fn windows_last_a_fifth_longer_than_asked_for_and_end_the_run_at_the_latest_when_all_are_over() {
    let phase = profiling(&["--measurement-interval=1000"]);
    let windows = Windows { interval: Duration::from_secs(1), stability: 10.0, most: 10 };
    let stop =
        StopConditions { duration: Some(Duration::from_secs(12)), windows: Some(windows), ..StopConditions::default() };
    assert_eq!((phase.stop, phase.grace), (stop, GracePeriod::Limited(Duration::from_secs(30))));
    assert_eq!(windows.length(), Duration::from_millis(1_200));
    let own = profiling(&[
        "--measurement-interval=500",
        "--stability-percentage=5.5",
        "--max-trials=4",
        "--benchmark-grace-period=inf",
    ]);
    let windows = own.stop.windows.unwrap();
    assert_eq!((windows.stability, windows.most, own.grace), (5.5, 4, GracePeriod::Unlimited));
    assert_eq!(own.stop.duration, Some(Duration::from_millis(2_400)));
}

#[test]
fn windows_agree_when_the_largest_is_near_enough_to_the_smallest() {
    let windows = profiling(&["--measurement-interval=1000", "--stability-percentage=10"]).stop.windows.unwrap();
    assert!(windows.allow(100.0, 110.0) && !windows.allow(100.0, 110.1) && !windows.allow(0.0, 0.0));
    let any = profiling(&["--measurement-interval=1000", "--stability-percentage=999"]).stop.windows.unwrap();
    assert!(any.allow(0.0, 5.0));
}

#[test]
fn warmup_takes_over_what_it_does_not_say_itself() {
    let warmup = |words: &[&str]| with_model(words).unwrap().phases.warmups().next().unwrap().clone();
    let plain = warmup(&["--warmup-request-count=3", "--concurrency=8"]);
    assert_eq!((plain.pace, plain.grace), (Pace::Concurrency(8), GracePeriod::Unlimited));
    assert_eq!(plain.stop.requests, Some(3));
    let own = warmup(&["--num-warmup-sessions=3", "--concurrency=8", "--warmup-concurrency=2"]);
    assert_eq!((own.pace, own.stop.sessions), (Pace::Concurrency(2), Some(3)));
    let rate =
        warmup(&["--warmup-duration=3", "--request-rate=8", "--arrival-smoothness=2", "--warmup-grace-period=1"]);
    assert_eq!(
        rate.pace,
        Pace::Rate { rate: RateCurve::constant(8.0), arrival: Arrival::Gamma { smoothness: 2.0 }, ceiling: None }
    );
    assert_eq!(rate.grace, GracePeriod::Limited(Duration::from_secs(1)));
    let other = warmup(&["--warmup-request-count=3", "--warmup-request-rate=2", "--warmup-arrival-pattern=constant"]);
    assert_eq!(other.pace, Pace::Rate { rate: RateCurve::constant(2.0), arrival: Arrival::Constant, ceiling: None });
}

fn ramp(seconds: f64, shape: RampShape) -> Ramp {
    Ramp { duration: Duration::from_secs_f64(seconds), shape }
}

#[test]
fn a_series_is_a_rate_that_changes_and_a_ramp_comes_before_it() {
    let (_folder, series) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":2},{"time_s":4,"qps":10}]"#);
    let points = vec![
        RatePoint { at: Duration::ZERO, per_second: 2.0 },
        RatePoint { at: Duration::from_secs(4), per_second: 10.0 },
    ];
    assert_eq!(
        profiling(&[&series]).pace,
        Pace::Rate { rate: RateCurve { points: points.clone(), ramp: None }, arrival: Arrival::Poisson, ceiling: None }
    );
    let shaped = profiling(&[
        &series,
        "--request-rate-ramp-duration=2",
        "--arrival-pattern=constant",
        "--concurrency=3",
        "--ramp-shape=EXPONENTIAL",
    ]);
    let rate = RateCurve { points, ramp: Some(ramp(2.0, RampShape::Exponential)) };
    assert_eq!(shaped.pace, Pace::Rate { rate, arrival: Arrival::Constant, ceiling: Some(3) });
}

#[test]
fn limits_grow_by_their_ramps() {
    let phase = profiling(&[
        "--streaming",
        "--concurrency=8",
        "--prefill-concurrency=2",
        "--concurrency-ramp-duration=1.5",
        "--prefill-concurrency-ramp-duration=3",
    ]);
    assert_eq!(phase.pace, Pace::Concurrency(8));
    assert_eq!(phase.concurrency_ramp, Some(ramp(1.5, RampShape::Linear)));
    assert_eq!(phase.prefill_limit, Some(2));
    assert_eq!(phase.prefill_ramp, Some(ramp(3.0, RampShape::Linear)));
    let poisson = profiling(&["--request-rate=5", "--request-rate-ramp-duration=3", "--ramp-shape=poisson"]);
    let Pace::Rate { rate, .. } = poisson.pace else { panic!("no rate") };
    assert_eq!(rate.ramp, Some(ramp(3.0, RampShape::Poisson)));
    assert_eq!((poisson.concurrency_ramp, poisson.prefill_limit), (None, None));
}

#[test]
fn a_prefill_limit_needs_no_concurrency_where_sessions_have_no_limit_and_one_is_always_possible() {
    assert_eq!(profiling(&["--streaming", "--request-rate=5", "--prefill-concurrency=4"]).prefill_limit, Some(4));
    assert_eq!(profiling(&["--streaming", "--prefill-concurrency=1"]).prefill_limit, Some(1));
}

#[test]
fn a_fixed_schedule_sends_the_whole_file_from_its_earliest_request_on() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    for format in ["single_turn", "multi-turn"] {
        let format = format!("--custom-dataset-type={format}");
        let phase = profiling(&[&input, "--fixed-schedule", &format]);
        assert_eq!(phase.pace, Pace::FixedSchedule { zero: ScheduleZero::Earliest, ceiling: None });
        assert_eq!(phase.stop, StopConditions { whole_dataset: true, ..StopConditions::default() });
        assert_eq!(phase.grace, GracePeriod::Unlimited);
    }
    let cut = profiling(&[&input, "--fixed-schedule", "--concurrency=4", "--benchmark-duration=5"]);
    assert_eq!(cut.pace.session_limit(), Some(4));
    assert_eq!((cut.stop.duration, cut.stop.whole_dataset), (Some(Duration::from_secs(5)), true));
    assert_eq!(cut.grace, GracePeriod::Limited(Duration::from_secs(30)));
}

#[test]
fn offsets_choose_the_part_of_a_schedule_and_its_start() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    let zero_and_window = |words: &[&str]| {
        let config = with_model(&[&[&*input, "--fixed-schedule"], words].concat()).unwrap();
        let DatasetSource::File(file) = config.dataset.source else { panic!("no file") };
        let Pace::FixedSchedule { zero, .. } = config.phases.profiling().pace else { panic!("no schedule") };
        (zero, (file.window.start_ms, file.window.end_ms))
    };
    let auto = "--fixed-schedule-auto-offset";
    let (start, end) = ("--fixed-schedule-start-offset=500", "--fixed-schedule-end-offset=500");
    assert_eq!(zero_and_window(&[]), (ScheduleZero::Earliest, (None, None)));
    assert_eq!(zero_and_window(&[auto]), (ScheduleZero::Earliest, (None, None)));
    assert_eq!(zero_and_window(&[auto, end]), (ScheduleZero::Earliest, (None, Some(500.0))));
    assert_eq!(zero_and_window(&[start, end]), (ScheduleZero::At(500.0), (Some(500.0), Some(500.0))));
    let own = "--fixed-schedule-auto-offset=false";
    assert_eq!(zero_and_window(&[own]), (ScheduleZero::At(0.0), (None, None)));
    assert_eq!(zero_and_window(&[own, start]), (ScheduleZero::At(500.0), (Some(500.0), None)));
}

#[test]
fn no_fixed_schedule_keeps_the_mode_that_was_chosen() {
    assert_eq!(profiling(&["--no-fixed-schedule", "--concurrency=2"]).pace, Pace::Concurrency(2));
    assert_eq!(profiling(&["--fixed-schedule=false", "--request-count=2"]).pace, Pace::Concurrency(1));
}

#[test]
fn users_share_a_rate_and_need_data_with_turns() {
    let users = ["--user-centric-rate=4", "--num-users=8"];
    let pace = Pace::UserCentric { per_second: 4.0, users: 8, ceiling: None };
    let synthetic = profiling(&[&users[..], &["--session-turns-mean=2"]].concat());
    assert_eq!((synthetic.pace, synthetic.stop.requests), (pace.clone(), Some(40)));
    let limited = profiling(&[&users[..], &["--session-turns-mean=4", "--concurrency=3", "--num-sessions=8"]].concat());
    assert_eq!((limited.pace.session_limit(), limited.stop.requests), (Some(3), None));
    let timed =
        profiling(&["--user-centric-rate=4", "--num-users=80", "--session-turns-mean=4", "--benchmark-duration=1"]);
    assert_eq!(timed.grace, GracePeriod::Unlimited, "a turn that a user has begun is waited for");
    let (_folder, input) = input_file(&[r#"{"turns": [{"text": "a"}, {"text": "b"}]}"#]);
    for words in [&[&*input] as &[&str], &[&*input, "--custom-dataset-type=multi_turn"]] {
        assert_eq!(profiling(&[&users[..], words].concat()).pace, pace, "{words:?}");
    }
}

#[test]
fn a_file_is_sent_once_unless_something_else_stops_them() {
    let (_folder, input) = input_file(&["{}"]);
    for more in [&[][..], &["--custom-dataset-type=dag_jsonl"], &["--request-rate=5"], &["--concurrency=50"]] {
        let words = [&[&*input], more].concat();
        assert_eq!(profiling(&words).stop, StopConditions { whole_dataset: true, ..StopConditions::default() });
        let counted = profiling(&[&words[..], &["--request-count=3"]].concat());
        assert_eq!(counted.stop, StopConditions { requests: Some(3), ..StopConditions::default() });
    }
}

#[test]
fn without_a_stop_condition_the_load_that_was_asked_for_is_reached() {
    let requests = |words: &[&str]| profiling(words).stop.requests;
    assert_eq!(requests(&[]), Some(10));
    assert_eq!((requests(&["--concurrency=5"]), requests(&["--concurrency=50"])), (Some(10), Some(100)));
    assert_eq!((requests(&["--request-rate=0.5"]), requests(&["--request-rate=100"])), (Some(10), Some(1000)));
    assert_eq!(requests(&["--request-rate=inf", "--concurrency=8"]), Some(16));
    let users = ["--user-centric-rate=1", "--num-users=30", "--session-turns-mean=2"];
    assert_eq!(requests(&users), Some(60));
    let entries = |words: &[&str]| match with_model(words).unwrap().dataset.source {
        DatasetSource::Synthetic(synthetic) => synthetic.entries,
        DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => panic!("not generated"),
    };
    assert_eq!((entries(&["--concurrency=50"]), entries(&["--concurrency=80"])), (100, 160), "no prompt is sent twice");
    let (_folder, series) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":2},{"time_s":4,"qps":10}]"#);
    let stop = profiling(&[&series, "--request-rate-ramp-duration=1"]).stop;
    assert_eq!(stop, StopConditions { duration: Some(Duration::from_secs(5)), ..StopConditions::default() });
}

#[test]
fn a_count_with_a_schedule_sends_the_first_so_many() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    let stop = profiling(&[&input, "--fixed-schedule", "--request-count=3", "--num-sessions=2"]).stop;
    let (requests, sessions) = (Some(3), Some(2));
    assert_eq!(stop, StopConditions { requests, sessions, whole_dataset: true, ..StopConditions::default() });
}

#[test]
fn a_warmup_keeps_a_concurrency_or_a_rate_whatever_the_measured_phase_does() {
    let (_folder, input) = input_file(&[r#"{"text": "hi", "timestamp": 1000}"#]);
    let schedule = [&*input, "--fixed-schedule", "--warmup-request-count=3"];
    assert_eq!(warmup(&schedule).pace, Pace::Concurrency(1));
    assert_eq!(warmup(&schedule).stop, StopConditions { requests: Some(3), ..StopConditions::default() });
    assert_eq!(warmup(&[&schedule[..], &["--concurrency=4"]].concat()).pace, Pace::Concurrency(4));
    let users = ["--user-centric-rate=4", "--num-users=8", "--session-turns-mean=2", "--warmup-duration=3"];
    assert_eq!(warmup(&users).pace, Pace::Concurrency(1));
    let paced = warmup(&[&users[..], &["--warmup-request-rate=2"]].concat());
    assert_eq!(paced.pace, Pace::Rate { rate: RateCurve::constant(2.0), arrival: Arrival::Poisson, ceiling: None });
    let (_folder, series) = named_file("--request-rate-series", r#"[{"time_s":0,"qps":2},{"time_s":4,"qps":10}]"#);
    let burst = warmup(&[&series, "--request-rate-ramp-duration=1", "--warmup-request-count=3"]);
    assert_eq!(burst.pace, Pace::Concurrency(1));
}

#[test]
fn a_warmup_takes_over_limits_and_ramps_but_never_cancels() {
    let measured = [
        "--streaming",
        "--request-rate=8",
        "--concurrency=6",
        "--prefill-concurrency=3",
        "--concurrency-ramp-duration=1",
        "--prefill-concurrency-ramp-duration=2",
        "--request-rate-ramp-duration=3",
        "--request-cancellation-rate=50",
        "--warmup-request-count=5",
        "--ramp-shape=exponential",
    ];
    let shape = RampShape::Exponential;
    let same = warmup(&measured);
    assert_eq!((same.concurrency_ramp, same.prefill_ramp), (Some(ramp(1.0, shape)), Some(ramp(2.0, shape))));
    assert_eq!((same.prefill_limit, same.cancellation), (Some(3), None));
    let Pace::Rate { rate, ceiling: Some(6), .. } = same.pace else { panic!("{:?}", same.pace) };
    assert_eq!(rate, RateCurve { ramp: Some(ramp(3.0, shape)), ..RateCurve::constant(8.0) });
    let own = warmup(
        &[
            &measured[..],
            &[
                "--warmup-concurrency=2",
                "--warmup-prefill-concurrency=1",
                "--warmup-request-rate=4",
                "--warmup-concurrency-ramp-duration=4",
                "--warmup-prefill-concurrency-ramp-duration=5",
                "--warmup-request-rate-ramp-duration=6",
            ],
        ]
        .concat(),
    );
    assert_eq!((own.concurrency_ramp, own.prefill_ramp), (Some(ramp(4.0, shape)), Some(ramp(5.0, shape))));
    assert_eq!(own.prefill_limit, Some(1));
    let Pace::Rate { rate, ceiling: Some(2), .. } = own.pace else { panic!("{:?}", own.pace) };
    assert_eq!(rate, RateCurve { ramp: Some(ramp(6.0, shape)), ..RateCurve::constant(4.0) });
}

#[test]
fn cancellation_and_the_failure_threshold_reach_the_run() {
    let config = with_model(&["--request-cancellation-rate=12.5", "--failed-request-threshold=0"]).unwrap();
    assert_eq!(config.phases.profiling().cancellation, Some(Cancellation { percent: 12.5, delay: Duration::ZERO }));
    assert_eq!(config.phases.profiling().failed_request_threshold, Some(0.0));
    let late = profiling(&["--request-cancellation-rate=100", "--request-cancellation-delay=0.5"]);
    let wanted = Cancellation { percent: 100.0, delay: Duration::from_millis(500) };
    assert_eq!(late.cancellation, Some(wanted));
}

#[test]
fn generated_conversations_have_turns_and_pauses() {
    let turns = |words: &[&str]| {
        let config = with_model(words).unwrap();
        let DatasetSource::Synthetic(synthetic) = config.dataset.source else { panic!("a file") };
        (synthetic.turns, synthetic.turn_delay, config.warnings.len())
    };
    assert_eq!(turns(&[]), (Length::constant(1.0), TurnDelay::default(), 0));
    let pauses = ["--session-turn-delay-mean=50", "--session-turn-delay-stddev=5.5", "--session-delay-ratio=0"];
    let delay = TurnDelay { pause_ms: Some(Length::normal(50.0, 5.5)), ratio: 0.0 };
    let words = [&["--conversation-turn-mean=3", "--session-turns-stddev=1"], &pauses[..]].concat();
    assert_eq!(turns(&words), (Length::normal(3.0, 1.0), delay.clone(), 0));
    assert_eq!(turns(&pauses), (Length::constant(1.0), delay, 1));
    let (_folder, input) = input_file(&["{}"]);
    let config = with_model(&[&input, "--inter-turn-delay-cap-seconds=1.5"]).unwrap();
    let DatasetSource::File(file) = config.dataset.source else { panic!("no file") };
    assert_eq!(file.delay_cap_ms, Some(1500.0));
}

#[test]
fn a_probe_waits_for_the_server_only_with_a_timeout() {
    let readiness = |words: &[&str]| with_model(words).unwrap().endpoint.readiness;
    assert_eq!((readiness(&[]), readiness(&["--wait-for-model-timeout=0"])), (None, None));
    let plain = Readiness {
        timeout: Duration::from_secs(60),
        interval: Duration::from_secs(5),
        mode: ReadinessMode::Inference,
    };
    assert_eq!(readiness(&["--wait-for-model-timeout=60"]), Some(plain));
    let own = ["--wait-for-model-timeout=60", "--wait-for-model-mode=both", "--wait-for-model-interval=0.5"];
    let wanted = Readiness { interval: Duration::from_millis(500), mode: ReadinessMode::Both, ..plain };
    assert_eq!(readiness(&own), Some(wanted));
}

#[test]
fn connections_are_pooled_unless_told_otherwise() {
    let reuse = |words: &[&str]| with_model(words).unwrap().endpoint.connection_reuse;
    assert_eq!(reuse(&[]), ConnectionReuse::Pooled);
    assert_eq!(reuse(&["--connection-reuse-strategy=NEVER"]), ConnectionReuse::Never);
    let sticky = "--connection-reuse-strategy=sticky_user_sessions";
    assert_eq!(reuse(&[sticky, "--url-strategy=round-robin"]), ConnectionReuse::StickyUserSessions);
}

#[test]
fn a_server_that_is_out_of_reach_ends_the_run_after_ten_seconds_unless_told_otherwise() {
    let limit = |words: &[&str]| with_model(words).unwrap().unreachable_timeout;
    assert_eq!(limit(&[]), Some(Duration::from_secs(10)));
    assert_eq!(limit(&["--unreachable-timeout=2.5"]), Some(Duration::from_millis(2_500)));
    assert_eq!(limit(&["--unreachable-timeout=0"]), None);
    let refused = with_model(&["--unreachable-timeout=-1"]).unwrap_err().to_string();
    assert!(refused.contains("--unreachable-timeout") && refused.contains("at least 0"), "{refused}");
    let shown = with_model(&["--unreachable-timeout=0"]).unwrap().to_input_config();
    assert_eq!(shown["phases"][0]["unreachable_timeout"], 0.0);
}
