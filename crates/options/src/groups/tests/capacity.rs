//! Options of the search for a capacity.

use std::time::Duration;

use aiperf_config::{Arrival, CapacityOf, CapacitySearch, LoadLevel, Pace};

use super::{environment, raw};
use crate::ConfigError;
use crate::groups::CAPACITY_RECIPE;

fn search(words: &[&str]) -> Result<aiperf_config::Config, ConfigError> {
    let recipe = format!("--search-recipe={CAPACITY_RECIPE}");
    let all: Vec<&str> = ["--model=m", &recipe].into_iter().chain(words.iter().copied()).collect();
    let mut experiment = raw(&all).resolve_experiment(&environment())?;
    assert!(experiment.is_single() && experiment.search.is_none());
    Ok(experiment.cells.remove(0).config)
}

#[test]
fn a_search_for_a_rate_is_one_run_whose_load_is_controlled() {
    let config = search(&["--slo=request_latency:500 time_to_first_token:p95:100", "--arrival-smoothness=2"]).unwrap();
    let Some(CapacitySearch { of, slos, precision, max_requests, max_duration, arrival, .. }) = config.capacity else {
        panic!("the run searches for nothing");
    };
    assert_eq!((of, precision, max_requests), (CapacityOf::Rate, 0.05, None));
    assert_eq!(max_duration, Duration::from_secs(3_600));
    assert_eq!(
        slos.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["request_latency:p99:500", "time_to_first_token:p95:100"]
    );
    assert_eq!(arrival, Arrival::Gamma { smoothness: 2.0 });
    let profiling = config.phases.profiling();
    assert_eq!(profiling.pace, Pace::Controlled(LoadLevel::Users(1)));
    assert_eq!(profiling.stop.duration, Some(max_duration));
    assert_eq!(config.output.goodput.len(), 2, "the summary counts good requests");
    assert!(config.output.dir.ends_with("artifacts/m-openai-chat-capacity_rate"), "{:?}", config.output.dir);
    assert!(config.command_line.starts_with("aiperf capacity --model m --slo"), "{}", config.command_line);
}

#[test]
fn a_search_for_users_has_a_budget_of_requests() {
    let config =
        search(&["--capacity-of=users", "--e2e-sla-ms=700", "--concurrency-max=64", "--precision=3%"]).unwrap();
    let search = config.capacity.unwrap();
    assert_eq!((search.of, search.max_requests, search.max_users), (CapacityOf::Users, Some(3_000), Some(64)));
    assert_eq!((search.slos[0].to_string().as_str(), search.precision), ("request_latency:p99:700", 0.03));
}

#[test]
fn what_contradicts_the_search_is_refused_by_name() {
    let slo = "--slo=request_latency:500";
    for (words, parts) in [
        (&[slo, "--request-rate=3"][..], ["--request-rate", "sets the load itself"]),
        (&[slo, "--request-count=3"], ["--request-count", "--max-requests"]),
        (&[slo, "--isl=3,4"], ["--isl", "one run"]),
        (&[slo, "--search-planner=optuna"], ["--search-planner", "the recipe sets it"]),
        (&[slo, "--concurrency-max=3"], ["--concurrency-max", "--capacity-of users"]),
        (&[slo, "--capacity-of=users", "--arrival-pattern=constant"], ["--arrival-pattern", "--capacity-of rate"]),
        (&["--slo=request_latency:500 request_latency:4"], ["request_latency", "two limits"]),
        (&[slo, "--precision=80%"], ["--precision", "50%"]),
        (&[], ["--search-recipe", "--slo"]),
    ] {
        let message = search(words).expect_err(&format!("{words:?} was accepted")).to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{words:?}: {message}");
    }
    let message = raw(&["--model=m", slo]).resolve_experiment(&environment()).unwrap_err().to_string();
    assert!(message.contains("--slo needs `aiperf capacity`"), "{message}");
}
