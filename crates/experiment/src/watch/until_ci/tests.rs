//! When an interval is narrow enough, and which metrics have none.

use aiperf_protocol::{EndpointKind, RequestOutcome};

use super::*;

fn target(metric: &str, stat: CiStat, margin: CiMargin) -> CiTarget {
    CiTarget { metric: metric.to_owned(), stat, margin }
}

fn rule(targets: &[CiTarget]) -> Result<UntilCi, RunError> {
    let context = MetricContext::new(EndpointKind::Chat, true);
    UntilCi::with_targets(targets, Level::P95, &context, &Arc::new(Monitor::default()))
}

/// Request `n` ends after n milliseconds; its values are these.
fn sample(n: u64, values: &[f64]) -> LiveSample {
    let end = Mono::from_nanos(n * 1_000_000);
    LiveSample {
        due: end,
        start: end,
        end,
        outcome: RequestOutcome::Success,
        values: values.iter().copied().map(Some).collect(),
    }
}

/// Checks after each request until the rule is satisfied; returns how many requests that took.
fn requests_until_enough(rule: &mut UntilCi, most: u64, values: impl Fn(u64) -> Vec<f64>) -> Option<u64> {
    (1..=most).find(|n| {
        let samples = [sample(*n, &values(*n))];
        let view =
            FinishedRequests { samples: &samples, began: Mono::default(), settled: Mono::from_nanos(n * 1_000_000) };
        rule.check(&view).is_some()
    })
}

/// Numbers in [0, 1) that look like chance and are always the same.
fn noise(n: u64) -> f64 {
    (n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64
        / (1_u64 << 53) as f64
}

#[test]
fn it_ends_when_the_mean_is_known_and_takes_longer_for_a_narrower_margin() {
    let until = |share: f64| {
        let mut rule = rule(&[target("request_latency", CiStat::Avg, CiMargin::Relative(share))]).unwrap();
        let end = requests_until_enough(&mut rule, 200_000, |n| vec![1e7 * (1.0 + noise(n))]).unwrap();
        let said = Box::new(rule).report();
        assert_eq!(said.section.unwrap().1["reached"], true);
        assert!(said.remarks[0].contains("was reached"), "{}", said.remarks[0]);
        end
    };
    let (wide, narrow) = (until(0.05), until(0.01));
    // A margin a fifth as wide takes 25 times as many, give or take the steps between looks.
    assert!(wide >= 30 && narrow > 8 * wide && narrow < 80 * wide, "{wide} {narrow}");
}

#[test]
fn a_percentile_needs_samples_beyond_it_before_anything_is_known() {
    let mut rule = rule(&[target("time_to_first_token", CiStat::Percentile(99.0), CiMargin::Absolute(1e9))]).unwrap();
    let end = requests_until_enough(&mut rule, 100_000, |n| vec![1e6 * noise(n)]).unwrap();
    assert!(end > 299, "{end} requests cannot enclose p99");
}

#[test]
fn all_targets_must_be_reached() {
    let targets = [
        target("request_latency", CiStat::Avg, CiMargin::Relative(0.5)),
        target("time_to_first_token", CiStat::Avg, CiMargin::Absolute(0.001)),
    ];
    let mut rule = rule(&targets).unwrap();
    assert_eq!(requests_until_enough(&mut rule, 3_000, |n| vec![1e7 * (1.0 + noise(n)), 1e7 * noise(n + 7)]), None);
    let note = rule.monitor.note().unwrap();
    assert!(note.starts_with("time_to_first_token avg ±") && note.ends_with("more"), "{note}");
    let said = Box::new(rule).report();
    let section = said.section.unwrap().1;
    assert_eq!((&section["reached"], &section["targets"][0]["reached"]), (&false.into(), &true.into()));
    assert!(said.remarks[1].contains("was not reached") && said.remarks[1].contains("requests would be needed"));
    assert_eq!(said.unmet, None);
}

#[test]
fn rates_count_requests_and_tokens_over_time() {
    let targets = [
        target("request_throughput", CiStat::Avg, CiMargin::Relative(0.05)),
        target("output_token_throughput", CiStat::Avg, CiMargin::Relative(0.05)),
    ];
    let mut rule = rule(&targets).unwrap();
    assert!(requests_until_enough(&mut rule, 20_000, |_| vec![8.0]).is_some());
    let section = Box::new(rule).report().section.unwrap().1;
    let value = |at: usize| section["targets"][at]["value"].as_f64().unwrap();
    assert!((value(0) - 1e3).abs() < 20.0 && (value(1) - 8e3).abs() < 160.0, "{section}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let refused =
        |metric: &str, stat| rule(&[target(metric, stat, CiMargin::Relative(0.1))]).err().unwrap().to_string();
    assert!(refused("ttft", CiStat::Avg).contains("no metric has this name; did you mean time_to_first_token?"));
    assert!(refused("benchmark_duration", CiStat::Avg).contains("only metrics of single requests"));
    assert!(refused("request_throughput", CiStat::Percentile(50.0)).contains("use avg"));
    assert!(refused("schedule_lag", CiStat::Avg).contains("--until-ci schedule_lag:avg:10%"));
}

#[test]
fn failed_requests_say_nothing() {
    let mut rule = rule(&[target("request_latency", CiStat::Avg, CiMargin::Relative(0.5))]).unwrap();
    let failed = LiveSample { outcome: RequestOutcome::Failed, ..sample(1, &[1e7]) };
    for _ in 0..1_000 {
        let view = FinishedRequests {
            samples: std::slice::from_ref(&failed),
            began: Mono::default(),
            settled: Mono::default(),
        };
        assert_eq!(rule.check(&view), None);
    }
    assert!(Box::new(rule).report().remarks[0].contains("no request has this metric"));
}

#[test]
fn times_are_said_in_the_unit_that_fits() {
    assert_eq!(duration(Nanos::from_secs_f64(40.2)), "40 s");
    assert_eq!(duration(Nanos::from_secs_f64(720.0)), "12 min");
    assert_eq!(duration(Nanos::from_secs_f64(12_600.0)), "3.5 h");
}
