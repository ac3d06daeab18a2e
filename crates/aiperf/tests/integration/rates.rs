//! Open loop at a rate: constant, random, with a ceiling, along a series, after a ramp. A server may see a request late on a
//! busy machine, but never before it was due, and never another number of them.

use crate::support::{Artifacts, Log, Program, sim, together};

const FAST: &str = "ttft=0&itl=0&osl=1";

/// Runs with everything written.
fn run(options: &str, words: &str) -> (Artifacts, Log) {
    let sim = sim(options);
    let artifacts = Program::against(&sim, "--export-level raw").with(words).succeed();
    let log = Log::of(&sim, &artifacts);
    (artifacts, log)
}

/// When each request arrived, in the order in which they were sent.
fn arrivals(artifacts: &Artifacts, log: &Log) -> Vec<f64> {
    let arrival = |id: &str| log.iter().find(|entry| entry.id() == id).unwrap().arrival;
    artifacts.profiled().iter().map(|record| arrival(record.word("x_request_id"))).collect()
}

/// No request arrived before it was due, and due they were in order.
fn assert_never_early(artifacts: &Artifacts, log: &Log) -> Vec<f64> {
    let due = artifacts.due();
    assert!(due.is_sorted() && due[0] > 0.0, "{due:?}");
    for (arrival, due) in arrivals(artifacts, log).iter().zip(&due) {
        assert!(arrival >= due, "due at {due}, there at {arrival}");
    }
    due
}

/// At no time had more requests arrived than the area under the rate until then.
fn assert_below_curve(log: &Log, area: impl Fn(f64) -> f64) {
    for (index, entry) in log.iter().enumerate() {
        let (count, most) = ((index + 1) as f64, area(entry.arrival));
        assert!(count <= most + 1e-3, "{count} requests after {} s, {most} at most", entry.arrival);
    }
}

#[test]
fn a_constant_rate_keeps_its_grid_whatever_the_server_does() {
    let (artifacts, log) =
        run("ttft=600&itl=0&osl=1", "--request-rate 25 --arrival-pattern constant --request-count 20");
    assert_eq!(log.len(), 20);
    assert_below_curve(&log, |t| 25.0 * t);
    let due = assert_never_early(&artifacts, &log);
    for (index, due) in due.iter().enumerate() {
        assert!((due - (index + 1) as f64 / 25.0).abs() < 1e-6, "request {index} was due at {due}");
    }
    // It did not wait for answers: a loop that is closed has one request in flight here.
    assert!(log.most_in_flight() > 3, "{}", log.most_in_flight());
    assert!(artifacts.stat("schedule_lag", "min") >= 0.0);
    assert!(artifacts.average("request_latency_from_due") >= artifacts.average("request_latency"));
}

/// Spread of the gaps between due times, as a share of their mean.
fn variation(due: &[f64]) -> f64 {
    let gaps: Vec<f64> = due.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    variance.sqrt() / mean
}

#[test]
fn random_arrivals_are_as_uneven_as_asked_and_a_seed_repeats_them() {
    let due = |words: &str| {
        let (artifacts, log) = run(FAST, &format!("--request-count 150 --random-seed 11 {words}"));
        assert_eq!(log.len(), 150);
        assert_never_early(&artifacts, &log)
    };
    let [poisson, even, bursts, faster] = together(
        [
            "--request-rate 300",
            "--request-rate 300 --arrival-pattern gamma --arrival-smoothness 25",
            "--request-rate 300 --arrival-smoothness 0.2",
            "--request-rate 600 --arrival-pattern poisson",
        ],
        due,
    );
    let (poisson_spread, even_spread, burst_spread) = (variation(&poisson), variation(&even), variation(&bursts));
    assert!((0.7..1.4).contains(&poisson_spread), "{poisson_spread}");
    assert!(even_spread < 0.35 && burst_spread > 1.4, "{even_spread} {burst_spread}");
    // Twice the rate is the same schedule in half the time.
    for (slow, fast) in poisson.iter().zip(&faster) {
        assert!((slow / 2.0 - fast).abs() < 1e-6, "{slow} {fast}");
    }
}

#[test]
fn arrivals_above_the_ceiling_are_dropped_and_counted() {
    let words = "--request-rate 50 --arrival-pattern constant --concurrency 2 --request-count 8";
    let (artifacts, log) = run("ttft=150&itl=0&osl=1", words);
    assert_eq!(log.len(), 8);
    assert!(log.most_in_flight() <= 2);
    let due = assert_never_early(&artifacts, &log);
    // The grid is kept: every request is one of its points, and the points in between were dropped.
    let ticks: Vec<f64> = due.iter().map(|due| due * 50.0).collect();
    assert!(ticks.iter().all(|tick| (tick - tick.round()).abs() < 1e-4), "{ticks:?}");
    assert_eq!(artifacts.counted("arrivals_dropped"), ticks[7].round() as u64 - 8);
    assert!(artifacts.counted("arrivals_dropped") > 0);
    assert_eq!((artifacts.counted("sent"), artifacts.counted("arrivals_delayed")), (8, 0));
    assert!(artifacts.notes().contains(&"concurrency_ceiling_reached".to_owned()), "{:?}", artifacts.notes());
}

#[test]
fn turns_of_open_sessions_take_the_arrivals_first() {
    let words = "--request-rate 20 --arrival-pattern constant --request-count 16 --session-turns-mean 2";
    let (artifacts, log) = run(FAST, words);
    assert_eq!(log.len(), 16);
    assert_below_curve(&log, |t| 20.0 * t);
    assert_never_early(&artifacts, &log);
    // Were new sessions first, none would ever get to its second turn.
    let second_turns = log.sessions().iter().filter(|session| session.len() == 2).count();
    assert!(second_turns >= 4, "{second_turns}");
}

#[test]
fn a_rate_series_is_followed_along_its_curve() {
    let series = r#"{"points": [{"time_s": 0, "qps": 4}, {"time_s": 1, "qps": 40}, {"time_s": 2, "qps": 4}]}"#;
    let sim = sim(FAST);
    let words = "--arrival-pattern constant --request-count 46 --request-rate-series series.json --export-level raw";
    let artifacts = Program::against(&sim, words).file("series.json", series).succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 46);
    assert_below_curve(&log, |t| match t {
        t if t < 1.0 => 4.0 * t + 18.0 * t * t,
        t if t < 2.0 => 22.0 + 40.0 * (t - 1.0) - 18.0 * (t - 1.0).powi(2),
        t => 44.0 + 4.0 * (t - 2.0),
    });
    let due = assert_never_early(&artifacts, &log);
    let until = |time: f64| due.iter().filter(|due| **due < time + 1e-6).count();
    assert_eq!([until(0.5), until(1.0), until(1.5), until(2.0), until(2.5)], [6, 22, 37, 44, 46]);
}

#[test]
fn a_rate_ramp_rises_by_its_shape() {
    // From a tenth of 40 per second, which is where a ramp of one second begins, to all of it.
    let words = "--request-rate 40 --arrival-pattern constant --request-rate-ramp-duration 1 --request-count 30";
    let due_before = |due: &[f64], time: f64| due.iter().filter(|due| **due < time + 1e-6).count();

    let shapes = ["linear", "exponential", "poisson --random-seed 3"];
    let [linear, exponential, random] = together(shapes, |shape| run(FAST, &format!("{words} --ramp-shape {shape}")));

    let (artifacts, log) = linear;
    assert_eq!(log.len(), 30);
    assert_below_curve(&log, |t| if t < 1.0 { 4.0 * t + 18.0 * t * t } else { 22.0 + 40.0 * (t - 1.0) });
    let due = assert_never_early(&artifacts, &log);
    assert_eq!([due_before(&due, 0.5), due_before(&due, 1.0), due_before(&due, 1.2)], [6, 22, 30]);

    let (artifacts, log) = exponential;
    assert_below_curve(&log, |t| if t < 1.0 { 4.0 * t + 12.0 * t.powi(3) } else { 16.0 + 40.0 * (t - 1.0) });
    let due = assert_never_early(&artifacts, &log);
    assert_eq!([due_before(&due, 0.5), due_before(&due, 0.999)], [3, 15]);

    let (artifacts, log) = random;
    assert_below_curve(&log, |t| 40.0 * t);
    let due = assert_never_early(&artifacts, &log);
    let gaps: Vec<f64> = due.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.025 + 1e-6).collect();
    assert!(gaps.len() > 3, "it began at its target: {due:?}");
    assert!((due[29] - due[28] - 0.025).abs() < 1e-6, "it did not reach its target: {due:?}");
}
