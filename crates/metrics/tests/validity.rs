//! Each validity note: what brings it about, and that a clean phase has none.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_clock::Nanos;
use aiperf_metrics::{
    AskedConcurrency, ClientHealth, ClientLimit, ClientLoad, Evidence, Failure, GapCause, HttpTiming, LateReads,
    LimitKind, LoadAxis, LostRecords, MaxTokensField, Metric, MetricContext, Observation, Percentile, PhaseAccounting,
    RequestOutcome, ServerClaims, Severity, Summary, Thresholds, TokenCounts, Unit, Unreached, ValidityCode,
    ValidityNote,
};
use aiperf_protocol::{Delivery, Usage};
use phase::{at, avg, failed, request, summarize};

const LIMITS: Thresholds = Thresholds { usage_diff_pct: 10.0, osl_mismatch_pct: 5.0, osl_mismatch_max_tokens: 50.0 };

fn evidence(summary: &Summary) -> Evidence<'_> {
    Evidence {
        summary,
        warmup: None,
        thresholds: &LIMITS,
        health: None,
        accounting: None,
        certified: None,
        lost: LostRecords::default(),
        rows_left_out: 0,
        prefixes_repeat: false,
        clock_step: Nanos::ZERO,
        user_timestamps: 0,
        waited_for_server: Nanos::ZERO,
        was_stopped: false,
        late_reads: LateReads::default(),
        server: None,
    }
}

/// Without intervals: a handful of requests has too few samples, which only the tests about them want to hear of.
fn streaming() -> MetricContext {
    MetricContext { confidence: None, ..phase::streaming() }
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
    assert_eq!(all.notes(), []);
}

#[test]
fn waiting_that_service_times_leave_out_is_found() {
    let summary = summarize(&stalled(4, 3_000), &open_loop());
    let [found @ ValidityNote::HiddenWait { from_due, waited, served }] = evidence(&summary).notes()[..] else {
        panic!("{:?}", evidence(&summary).notes())
    };
    assert_eq!(from_due, Metric::RequestLatencyFromDue);
    assert!((served - 40.0).abs() < 1e-6 && (waited - 3_040.0).abs() < 1e-6);
    assert_eq!((found.figure(), found.unit()), (waited, Unit::Milliseconds));
    assert!((found.threshold() - 90.0).abs() < 1e-6);
    assert_eq!(evidence(&summarize(&stalled(4, 3_000), &streaming())).notes(), [], "a closed loop has no due times");
}

#[test]
fn a_wait_of_less_than_fifty_milliseconds_or_less_than_the_service_time_is_not_worth_a_word() {
    assert_eq!(evidence(&summarize(&stalled(4, 49), &open_loop())).notes(), []);
    let slow = |seen: Observation| Observation { end: seen.start + Nanos(900_000_000), ..seen };
    let mut requests: Vec<_> = stalled(4, 200).into_iter().map(slow).collect();
    for seen in &mut requests {
        seen.chunks[0].at = seen.start + Nanos(850_000_000);
        seen.chunks[1].at = seen.start + Nanos(860_000_000);
    }
    assert_eq!(evidence(&summarize(&requests, &open_loop())).notes(), []);
}

#[test]
fn long_answers_do_not_hide_a_late_first_token() {
    let mut requests = stalled(4, 600);
    for seen in &mut requests {
        seen.chunks[1].at = seen.start + Nanos(5_000_000_000);
    }
    let notes = evidence(&summarize(&requests, &open_loop())).notes();
    assert!(matches!(notes[..], [ValidityNote::HiddenWait { from_due: Metric::TimeToFirstTokenFromDue, .. }]));
}

#[test]
fn a_replay_that_fell_behind_is_found() {
    let context = MetricContext { fixed_schedule: true, ..streaming() };
    let summary = summarize(&stalled(4, 600), &context);
    let notes = evidence(&summary).notes();
    let replay = notes.iter().find(|found| found.code().name() == "replay_degraded").unwrap();
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
        Evidence { accounting: Some(&accounting), ..evidence(&summary) }.notes()
    };
    assert_eq!(with(2, 0), []);
    assert_eq!(with(3, 0), [ValidityNote::CeilingReached { delayed: 3, dropped: 0, arrivals: 200 }]);
    assert_eq!(with(0, 1), [ValidityNote::CeilingReached { delayed: 0, dropped: 1, arrivals: 200 }]);
    assert!((with(3, 1)[0].figure() - 2.0).abs() < 1e-9);
}

#[test]
fn every_limit_of_the_client_is_a_note() {
    let limit = ClientLimit {
        kind: LimitKind::ProcessCpu,
        figure: 98.0,
        threshold: 90.0,
        since: Nanos(2_000_000_000),
        lasted: Nanos(1_000_000_000),
        stolen: None,
    };
    let health = ClientHealth { limits: vec![limit], ..ClientHealth::default() };
    let summary = summarize(&stalled(0, 0), &open_loop());
    let notes = Evidence { health: Some(&health), ..evidence(&summary) }.notes();
    assert_eq!(notes, [ValidityNote::ClientSaturated(limit)]);
    assert_eq!((notes[0].figure(), notes[0].threshold(), notes[0].unit()), (98.0, 90.0, Unit::Percent));
}

#[test]
fn events_that_could_not_be_read_are_found() {
    let broken = |events| Observation { undecodable_events: events, ..request(0, &[50, 60]) };
    let summary = summarize(&[broken(2), broken(0), broken(1)], &streaming());
    let notes = evidence(&summary).notes();
    assert_eq!(notes, [ValidityNote::EventsUndecodable { events: 3, requests: 2, of: 3 }]);
    assert_eq!((notes[0].figure(), notes[0].threshold(), notes[0].unit()), (3.0, 0.0, Unit::Count));
}

#[test]
fn responses_that_were_not_streamed_are_found() {
    let whole = |start| Observation { delivery: Delivery::Document, ..request(start, &[start + 60]) };
    let seen = [whole(0), request(100, &[150, 160]), whole(200)];
    let summary = summarize(&seen, &streaming());
    let notes = evidence(&summary).notes();
    assert_eq!(notes, [ValidityNote::NotStreamed { requests: 2, of: 3 }]);
    assert_eq!(notes[0].severity(), Severity::Warning);
    let count = |metric| summary.get(metric).and_then(|stats| stats.count);
    assert_eq!((count(Metric::TimeToFirstToken), count(Metric::RequestLatency)), (Some(1), Some(3)));
    assert_eq!((count(Metric::InterTokenLatency), count(Metric::TimeToFirstOutputToken)), (Some(1), Some(1)));
    let plain = MetricContext { streaming: false, ..streaming() };
    assert_eq!(evidence(&summarize(&seen, &plain)).notes(), [], "nobody asked for a stream");
}

#[test]
fn server_counts_that_are_missing_are_found() {
    let without = |start| Observation { tokens: TokenCounts::default(), ..request(start, &[start + 50, start + 60]) };
    let seen = [without(0), request(100, &[150, 160])];
    let server = MetricContext { server_token_count: true, ..streaming() };
    let notes = evidence(&summarize(&seen, &server)).notes();
    assert_eq!(notes, [ValidityNote::ServerCountsMissing { requests: 1, of: 2 }]);
    assert_eq!((notes[0].figure(), notes[0].threshold(), notes[0].unit()), (50.0, 0.0, Unit::Percent));
    assert_eq!(evidence(&summarize(&seen, &streaming())).notes(), [], "the client counts");
}

#[test]
fn lengths_and_counts_that_are_off_are_found() {
    let mut seen = request(0, &[50, 60]);
    seen.requested_output_tokens = Some(10);
    let usage = Usage { prompt_tokens: Some(12), completion_tokens: Some(2), ..Usage::default() };
    seen.usage = Some(Usage { cache_read_tokens: Some(0), ..usage });
    let summary = summarize(&[seen.clone()], &streaming());
    let names: Vec<_> = evidence(&summary).notes().iter().map(|note| note.code().name()).collect();
    assert_eq!(names, ["output_length_off", "token_counts_differ"]);

    seen.usage = Some(usage);
    let summary = summarize(&[seen], &streaming());
    let found = |prefixes_repeat| Evidence { prefixes_repeat, ..evidence(&summary) }.notes().last().copied();
    assert_eq!(found(true), Some(ValidityNote::CacheCountsMissing { requests: 1 }));
    assert_ne!(found(false), found(true), "without a prefix there is nothing to find in a cache");
}

#[test]
fn a_refused_field_is_found_and_comes_first() {
    let message = "Unrecognized request argument supplied: max_completion_tokens";
    let refusal = Failure::new(Some(400), "Bad Request".into(), message);
    let refused = |start| Observation { failure: Some(refusal.clone()), ..failed(start, start + 5, "", None) };
    let summary = summarize(&[refused(0), refused(10)], &streaming());
    assert_eq!(avg(&summary, Metric::ErrorRequestCount), Some(2.0));
    let field = MaxTokensField::MaxCompletionTokens;
    let errors = ValidityNote::ErrorShare { failed: 2, of: 2 };
    assert_eq!(evidence(&summary).notes(), [ValidityNote::MaxTokensFieldRefused { field, requests: 2 }, errors]);
}

#[test]
fn a_load_above_the_certified_one_is_found_and_one_below_is_not() {
    // A hundred requests in a second, two chunks each, at most five at once.
    let summary = summarize(&stalled(0, 0), &streaming());
    let reached = ClientLoad::of(&summary).unwrap();
    assert!(reached.in_flight >= 4 && reached.in_flight <= 5, "{reached:?}");
    assert!((reached.chunks_per_second / reached.requests_per_second - 2.0).abs() < 1e-9, "{reached:?}");
    let found = |certified: ClientLoad| Evidence { certified: Some(certified), ..evidence(&summary) }.notes();
    assert_eq!(found(reached), []);
    let less = ClientLoad { in_flight: 2, ..reached };
    let [finding @ ValidityNote::BeyondCertified { axis, .. }] = found(less)[..] else { panic!("{:?}", found(less)) };
    assert_eq!((axis, finding.subject()), (LoadAxis::InFlight, Some("in_flight")));
    assert_eq!((finding.figure(), finding.threshold()), (reached.in_flight as f64, 2.0));
    let slower = ClientLoad { chunks_per_second: reached.chunks_per_second / 2.0, ..reached };
    assert_eq!(found(slower)[0].unit(), Unit::ChunksPerSecond);
}

#[test]
fn rows_that_are_not_part_of_the_run_are_owned_up_to() {
    let summary = summarize(&[request(0, &[5])], &streaming());
    assert!(!evidence(&summary).notes().iter().any(|found| found.code().name() == "rows_left_out"));
    let notes = Evidence { rows_left_out: 3, ..evidence(&summary) }.notes();
    let found = notes.last().unwrap();
    assert_eq!((found.code().name(), found.figure(), found.threshold()), ("rows_left_out", 3.0, 0.0));
}

fn codes(evidence: &Evidence<'_>) -> Vec<ValidityCode> {
    evidence.notes().iter().map(ValidityNote::code).collect()
}

#[test]
fn lost_records_are_a_warning_whether_or_not_the_numbers_cover_them() {
    let summary = summarize(&[request(0, &[5])], &streaming());
    assert!(!evidence(&summary).notes().iter().any(|found| found.code() == ValidityCode::RecordsLost));
    for are_counted in [true, false] {
        let notes = Evidence { lost: LostRecords { count: 3, are_counted }, ..evidence(&summary) }.notes();
        let found = notes.iter().find(|found| found.code() == ValidityCode::RecordsLost).unwrap();
        assert_eq!((found.severity(), found.figure(), found.unit()), (Severity::Warning, 3.0, Unit::Requests));
        assert_eq!(found.code().name(), "records_lost");
    }
}

#[test]
fn a_rate_that_was_not_kept_is_found_and_one_that_was_late_as_a_whole_is_not() {
    let sent = |lag: fn(u64) -> u64| -> Vec<Observation> {
        let seen = |index: u64| {
            let start = 10 * index + lag(index);
            Observation { due: at(10 * index), ..request(start, &[start + 3_000]) }
        };
        (0..100).map(seen).collect()
    };
    let summary = summarize(&sent(|index| 10 * index), &open_loop());
    let note = evidence(&summary).notes()[0];
    assert_eq!((note.code(), note.unit(), note.threshold()), (ValidityCode::RateShortfall, Unit::Percent, 5.0));
    assert!((note.figure() - 50.0).abs() < 1.0, "{note:?}: half the rate");
    assert_eq!(codes(&evidence(&summarize(&sent(|_| 900), &open_loop()))), []);
    assert_eq!(
        codes(&evidence(&summarize(&sent(|index| 10 * index), &streaming()))),
        [],
        "a closed loop asks for no rate"
    );
}

#[test]
fn requests_that_waited_for_a_connection_are_found() {
    let waited = |millis: u64| {
        let http = HttpTiming { blocked: Nanos(millis * 1_000_000), ..HttpTiming::default() };
        Observation { http: Some(http), ..request(0, &[50, 60]) }
    };
    let summary = summarize(&[waited(0), waited(30)], &streaming());
    assert_eq!(evidence(&summary).notes(), [ValidityNote::ConnectionsExhausted { waited: 1, of: 2 }]);
    assert_eq!(evidence(&summarize(&[waited(0), waited(1)], &streaming())).notes(), []);
}

#[test]
fn a_resent_request_is_noted_and_more_than_one_in_a_hundred_is_a_warning() {
    let with = |resent: u32, of: u64| {
        let mut all: Vec<Observation> = (0..of).map(|index| request(index, &[index + 50, index + 60])).collect();
        all[0].resent = resent;
        summarize(&all, &streaming())
    };
    let found = |summary: &Summary| {
        let notes = evidence(summary).notes();
        notes.into_iter().find(|note| note.code() == ValidityCode::RequestsResent).map(|note| note.severity())
    };
    assert_eq!(found(&with(0, 200)), None);
    assert_eq!(found(&with(2, 200)), Some(Severity::Info));
    assert_eq!(found(&with(3, 200)), Some(Severity::Warning));
}

#[test]
fn time_in_flight_that_no_latency_tells_of_is_a_gap_in_littles_law() {
    let cut = |start| failed(start, start + 500, "the run is over", Some(RequestOutcome::CutOff));
    let summary = summarize(&[request(0, &[500]), cut(0)], &streaming());
    let note = evidence(&summary).notes()[0];
    assert_eq!(note.code(), ValidityCode::LittlesLawGap);
    assert!((note.figure() - 50.0).abs() < 0.2 && (note.threshold() - 10.0).abs() < 1e-9, "{note:?}");
    let ValidityNote::LittlesLawGap { in_flight, per_second, latency_seconds, cause } = note else {
        panic!("{note:?}")
    };
    assert_eq!(cause, GapCause::CutOff);
    assert!((in_flight - 1.001).abs() < 1e-9 && (per_second * latency_seconds - 0.5).abs() < 1e-9, "{note:?}");
    assert_eq!(evidence(&summarize(&[request(0, &[500]), request(0, &[500])], &streaming())).notes(), []);
}

/// The first ones take this many milliseconds to their first content, the others 40.
fn warming_up(first: u64, took: u64) -> Vec<Observation> {
    let seen = |index: u64| {
        let (start, took) = (100 * index, if index < first { took } else { 40 });
        request(start, &[start + took, start + took + 10])
    };
    (0..100).map(seen).collect()
}

#[test]
fn slow_first_requests_are_found_unless_there_was_a_warmup() {
    let context = MetricContext { concurrency: Some(4), ..streaming() };
    let summary = summarize(&warming_up(4, 900), &context);
    let note = ValidityNote::WarmupMissing { requests: 4, first: 900.0, later: 40.0 };
    assert_eq!(evidence(&summary).notes(), [note]);
    assert_eq!((note.unit(), note.severity()), (Unit::Ratio, Severity::Warning));
    assert_eq!(Evidence { warmup: Some(&summary), ..evidence(&summary) }.notes(), []);
    assert_eq!(evidence(&summarize(&warming_up(4, 110), &context)).notes(), [], "not by much");
    assert_eq!(evidence(&summarize(&warming_up(1, 900), &context)).notes(), [], "one of the first wave is no wave");
}

#[test]
fn events_that_carry_several_tokens_are_found() {
    let mut seen = request(0, &[50, 60, 70]);
    assert_eq!(evidence(&summarize(&[seen.clone()], &streaming())).notes(), []);
    seen.tokens.output = Some(12);
    let note = ValidityNote::ChunksWithSeveralTokens { tokens: 12, chunks: 3 };
    assert_eq!(evidence(&summarize(&[seen.clone()], &streaming())).notes(), [note]);
    assert!((note.figure() - 4.0).abs() < 1e-9 && (note.threshold() - 1.25).abs() < 1e-9);
    seen.usage = Some(Usage { completion_tokens: Some(3), ..Usage::default() });
    let codes = codes(&evidence(&summarize(&[seen], &streaming())));
    assert!(!codes.contains(&ValidityCode::ChunksWithSeveralTokens), "the server knows what it sent");
}

#[test]
fn failures_are_found_but_not_those_on_purpose() {
    let with = |requests: &[Observation]| evidence(&summarize(requests, &streaming())).notes();
    let fine = request(0, &[50, 60]);
    let broken = failed(0, 5, "broken", None);
    assert_eq!(with(&[fine.clone(), broken]), [ValidityNote::ErrorShare { failed: 1, of: 2 }]);
    assert_eq!(with(&[fine, failed(0, 5, "", Some(RequestOutcome::CancelledOnPurpose))]), []);
}

#[test]
fn a_server_that_came_late_is_told_from_one_that_was_busy() {
    let refused = |start, code: Option<u16>, kind: &str| {
        let failure = Failure::new(code, kind.into(), "no");
        Observation { failure: Some(failure), ..failed(start, start + 5, "", None) }
    };
    let found = |requests: &[Observation]| codes(&evidence(&summarize(requests, &streaming())));
    let late =
        [refused(0, None, "ClientConnectorError"), refused(10, Some(503), "Service Unavailable"), request(20, &[50])];
    assert_eq!(found(&late), [ValidityCode::ServerNotReady, ValidityCode::ErrorShare]);
    let busy = [request(0, &[50]), refused(0, Some(503), "Service Unavailable")];
    assert_eq!(found(&busy), [ValidityCode::ErrorShare]);
    let broken = [refused(0, Some(500), "Internal Server Error"), request(20, &[50])];
    assert_eq!(found(&broken), [ValidityCode::ErrorShare]);
    assert_eq!(found(&late[..2]), [ValidityCode::ErrorShare], "it never came");

    let (warmup, clean) = (summarize(&late, &streaming()), summarize(&[request(0, &[50])], &streaming()));
    let of_warmup = Evidence { warmup: Some(&warmup), ..evidence(&clean) }.notes();
    assert_eq!(of_warmup, [ValidityNote::ServerNotReady { requests: 2 }]);
    let waited = Nanos(4_000_000_000);
    let notes = Evidence { waited_for_server: waited, ..evidence(&clean) }.notes();
    assert_eq!(notes, [ValidityNote::ServerWaitedFor { waited }]);
    assert_eq!((notes[0].severity(), notes[0].figure(), notes[0].unit()), (Severity::Info, 4.0, Unit::Seconds));
}

#[test]
fn a_system_that_stamps_no_read_is_noted() {
    let summary = summarize(&[request(0, &[50])], &streaming());
    let notes = Evidence { user_timestamps: 12, ..evidence(&summary) }.notes();
    assert_eq!(notes, [ValidityNote::UserTimestamps { reads: 12 }]);
    assert_eq!((notes[0].severity(), notes[0].figure()), (Severity::Info, 12.0));
}

#[test]
fn a_clock_that_was_set_by_more_than_a_millisecond_is_found() {
    let summary = summarize(&[request(0, &[50])], &streaming());
    let with = |clock_step| Evidence { clock_step, ..evidence(&summary) }.notes();
    assert_eq!(with(Nanos(1_000_000)), []);
    let step = Nanos(3_000_000_000);
    assert_eq!(with(step), [ValidityNote::ClockStepped { step }]);
    assert_eq!((with(step)[0].figure(), with(step)[0].unit()), (3_000.0, Unit::Milliseconds));
}

#[test]
fn servers_that_count_other_tokens_than_the_client_are_found() {
    let summary = summarize(&[request(0, &[50]), request(100, &[150])], &streaming());
    let client = avg(&summary, Metric::TotalOsl).unwrap();
    let with = |tokens: f64, first_token: Option<f64>| {
        let claims = ServerClaims { generation_tokens: Some(tokens), time_to_first_token: first_token };
        Evidence { server: Some(claims), ..evidence(&summary) }.notes()
    };
    assert_eq!(with(client, Some(50.0)), []);
    let note = ValidityNote::ServerTokensDiffer { server: 100, client: client as u64, allowed_percent: 10.0 };
    assert_eq!(with(100.0, None), [note]);
    let first_token = ValidityNote::ServerFirstTokenDiffers { server: 20.0, client: 50.0 };
    assert_eq!(with(client, Some(20.0)), [first_token]);
    assert_eq!((first_token.severity(), first_token.figure()), (Severity::Info, 60.0));
}

#[test]
fn prompts_of_another_length_than_asked_for_are_found() {
    let sent = |asked| Observation { requested_input_tokens: Some(asked), ..request(0, &[50]) };
    let summary = summarize(&[sent(8), sent(10)], &streaming());
    let note = ValidityNote::InputLengthOff { requests: 1, of: 2, average_percent: -10.0, allowed_percent: 10.0 };
    assert_eq!(evidence(&summary).notes(), [note]);
    assert_eq!(evidence(&summarize(&[sent(8), request(0, &[50])], &streaming())).notes(), []);
}

/// One after the other, each as long as it says.
fn in_turn(latencies: impl Iterator<Item = u64>) -> Vec<Observation> {
    let mut start = 0;
    let seen = |latency: u64| {
        let seen = request(start, &[start + latency]);
        start += latency + 1;
        seen
    };
    latencies.map(seen).collect()
}

#[test]
fn percentiles_of_too_few_samples_are_found_and_do_not_cast_doubt_on_the_run() {
    let steady = |count: u64| in_turn((0..count).map(|index| 40 + index * 7_919 % 23));
    let summary = summarize(&steady(60), &phase::streaming());
    let [note @ ValidityNote::SampleFloor { from, samples, needed }] = evidence(&summary).notes()[..] else {
        panic!("{:?}", evidence(&summary).notes())
    };
    assert_eq!((from, needed, note.severity()), (Percentile::P95, 368, Severity::Info));
    assert!(samples <= 60, "{note:?}");
    let many = summarize(&steady(2_000), &phase::streaming());
    assert_eq!(evidence(&many).notes(), [], "neither too few samples nor a drift");
    assert!(many.steady.is_some_and(|steady| steady.outcome.is_ok()));
}

#[test]
fn a_run_that_drifts_to_its_end_is_found() {
    let context = phase::streaming();
    let drifting = summarize(&in_turn((0..600).map(|index| 40 + index / 3 + index * 7_919 % 5)), &context);
    let notes = evidence(&drifting).notes();
    let drift = notes.iter().find(|note| note.code() == ValidityCode::NonStationary).unwrap();
    assert!(drift.figure() > drift.threshold() && drift.subject().is_some(), "{drift:?}");
    assert_eq!((drift.unit(), drift.severity()), (Unit::Percent, Severity::Warning));
    let short = summarize(&in_turn((0..60).map(|index| 40 + 10 * index)), &context);
    assert_eq!(codes(&evidence(&short)), [ValidityCode::SampleFloor], "too short to tell");
}

#[test]
fn first_tokens_and_chunks_that_were_read_late_together_are_found_above_one_in_a_hundred() {
    let summary = summarize(&stalled(0, 0), &streaming());
    let with = |first_tokens, merged_chunks| {
        let late_reads = LateReads { requests: 200, first_tokens, chunks: 1_000, merged_chunks };
        Evidence { late_reads, ..evidence(&summary) }.notes()
    };
    assert_eq!(with(2, 10), []);
    let notes = with(3, 11);
    let expected =
        [ValidityNote::LateFirstTokens { late: 3, of: 200 }, ValidityNote::MergedChunks { merged: 11, of: 1_000 }];
    assert_eq!(notes, expected);
    assert!(notes.iter().all(|note| note.severity() == Severity::Warning && note.figure() > note.threshold()));
}

#[test]
fn concurrency_that_was_never_in_flight_is_found_unless_the_run_was_broken_off() {
    let asked_concurrency = Some(AskedConcurrency { limit: 50, is_ramped: false });
    let requests: Vec<_> = (0..10).map(|_| request(0, &[50, 60])).collect();
    let summary = summarize(&requests, &MetricContext { asked_concurrency, ..streaming() });
    let accounting = PhaseAccounting { sent: 10, sessions_sent: 10, ..PhaseAccounting::default() };
    let all = Evidence { accounting: Some(&accounting), ..evidence(&summary) };
    let why = Unreached::FewRequests { sent: 10 };
    assert_eq!(all.notes(), [ValidityNote::ConcurrencyNotReached { asked: 50, reached: 10, why }]);
    assert_eq!(Evidence { was_stopped: true, ..all }.notes(), []);
}

#[test]
fn requests_given_up_on_purpose_are_no_gap_in_littles_law() {
    let given_up = failed(0, 500, "cancelled on purpose", Some(RequestOutcome::CancelledOnPurpose));
    assert_eq!(evidence(&summarize(&[request(0, &[500]), given_up], &streaming())).notes(), []);
}

#[test]
fn a_gap_in_littles_law_without_failures_names_who_was_late() {
    let late = |receiving_ms: u64| {
        let http = HttpTiming { receiving: Nanos(receiving_ms * 1_000_000), ..HttpTiming::default() };
        let seen = Observation { end: at(400), http: Some(http), ..request(0, &[50, 100]) };
        match evidence(&summarize(&[seen], &streaming())).notes()[..] {
            [ValidityNote::LittlesLawGap { cause, .. }] => cause,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(late(400), GapCause::LateEnd, "the server sent its last byte late");
    assert_eq!(late(100), GapCause::LateReading, "the last byte had come, and the client did not look");
}

#[test]
fn a_load_that_no_self_test_covers_is_an_information() {
    let load = ClientLoad { in_flight: 2, chunks_per_second: 1.0, requests_per_second: 1.0 };
    let note = ValidityNote::BeyondCertified { axis: LoadAxis::InFlight, reached: load, certified: load };
    assert_eq!(note.severity(), Severity::Info);
}
