//! `--node-index` and `--node-count`: what each node needs, and what cannot be divided.

use std::time::Duration;

use aiperf_config::NodeShare;

use super::with_model;

const NODE: [&str; 3] = ["--node-index=1", "--node-count=3", "--random-seed=7"];

fn refused(words: &[&str]) -> String {
    let words: Vec<&str> = NODE.iter().chain(words).copied().collect();
    with_model(&words).unwrap_err().to_string()
}

#[test]
fn a_node_keeps_the_limits_of_the_whole_run_in_its_configuration() {
    let words: Vec<&str> = NODE.iter().chain(&["--concurrency=9", "--start-at=1794862800.5"]).copied().collect();
    let config = with_model(&words).unwrap();
    assert_eq!(config.node, NodeShare::new(1, 3).unwrap());
    assert_eq!(config.phases.profiling().pace.session_limit(), Some(9));
    assert_eq!(config.start_at, Some(Duration::from_millis(1_794_862_800_500)));
    assert!(config.output.dir.ends_with("node-1"), "{}", config.output.dir.display());
}

#[test]
fn index_count_and_seed_belong_together() {
    for (words, expected) in [
        (&["--node-index=1"][..], "--node-index needs --node-count"),
        (&["--node-count=3"], "--node-count needs --node-index"),
        (&["--node-count=3", "--node-index=3"], "must be below --node-count 3"),
        (&["--node-count=3", "--node-index=2"], "--node-count needs --random-seed"),
    ] {
        let message = with_model(words).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    assert!(with_model(&["--node-index=0", "--node-count=1"]).unwrap().node.is_whole());
}

#[test]
fn every_node_needs_a_place_in_each_limit_and_a_request_to_measure() {
    assert!(refused(&["--concurrency=2"]).contains("--concurrency \"2\": --node-count 3 needs a place for each node"));
    assert!(refused(&["--concurrency=9", "--streaming", "--prefill-concurrency=1"]).contains("--prefill-concurrency"));
    assert!(refused(&["--concurrency=9", "--request-count=2"]).contains("at least one for each node"));
    let warm = ["--concurrency=9", "--warmup-concurrency=2", "--warmup-request-count=9"];
    assert!(refused(&warm).contains("--warmup-concurrency"));
    let words: Vec<&str> = NODE.iter().chain(&["--concurrency=9", "--warmup-request-count=1"]).copied().collect();
    assert!(with_model(&words).is_ok());
}

#[test]
fn what_needs_to_see_the_whole_run_is_refused_by_name() {
    let until = ["--concurrency=9", "--request-count=900", "--until-ci=request_latency:avg:5%"];
    assert!(refused(&until).contains("--until-ci and --node-count cannot be combined"));
    assert!(refused(&["--concurrency=9", "--measurement-interval=1000"]).contains("--measurement-interval"));
}
