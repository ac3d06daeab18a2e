//! `--preconnect`: where it is accepted, and where it would do nothing.

use aiperf_config::Environment;

use super::{raw, with_model};

#[test]
fn connections_are_opened_ahead_only_if_asked_for() {
    assert!(!with_model(&["--concurrency=8"]).unwrap().endpoint.preconnect);
    let config = with_model(&["--concurrency=8", "--preconnect"]).unwrap();
    assert!(config.endpoint.preconnect);
    assert_eq!(config.to_input_config()["endpoint"]["preconnect"], true);
}

#[test]
fn every_load_that_says_how_many_connections_it_needs_may_open_them_ahead() {
    for words in [
        &["--preconnect"][..],
        &["--preconnect", "--request-rate=10", "--concurrency=8"],
        &["--preconnect", "--concurrency=8", "--http-version=2"],
        &["--preconnect", "--user-centric-rate=1", "--num-users=4", "--session-turns-mean=2", "--benchmark-duration=1"],
    ] {
        let config = with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
        assert!(config.phases.profiling().pace.sessions_at_once().is_some(), "{words:?}");
    }
}

#[test]
fn an_open_loop_without_a_limit_does_not_say_how_many_connections_it_needs() {
    let message = with_model(&["--preconnect", "--request-rate=10"]).unwrap_err().to_string();
    assert!(message.contains("--preconnect") && message.contains("--concurrency"), "{message}");
}

#[test]
fn connections_that_requests_do_not_share_cannot_be_opened_ahead() {
    for strategy in ["never", "sticky-user-sessions"] {
        let reuse = format!("--connection-reuse-strategy={strategy}");
        let message = with_model(&["--preconnect", "--concurrency=8", &reuse]).unwrap_err().to_string();
        assert!(message.contains("--preconnect") && message.contains("--connection-reuse-strategy"), "{message}");
    }
    let variables = [("AIPERF_HTTP_FORCE_CLOSE".to_owned(), "true".to_owned())].into_iter().collect();
    let environment = Environment { variables, current_dir: "/somewhere".into(), ..Environment::default() };
    let message = raw(&["--model=m", "--preconnect"]).resolve(&environment).unwrap_err().to_string();
    assert!(message.contains("AIPERF_HTTP_FORCE_CLOSE"), "{message}");
}
