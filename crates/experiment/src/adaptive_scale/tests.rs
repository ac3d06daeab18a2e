//! The rise without sockets: verdicts in, steps out; windows of requests against limits.

use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{
    AdaptiveScale, Arrival, ControlVariable, LoadLevel, Pace, RateCurve, SlaFilter, SlaOp, StepPolicy,
};
use aiperf_metrics::MetricContext;
use aiperf_protocol::{EndpointKind, RequestOutcome};
use proptest::prelude::*;

use super::lever::Lever;
use super::limit::{LimitCheck, Limits};
use super::ramp::{NextStep, RampEnding, RampStage, ScaleRamp, WindowVerdict};
use super::window::Window;
use crate::watch::live::LiveSample;
use crate::watch::load_control::LoadDecision;

fn limit(metric: &str, stat: &str, op: SlaOp, threshold: f64) -> SlaFilter {
    SlaFilter { metric: metric.to_owned(), stat: stat.to_owned(), op, threshold }
}

fn plan(step: StepPolicy, min: f64, max: f64) -> AdaptiveScale {
    AdaptiveScale {
        variable: ControlVariable::Concurrency,
        min,
        max,
        window: Duration::from_secs(2),
        min_completed: 5,
        sustain: Duration::from_secs(6),
        step,
        limits: vec![limit("request_latency", "p95", SlaOp::Le, 200.0)],
    }
}

const MARGIN: StepPolicy = StepPolicy::SlaMargin { base: 2.0, max_multiplier: 4 };

/// Windows at a server with a p95 of this many milliseconds for each value, until the phase ends.
fn values(plan: &AdaptiveScale, p95: impl Fn(f64) -> f64) -> (Vec<f64>, ScaleRamp) {
    let mut ramp = ScaleRamp::new(plan);
    let mut assessed = Vec::new();
    let mut held = Duration::ZERO;
    while ramp.stage != RampStage::Complete {
        assert!(assessed.len() < 10_000, "it never ends");
        assessed.push(ramp.value);
        if ramp.stage == RampStage::Sustain {
            held += plan.window;
        }
        let found = p95(ramp.value);
        let bound = plan.limits[0].threshold;
        let verdict = if found <= bound {
            WindowVerdict::Kept { margin: (bound - found) / bound }
        } else {
            WindowVerdict::Broken
        };
        ramp.assess(verdict, held);
    }
    (assessed, ramp)
}

#[test]
fn a_value_is_raised_until_a_limit_breaks_and_the_last_good_one_is_held() {
    // The values of a run of AIPerf 0.13 with the same settings, against a server with eight slots.
    let (assessed, ramp) = values(&plan(MARGIN, 1.0, 40.0), |value| if value > 13.0 { 211.0 } else { 117.0 });
    assert_eq!(assessed, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 13.0, 13.0, 13.0]);
    assert_eq!((ramp.boundary(), ramp.first_failing), (Some(13.0), Some(15.0)));
    assert_eq!((ramp.ending, ramp.sustain_windows, ramp.sustain_passed), (Some(RampEnding::Sustained), 3, 3));
}

#[test]
fn steps_are_larger_far_from_the_limit() {
    // Also as AIPerf: three times the smallest step from three quarters of the way on.
    let (assessed, ramp) = values(&plan(MARGIN, 1.0, 40.0), |value| 1.2 * value);
    assert_eq!(assessed, [1.0, 7.0, 13.0, 19.0, 25.0, 31.0, 37.0, 40.0]);
    assert_eq!((ramp.ending, ramp.boundary()), (Some(RampEnding::MaxKept), None));
}

#[test]
fn a_step_in_percent_is_rounded_up() {
    let percent = plan(StepPolicy::FixedPercent(50.0), 1.0, 40.0);
    let (assessed, _) = values(&percent, |value| if value > 12.0 { 300.0 } else { 100.0 });
    assert_eq!(assessed[..8], [1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 12.0]);
    let rate = AdaptiveScale { variable: ControlVariable::RequestRate, ..percent };
    let (assessed, _) = values(&rate, |value| if value > 2.0 { 300.0 } else { 100.0 });
    assert_eq!(assessed[..4], [1.0, 1.5, 2.25, 1.5]);
}

#[test]
fn a_first_value_that_breaks_a_limit_ends_the_phase() {
    let (assessed, ramp) = values(&plan(MARGIN, 4.0, 40.0), |_| 900.0);
    assert_eq!((assessed, ramp.ending), (vec![4.0], Some(RampEnding::NothingSustainable)));
    assert_eq!((ramp.last_passing, ramp.first_failing), (None, Some(4.0)));
}

#[test]
fn windows_that_break_a_limit_while_a_value_is_held_are_counted() {
    let mut ramp = ScaleRamp::new(&plan(MARGIN, 1.0, 40.0));
    ramp.assess(WindowVerdict::Kept { margin: 0.1 }, Duration::ZERO);
    assert_eq!(ramp.assess(WindowVerdict::Broken, Duration::ZERO), NextStep::Hold { at: 1.0 });
    assert_eq!(ramp.assess(WindowVerdict::Broken, Duration::from_secs(2)), NextStep::KeepHolding);
    assert_eq!(ramp.assess(WindowVerdict::Inconclusive, Duration::from_secs(4)), NextStep::Extend);
    let end = ramp.assess(WindowVerdict::Kept { margin: 0.1 }, Duration::from_secs(6));
    assert_eq!((end, ramp.sustain_windows, ramp.sustain_passed), (NextStep::End(RampEnding::Sustained), 2, 1));
}

proptest! {
    /// Whatever the limit of the server: values rise, stay within the range, and the one that is held is the last that was good.
    #[test]
    fn the_boundary_is_the_last_value_below_the_capacity(
        capacity in 0.5_f64..500.0,
        base in 1_u32..30,
        most in 1_u32..8,
        min in 1_u32..20,
        span in 1_u32..400,
    ) {
        let step = StepPolicy::SlaMargin { base: base.into(), max_multiplier: most };
        let plan = plan(step, min.into(), f64::from(min + span));
        let (assessed, ramp) = values(&plan, |value| 200.0 * value / capacity);
        let risen = assessed.iter().take_while(|value| **value <= capacity).count();
        prop_assert!(assessed[..risen].windows(2).all(|pair| pair[1] > pair[0]));
        prop_assert!(assessed.iter().all(|value| (plan.min..=plan.max).contains(value)));
        match ramp.ending {
            Some(RampEnding::Sustained) => {
                let (good, bad) = (ramp.last_passing.unwrap(), ramp.first_failing.unwrap());
                prop_assert!(good <= capacity && capacity < bad);
                prop_assert!(bad - good <= f64::from(base * most));
            }
            Some(RampEnding::NothingSustainable) => prop_assert!(plan.min > capacity),
            Some(RampEnding::MaxKept) => prop_assert!(plan.max <= capacity),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

fn context() -> MetricContext {
    MetricContext::new(EndpointKind::Chat, true)
}

fn at(millis: u64) -> Mono {
    Mono::from_nanos(millis * 1_000_000)
}

/// A request that was due and ended at these times, with its latency, first token and gap in milliseconds.
fn request(due: u64, end: u64, outcome: RequestOutcome) -> LiveSample {
    let latency = (end - due) as f64 * 1e6;
    let values = vec![Some(latency), Some(latency / 2.0), Some(1e6)];
    LiveSample { due: at(due), start: at(due), end: at(end), outcome, values }
}

fn checks(limits: &[SlaFilter], samples: &[LiveSample]) -> (WindowVerdict, Vec<LimitCheck>) {
    let limits = Limits::new(limits, &context()).unwrap();
    let window = Window::new(at(1_000), Nanos(1_000_000_000), at(1_000));
    let assessed = window.assess(samples, &limits, 2);
    (assessed.verdict, assessed.checks)
}

#[test]
fn a_window_is_about_requests_that_were_sent_under_its_load() {
    let success = RequestOutcome::Success;
    let samples = [
        // Sent under the load before, and three times as slow.
        request(900, 1_800, success),
        request(1_000, 1_300, success),
        request(1_300, 1_600, success),
        // Ends after the window.
        request(1_600, 2_100, success),
    ];
    let limits = [limit("ttft", "max", SlaOp::Lt, 200.0), limit("request_throughput", "avg", SlaOp::Ge, 3.0)];
    let (verdict, checks) = checks(&limits, &samples);
    assert_eq!(checks[0].value, Some(150.0));
    // The rate counts all that ended in the window.
    assert_eq!((checks[1].value, checks[1].margin), (Some(3.0), 0.0));
    assert_eq!(verdict, WindowVerdict::Kept { margin: 0.0 });
}

#[test]
fn shares_count_failed_and_cancelled_requests() {
    let samples = [
        request(1_000, 1_100, RequestOutcome::Success),
        request(1_000, 1_100, RequestOutcome::Failed),
        request(1_000, 1_100, RequestOutcome::CancelledOnPurpose),
        request(1_000, 1_100, RequestOutcome::ServerNotReady),
        // In flight when the run ended: it says nothing.
        request(1_000, 1_100, RequestOutcome::CutOff),
    ];
    let limits = ["success_rate", "error_rate", "request_error_rate", "cancellation_rate"]
        .map(|metric| limit(metric, "avg", SlaOp::Ge, 0.0));
    let (_, checks) = checks(&limits, &samples);
    let values: Vec<f64> = checks.iter().map(|check| check.value.unwrap()).collect();
    assert_eq!(values, [0.25, 0.5, 50.0, 0.25]);
}

#[test]
fn too_few_responses_decide_nothing_and_no_value_keeps_no_limit() {
    let one = [request(1_000, 1_100, RequestOutcome::Success)];
    let latency = [limit("latency", "p95", SlaOp::Le, 200.0)];
    assert_eq!(checks(&latency, &one).0, WindowVerdict::Inconclusive);
    let failed = [request(1_000, 1_100, RequestOutcome::Failed), request(1_000, 1_100, RequestOutcome::Failed)];
    assert_eq!(checks(&latency, &failed).0, WindowVerdict::Broken);
}

#[test]
fn limits_that_no_window_has_are_refused_by_name() {
    let refused = |metric: &str, stat: &str| {
        Limits::new(&[limit(metric, stat, SlaOp::Le, 1.0)], &context()).unwrap_err().to_string()
    };
    assert!(refused("request_latencie", "p95").contains("request_latency"));
    assert!(refused("request_throughput", "p95").contains("use avg"));
    assert!(refused("goodput", "avg").contains("--goodput"));
    let without_stream = MetricContext::new(EndpointKind::Chat, false);
    let ttft = [limit("time_to_first_token", "p95", SlaOp::Le, 1.0)];
    assert!(Limits::new(&ttft, &without_stream).unwrap_err().to_string().contains("streaming"));
}

#[test]
fn each_variable_changes_its_part_of_the_load_and_no_other() {
    let rate = Pace::Rate { rate: RateCurve::constant(50.0), arrival: Arrival::Constant, ceiling: Some(9) };
    let users = Pace::UserCentric { per_second: 4.0, users: 8, ceiling: None };
    let level = |per_second, ceiling| LoadLevel::Rate { per_second, arrival: Arrival::Constant, ceiling };
    let paced = |users, ceiling| LoadLevel::PacedUsers { users, per_second: 4.0, ceiling };
    let set = LoadDecision::Set;
    let cases = [
        (Pace::Concurrency(20), ControlVariable::Concurrency, LoadLevel::Users(2), set(LoadLevel::Users(3))),
        (rate.clone(), ControlVariable::Concurrency, level(50.0, Some(2)), set(level(50.0, Some(3)))),
        (rate.clone(), ControlVariable::RequestRate, level(2.0, Some(9)), set(level(3.0, Some(9)))),
        (rate, ControlVariable::PrefillConcurrency, level(50.0, Some(9)), LoadDecision::SetPrefillLimit(3)),
        (users.clone(), ControlVariable::Users, paced(2, None), set(paced(3, None))),
        (users, ControlVariable::Concurrency, paced(8, Some(2)), set(paced(8, Some(3)))),
    ];
    for (pace, variable, first, next) in cases {
        let (lever, begins) = Lever::of(&pace, variable, 2.0).unwrap();
        assert_eq!((begins, lever.decision(3.0)), (first, next), "{variable:?} of {pace:?}");
    }
    assert_eq!(Lever::of(&Pace::Concurrency(2), ControlVariable::RequestRate, 2.0), None);
}
