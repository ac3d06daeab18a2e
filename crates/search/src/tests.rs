//! Planners against functions whose answer is known.

use aiperf_config::{
    PlannerKind, Sampler, SearchDimension, SearchObjective, SearchSpec, SlaFilter, SlaOp, SlaTier, Terminator,
};
use aiperf_seed::{Seed, Stream};
use serde_json::Value;

use crate::{EndReason, NextProbe, Outcome, Search, TrialStatistics};

/// A maximization over a whole number with the usual settings.
pub(crate) fn spec(max_iterations: usize) -> SearchSpec {
    let mut spec = SearchSpec::new(PlannerKind::Bayesian, vec![dimension(1.0, 100.0)], max_iterations);
    spec.objectives = vec![SearchObjective {
        metric: "output_token_throughput".to_owned(),
        stat: "avg".to_owned(),
        maximize: true,
        threshold: None,
    }];
    spec
}

pub(crate) fn outcome(value: f64, is_feasible: bool) -> Outcome {
    Outcome {
        objectives: vec![Some(value)],
        observed: Vec::new(),
        is_feasible,
        tiers: Vec::new(),
        constrained: Vec::new(),
    }
}

fn dimension(lo: f64, hi: f64) -> SearchDimension {
    SearchDimension { path: "phases.profiling.concurrency".to_owned(), lo, hi, is_whole: true, is_log: false }
}

fn filter(threshold: f64) -> SlaFilter {
    SlaFilter { metric: "time_to_first_token".to_owned(), stat: "p95".to_owned(), op: SlaOp::Lt, threshold }
}

/// A server with a limit: throughput grows up to it, and the latency stays low below it.
struct Server {
    limit: f64,
    noise: f64,
}

struct FakeTrial {
    throughput: f64,
    latency: f64,
}

impl TrialStatistics for FakeTrial {
    fn statistic(&self, metric: &str, _: &str) -> Option<f64> {
        Some(if metric == "output_token_throughput" { self.throughput } else { self.latency })
    }

    fn values(&self, _: &str) -> Option<&[f64]> {
        None
    }
}

impl Server {
    fn measure(&self, concurrency: f64, stream: &mut Stream) -> FakeTrial {
        let noise = 1.0 + self.noise * stream.standard_normal();
        let waiting = (concurrency - self.limit).max(0.0) / self.limit;
        FakeTrial {
            throughput: 100.0 * concurrency.min(self.limit) * noise,
            latency: 40.0 * (1.0 + 0.002 * concurrency + waiting) * noise,
        }
    }
}

fn run(spec: &SearchSpec, server: &Server, seed: u64) -> Search {
    let mut search = Search::new(spec.clone(), seed);
    let mut stream = Seed::fixed(seed).stream("server");
    while let NextProbe::Probe { point, .. } = search.next_probe() {
        let measured = server.measure(point.only(), &mut stream);
        let outcome = Outcome::of(spec, &[&measured as &dyn TrialStatistics]);
        search.record(point, outcome);
        assert!(search.iterations().len() <= spec.max_iterations);
    }
    search
}

fn asked(search: &Search) -> Vec<f64> {
    search.iterations().iter().map(|iteration| iteration.point.only()).collect()
}

/// The highest value that keeps the limit, without noise.
fn truth(server: &Server, threshold: f64) -> f64 {
    let quiet = Server { noise: 0.0, ..*server };
    let mut stream = Seed::fixed(0).stream("truth");
    (1..=2000)
        .map(f64::from)
        .take_while(|value| quiet.measure(*value, &mut stream).latency < threshold)
        .last()
        .unwrap_or(0.0)
}

fn sla(planner: PlannerKind, hi: f64, threshold: f64) -> SearchSpec {
    SearchSpec { planner, space: vec![dimension(1.0, hi)], sla_filters: vec![filter(threshold)], ..spec(60) }
}

fn found(search: &Search) -> f64 {
    search.history(&|_| Value::Null)["boundary_summary"]["feasible_max"]["value"].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn monotonic_sla_asks_the_points_that_the_reference_asks() {
    // Verdicts of the reference's own search against a simulator: value and whether the limit was kept.
    let seen = [
        (1.0, true),
        (1.0, true),
        (2.0, false),
        (2.0, true),
        (2.0, true),
        (4.0, true),
        (4.0, false),
        (4.0, true),
        (8.0, false),
        (8.0, true),
        (8.0, false),
        (6.0, false),
        (6.0, true),
        (6.0, true),
        (7.0, false),
        (7.0, true),
    ];
    let spec = SearchSpec { max_iterations: 16, ..sla(PlannerKind::MonotonicSla, 32.0, 45.0) };
    let mut search = Search::new(spec, 0);
    for (value, passes) in seen {
        let NextProbe::Probe { point, .. } = search.next_probe() else { panic!("it ended before {value}") };
        assert!(point.only().total_cmp(&value).is_eq(), "{point:?} instead of {value}");
        let latency = if passes { 40.0 } else { 50.0 };
        search.record(point, Outcome { observed: vec![Some(latency)], ..outcome(value, passes) });
    }
    assert_eq!(search.next_probe(), NextProbe::End(EndReason::MaxIterations));
    let boundary = &search.history(&|_| Value::Null)["boundary_summary"];
    assert_eq!(boundary["feasible_max"]["value"], 6);
    assert_eq!(boundary["feasible_max"]["iteration_idx"], 13);
    assert_eq!(boundary["infeasible_min"]["value"], 8);
    assert_eq!(boundary["infeasible_min"]["iteration_idx"], 10);
}

#[test]
fn sla_planners_find_the_limit_within_their_precision() {
    for planner in [PlannerKind::MonotonicSla, PlannerKind::SmoothIsotonic] {
        for limit in [1.0, 3.0, 8.0, 40.0, 100.0, 333.0, 700.0] {
            let server = Server { limit, noise: 0.0 };
            let search = run(&sla(planner, 1000.0, 60.0), &server, 1);
            let (found, truth) = (found(&search), truth(&server, 60.0));
            let near = found <= truth && truth - found <= (0.05 * truth).max(1.0);
            assert!(
                near,
                "{planner:?} limit {limit}: {found} instead of {truth}, {:?}, {:?}",
                search.reason(),
                asked(&search)
            );
            let reason = search.reason().map_or("", EndReason::name);
            assert!(reason.ends_with("precision_reached") || reason.ends_with("bisection"), "{reason}");
        }
    }
}

#[test]
fn sla_planners_find_a_noisy_limit_most_of_the_time() {
    for planner in [PlannerKind::MonotonicSla, PlannerKind::SmoothIsotonic] {
        let server = Server { limit: 100.0, noise: 0.02 };
        let truth = truth(&server, 60.0);
        let near = (0..15)
            .filter(|seed| (found(&run(&sla(planner, 1000.0, 60.0), &server, *seed)) - truth).abs() <= 0.10 * truth)
            .count();
        assert!(near >= 13, "{planner:?}: {near} of 15 within 10 % of {truth}");
    }
}

#[test]
fn sla_planners_name_a_range_without_a_limit() {
    let reasons = |planner, limit, threshold| {
        run(&sla(planner, 50.0, threshold), &Server { limit, noise: 0.0 }, 1).reason().map(EndReason::name)
    };
    assert_eq!(reasons(PlannerKind::MonotonicSla, 10.0, 1.0), Some("monotonic_no_pass_in_range"));
    assert_eq!(reasons(PlannerKind::MonotonicSla, 1e6, 60.0), Some("monotonic_no_failure_in_range"));
    assert_eq!(reasons(PlannerKind::SmoothIsotonic, 10.0, 1.0), Some("smooth_isotonic_no_pass_in_range"));
    assert_eq!(reasons(PlannerKind::SmoothIsotonic, 1e6, 60.0), Some("smooth_isotonic_no_failure_in_range"));
}

#[test]
fn tiers_share_their_probes_and_each_finds_its_limit() {
    let mut spec = sla(PlannerKind::MonotonicSla, 1000.0, 60.0);
    let tier =
        |label: &str, threshold: f64, rank| SlaTier { label: label.to_owned(), filters: vec![filter(threshold)], rank };
    spec.sla_filters = Vec::new();
    spec.sla_tiers = vec![tier("gold", 45.0, 0), tier("silver", 60.0, 1), tier("bronze", 80.0, 2)];
    let server = Server { limit: 64.0, noise: 0.0 };
    let search = run(&spec, &server, 1);
    let tiers = search.history(&|_| Value::Null)["tier_results"].clone();
    for (index, threshold) in [45.0, 60.0, 80.0].into_iter().enumerate() {
        let found = tiers[index]["boundary_concurrency"].as_f64().unwrap();
        let truth = truth(&server, threshold);
        assert!(found <= truth && truth - found <= (0.05 * truth).max(1.0), "tier {index}: {found} of {truth}");
    }
    assert_eq!(search.reason(), Some(EndReason::TiersPrecisionReached));
}

#[test]
fn model_based_planners_find_the_best_feasible_point() {
    let samplers = [
        (PlannerKind::Bayesian, Sampler::Botorch),
        (PlannerKind::Optuna, Sampler::Gp),
        (PlannerKind::Optuna, Sampler::Tpe),
    ];
    for (planner, sampler) in samplers {
        let server = Server { limit: 60.0, noise: 0.01 };
        let spec = SearchSpec {
            planner,
            sampler,
            sla_filters: vec![filter(50.0)],
            improvement_patience: 30,
            plateau_threshold: 0.0,
            ..spec(30)
        };
        let best = |seed| {
            let search = run(&spec, &server, seed);
            search.history(&|_| Value::Null)["best_trials"][0]["objective_values"][0].as_f64().unwrap_or(0.0)
        };
        let results: Vec<f64> = (0..3).map(best).collect();
        let most = 100.0 * truth(&server, 50.0).min(60.0);
        let good = results.iter().filter(|result| **result > 0.93 * most).count();
        assert!(good >= 2, "{planner:?} {sampler:?}: {results:?} of {most}");
    }
}

#[test]
fn several_objectives_have_a_front() {
    let mut spec = spec(12);
    spec.objectives.push(SearchObjective {
        metric: "time_to_first_token".to_owned(),
        stat: "p95".to_owned(),
        maximize: false,
        threshold: None,
    });
    for sampler in [Sampler::Gp, Sampler::Botorch, Sampler::Tpe] {
        let spec = SearchSpec { planner: PlannerKind::Optuna, sampler, ..spec.clone() };
        let search = run(&spec, &Server { limit: 50.0, noise: 0.0 }, 2);
        let front = search.history(&|_| Value::Null)["best_trials"].as_array().unwrap().len();
        assert!(front >= 2, "{sampler:?}: {front}");
    }
}

#[test]
fn terminators_end_a_search_whose_answer_is_known() {
    for (terminator, reason) in
        [(Terminator::Regret, EndReason::PosteriorRegretBound), (Terminator::Emmr, EndReason::Emmr)]
    {
        let spec = SearchSpec {
            planner: PlannerKind::Optuna,
            sampler: Sampler::Gp,
            terminator: Some(terminator),
            improvement_patience: 200,
            plateau_threshold: 0.0,
            ..spec(60)
        };
        let search = run(&spec, &Server { limit: 60.0, noise: 0.05 }, 4);
        assert_eq!(search.reason(), Some(reason), "after {} points", search.iterations().len());
    }
}

#[test]
fn a_search_that_is_replayed_goes_on_with_the_same_next_point() {
    for (planner, sampler) in [
        (PlannerKind::MonotonicSla, Sampler::Botorch),
        (PlannerKind::SmoothIsotonic, Sampler::Botorch),
        (PlannerKind::Bayesian, Sampler::Botorch),
        (PlannerKind::Optuna, Sampler::Tpe),
    ] {
        let spec = SearchSpec { planner, sampler, max_iterations: 14, ..sla(planner, 300.0, 60.0) };
        let server = Server { limit: 37.0, noise: 0.03 };
        let whole = run(&spec, &server, 5);
        for cut in 0..whole.iterations().len() {
            let mut replayed = Search::new(spec.clone(), 5);
            for iteration in &whole.iterations()[..cut] {
                let NextProbe::Probe { point, .. } = replayed.next_probe() else { panic!("it ended too soon") };
                assert_eq!(point, iteration.point);
                replayed.record(point, iteration.outcome.clone());
            }
            let NextProbe::Probe { point, .. } = replayed.next_probe() else { panic!("it ended too soon") };
            assert_eq!(point, whole.iterations()[cut].point, "{planner:?} after {cut} points");
        }
    }
}
