//! Each finding: what brings it about, and that a clean phase has none.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_clock::Nanos;
use aiperf_endpoint::Usage;
use aiperf_metrics::{
    ClientHealth, ClientLimit, ClientLoad, Evidence, Failure, Finding, LimitKind, LoadAxis, MaxTokensField, Metric,
    MetricContext, Observation, PhaseAccounting, Summary, Thresholds, Unit,
};
use phase::{at, avg, failed, request, streaming, summarize};

const LIMITS: Thresholds = Thresholds { usage_diff_pct: 10.0, osl_mismatch_pct: 5.0, osl_mismatch_max_tokens: 50.0 };

fn evidence(summary: &Summary) -> Evidence<'_> {
    Evidence { summary, thresholds: &LIMITS, health: None, accounting: None, certified: None, rows_left_out: 0 }
}

fn open_loop() -> MetricContext {
    MetricContext { open_loop: true, ..streaming() }
}

/// Due every 10 ms; the last ones of a hundred waited in the client and were then served as quickly as the others.
fn stalled(late: u64, by: u64) -> Vec<Observation> {
    let wait = |index: u64| if index >= 100 - late { by } else { 0 };
    let seen = |index: u64| {
        let start = 10 * index + wait(index);
        Observation { due: at(10 * index), ..request(start, &[start + 30, start + 40]) }
    };
    (0..100).map(seen).collect()
}

#[test]
fn a_clean_phase_has_nothing_to_say() {
    let accounting = PhaseAccounting { sent: 100, completed: 100, arrivals_delayed: 1, ..PhaseAccounting::default() };
    let summary = summarize(&stalled(0, 0), &open_loop());
    let health = ClientHealth::default();
    let all = Evidence { health: Some(&health), accounting: Some(&accounting), ..evidence(&summary) };
    assert_eq!(all.findings(), []);
}

#[test]
fn waiting_that_service_times_leave_out_is_found() {
    let summary = summarize(&stalled(5, 3_000), &open_loop());
    let [found @ Finding::HiddenWait { from_due, waited, served }] = evidence(&summary).findings()[..] else {
        panic!("{:?}", evidence(&summary).findings())
    };
    assert_eq!(from_due, Metric::RequestLatencyFromDue);
    assert!((served - 40.0).abs() < 1e-6 && (waited - 3_040.0).abs() < 1e-6);
    assert_eq!((found.figure(), found.unit()), (waited, Unit::Milliseconds));
    assert!((found.threshold() - 90.0).abs() < 1e-6);
    assert_eq!(evidence(&summarize(&stalled(5, 3_000), &streaming())).findings(), [], "a closed loop has no due times");
}

#[test]
fn a_wait_of_less_than_fifty_milliseconds_or_less_than_the_service_time_is_not_worth_a_word() {
    assert_eq!(evidence(&summarize(&stalled(5, 49), &open_loop())).findings(), []);
    let slow = |seen: Observation| Observation { end: seen.start + Nanos(900_000_000), ..seen };
    let mut requests: Vec<_> = stalled(5, 200).into_iter().map(slow).collect();
    for seen in &mut requests {
        seen.chunks[0].at = seen.start + Nanos(850_000_000);
        seen.chunks[1].at = seen.start + Nanos(860_000_000);
    }
    assert_eq!(evidence(&summarize(&requests, &open_loop())).findings(), []);
}

#[test]
fn long_answers_do_not_hide_a_late_first_token() {
    let mut requests = stalled(5, 600);
    for seen in &mut requests {
        seen.chunks[1].at = seen.start + Nanos(5_000_000_000);
    }
    let findings = evidence(&summarize(&requests, &open_loop())).findings();
    assert!(matches!(findings[..], [Finding::HiddenWait { from_due: Metric::TimeToFirstTokenFromDue, .. }]));
}

#[test]
fn a_replay_that_fell_behind_is_found() {
    let context = MetricContext { fixed_schedule: true, ..streaming() };
    let summary = summarize(&stalled(5, 600), &context);
    let findings = evidence(&summary).findings();
    let replay = findings.iter().find(|found| found.name() == "replay_degraded").unwrap();
    assert!((replay.figure() - 600.0).abs() < 1e-6 && (replay.threshold() - 500.0).abs() < 1e-9);
}

#[test]
fn a_ceiling_that_delays_one_in_a_hundred_or_drops_any_is_found() {
    let summary = summarize(&stalled(0, 0), &open_loop());
    let with = |delayed, dropped| {
        let accounting = PhaseAccounting {
            sent: 200 - dropped,
            arrivals_delayed: delayed,
            arrivals_dropped: dropped,
            ..PhaseAccounting::default()
        };
        Evidence { accounting: Some(&accounting), ..evidence(&summary) }.findings()
    };
    assert_eq!(with(2, 0), []);
    assert_eq!(with(3, 0), [Finding::CeilingReached { delayed: 3, dropped: 0, arrivals: 200 }]);
    assert_eq!(with(0, 1), [Finding::CeilingReached { delayed: 0, dropped: 1, arrivals: 200 }]);
    assert!((with(3, 1)[0].figure() - 2.0).abs() < 1e-9);
}

#[test]
fn every_limit_of_the_client_is_a_finding() {
    let limit = ClientLimit {
        kind: LimitKind::ProcessCpu,
        figure: 98.0,
        threshold: 90.0,
        since: Nanos(2_000_000_000),
        lasted: Nanos(1_000_000_000),
    };
    let health = ClientHealth { limits: vec![limit], ..ClientHealth::default() };
    let summary = summarize(&stalled(0, 0), &open_loop());
    let findings = Evidence { health: Some(&health), ..evidence(&summary) }.findings();
    assert_eq!(findings, [Finding::ClientSaturated(limit)]);
    assert_eq!((findings[0].figure(), findings[0].threshold(), findings[0].unit()), (98.0, 90.0, Unit::Percent));
}

#[test]
fn events_that_could_not_be_read_are_found() {
    let broken = |events| Observation { undecodable_events: events, ..request(0, &[50, 60]) };
    let summary = summarize(&[broken(2), broken(0), broken(1)], &streaming());
    let findings = evidence(&summary).findings();
    assert_eq!(findings, [Finding::EventsUndecodable { events: 3, requests: 2, of: 3 }]);
    assert_eq!((findings[0].figure(), findings[0].threshold(), findings[0].unit()), (3.0, 0.0, Unit::Count));
}

#[test]
fn lengths_and_counts_that_are_off_are_found() {
    let mut seen = request(0, &[50, 60]);
    seen.requested_output_tokens = Some(10);
    let usage = Usage { prompt_tokens: Some(12), completion_tokens: Some(2), ..Usage::default() };
    seen.usage = Some(Usage { cache_read_tokens: Some(0), ..usage });
    let summary = summarize(&[seen.clone()], &streaming());
    let names: Vec<_> = evidence(&summary).findings().iter().map(Finding::name).collect();
    assert_eq!(names, ["output_length_off", "token_counts_differ"]);

    seen.usage = Some(usage);
    let findings = evidence(&summarize(&[seen], &streaming())).findings();
    assert_eq!(findings.last(), Some(&Finding::CacheCountsMissing { requests: 1 }));
}

#[test]
fn a_refused_field_is_found_and_comes_first() {
    let refusal = Failure {
        code: Some(400),
        kind: "Bad Request".into(),
        message: "Unrecognized request argument supplied: max_completion_tokens".into(),
        cause: None,
        cancelled: None,
        is_context_overflow: false,
    };
    let refused = |start| Observation { failure: Some(refusal.clone()), ..failed(start, start + 5, "", None) };
    let summary = summarize(&[refused(0), refused(10)], &streaming());
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), Some(2.0));
    let field = MaxTokensField::MaxCompletionTokens;
    assert_eq!(evidence(&summary).findings(), [Finding::MaxTokensFieldRefused { field, requests: 2 }]);
}

#[test]
fn a_load_above_the_certified_one_is_found_and_one_below_is_not() {
    // A hundred requests in a second, two chunks each, at most five at once.
    let summary = summarize(&stalled(0, 0), &streaming());
    let reached = ClientLoad::of(&summary).unwrap();
    assert!(reached.in_flight >= 4 && reached.in_flight <= 5, "{reached:?}");
    assert!((reached.chunks_per_second / reached.requests_per_second - 2.0).abs() < 1e-9, "{reached:?}");
    let found = |certified: ClientLoad| Evidence { certified: Some(certified), ..evidence(&summary) }.findings();
    assert_eq!(found(reached), []);
    let less = ClientLoad { in_flight: 2, ..reached };
    let [finding @ Finding::BeyondCertified { axis, .. }] = found(less)[..] else { panic!("{:?}", found(less)) };
    assert_eq!((axis, finding.subject()), (LoadAxis::InFlight, Some("in_flight")));
    assert_eq!((finding.figure(), finding.threshold()), (reached.in_flight as f64, 2.0));
    let slower = ClientLoad { chunks_per_second: reached.chunks_per_second / 2.0, ..reached };
    assert_eq!(found(slower)[0].unit(), Unit::ChunksPerSecond);
}

#[test]
fn rows_that_are_not_part_of_the_run_are_owned_up_to() {
    let summary = summarize(&[request(0, &[5])], &streaming());
    assert!(!evidence(&summary).findings().iter().any(|found| found.name() == "rows_left_out"));
    let findings = Evidence { rows_left_out: 3, ..evidence(&summary) }.findings();
    let found = findings.last().unwrap();
    assert_eq!((found.name(), found.figure(), found.threshold()), ("rows_left_out", 3.0, 0.0));
}
