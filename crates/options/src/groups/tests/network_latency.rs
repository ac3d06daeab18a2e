//! The round trip of the network.

use std::time::Duration;

use aiperf_config::{NetworkLatency, RttProbing};
use serde_json::json;

use super::{check, environment, raw, with_model};

#[test]
fn a_round_trip_is_given_or_measured() {
    assert_eq!(with_model(&[]).unwrap().network_latency, None);
    let given = with_model(&["--network-latency-mean=5"]).unwrap();
    assert_eq!(given.network_latency, Some(NetworkLatency::Given(Duration::from_millis(5))));
    assert_eq!(given.to_input_config()["network_latency"], json!({"enabled": true, "mean_ms": 5.0}));
    let measured = with_model(&["--network-latency-automatic"]).unwrap();
    assert_eq!(measured.network_latency, Some(NetworkLatency::Measured(RttProbing::default())));
    assert_eq!(measured.to_input_config()["network_latency"], json!({"enabled": true}));
}

#[test]
fn how_it_is_measured_comes_from_the_option_or_from_variables() {
    let mut environment = environment();
    for (name, value) in [("DEFAULT_PROBE_INTERVAL", "0.5"), ("MIN_SAMPLES", "9")] {
        environment.variables.insert(format!("AIPERF_NETWORK_LATENCY_{name}"), value.to_owned());
    }
    let words = ["--model=m", "--network-latency-automatic", "--network-latency-ping-interval=0.25"];
    let interval = |count: usize| match raw(&words[..count]).resolve(&environment).unwrap().network_latency.unwrap() {
        NetworkLatency::Measured(probing) => (probing.interval, probing.min_samples),
        NetworkLatency::Given(_) => panic!("it was not given"),
    };
    assert_eq!(interval(2), (Duration::from_millis(500), 9));
    assert_eq!(interval(3), (Duration::from_millis(250), 9));
}

#[test]
fn what_has_no_effect_is_refused() {
    check(&[
        (
            &["--network-latency-automatic", "--network-latency-mean=5"],
            &["--network-latency-automatic and --network-latency-mean cannot be combined"],
        ),
        (
            &["--network-latency-ping-interval=1"],
            &["--network-latency-ping-interval needs --network-latency-automatic"],
        ),
        (&["--network-latency-mean=-1"], &["--network-latency-mean", "at least 0"]),
        (&["--network-latency-automatic", "--url=unix:/run/x.sock"], &["unix:/run/x.sock", "needs a network"]),
    ]);
}
