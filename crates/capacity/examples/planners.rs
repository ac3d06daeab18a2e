//! Runs the planners that AIPerf has on simulated servers whose capacity is known, and prints how often they are right:
//! `planners SEEDS[@FIRST] [rate|users [REQUESTS]]`, where `REQUESTS` is the size of a probe. Without them it prints everything.
//!
//! A probe is what such a search makes it: a fresh start on an idle server, the warmup of the planner, and then as many requests. The
//! ranges and the numbers of points are those of the recipe `max-concurrency-under-sla`.

#[path = "../testing/seeds.rs"]
mod seeds;

use std::process::ExitCode;
use std::time::Duration;

use aiperf_config::{PlannerKind, Sampler, SearchDimension, SearchObjective, SearchSpec, SlaFilter, SlaOp};
use aiperf_queue_model::{KnownServer, Load, VirtualSession};
use aiperf_search::{NextProbe, Outcome, Search, TrialStatistics};
use aiperf_seed::Seed;
use seeds::{Seeds, percent};

const PROBES: [u64; 3] = [300, 1_000, 10_000];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(seeds) = words.next().and_then(|word| Seeds::read(&word)) else {
        eprintln!("usage: planners SEEDS[@FIRST] [rate|users [REQUESTS]]");
        return ExitCode::FAILURE;
    };
    let load = words.next();
    let only: Option<u64> = words.next().and_then(|word| word.parse().ok());
    for kind in [ProbedLoad::Rate, ProbedLoad::Users] {
        if load.as_deref().is_none_or(|load| load == kind.name()) {
            table(kind, seeds, only);
        }
    }
    ExitCode::SUCCESS
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProbedLoad {
    Rate,
    Users,
}

impl ProbedLoad {
    fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Users => "users",
        }
    }

    fn apply(self, value: f64) -> Load {
        match self {
            Self::Rate => Load::OpenLoop { requests_per_s: value },
            Self::Users => Load::ClosedLoop { users: value as u32 },
        }
    }

    fn truth(self, server: KnownServer) -> f64 {
        match self {
            Self::Rate => server.rate_capacity(),
            Self::Users => f64::from(server.user_capacity()),
        }
    }

    /// By how much an answer may be above the truth: 2 %, or one user.
    fn tolerance(self, truth: f64) -> f64 {
        match self {
            Self::Rate => 0.02 * truth,
            Self::Users => (0.02 * truth).max(1.0),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct NamedPlanner {
    name: &'static str,
    kind: PlannerKind,
    sampler: Sampler,
    max_iterations: usize,
}

const PLANNERS: [NamedPlanner; 4] = [
    NamedPlanner {
        name: "monotonic_sla",
        kind: PlannerKind::MonotonicSla,
        sampler: Sampler::Botorch,
        max_iterations: 20,
    },
    NamedPlanner {
        name: "smooth_isotonic",
        kind: PlannerKind::SmoothIsotonic,
        sampler: Sampler::Botorch,
        max_iterations: 30,
    },
    NamedPlanner { name: "bayesian", kind: PlannerKind::Bayesian, sampler: Sampler::Botorch, max_iterations: 30 },
    NamedPlanner { name: "optuna (TPE)", kind: PlannerKind::Optuna, sampler: Sampler::Tpe, max_iterations: 30 },
];

fn table(load: ProbedLoad, seeds: Seeds, only: Option<u64>) {
    println!(
        "| server | planner | requests per probe | within 1 or 2 % | above truth + {} | error: median, p95 | no answer | requests: median |",
        if load == ProbedLoad::Rate { "2 %" } else { "1 or 2 %" }
    );
    println!("|---|---|---|---|---|---|---|---|");
    for server in KnownServer::STABLE {
        let truth = load.truth(server);
        for planner in PLANNERS {
            for probe in PROBES.into_iter().filter(|&probe| only.is_none_or(|only| only == probe)) {
                let answers = seeds.each(|seed| search(server, load, planner, probe, seed));
                let found: Vec<f64> = answers.iter().filter_map(|answer| answer.value).collect();
                let mut errors: Vec<f64> = found.iter().map(|value| (value / truth - 1.0).abs()).collect();
                errors.sort_by(f64::total_cmp);
                let error = |percent: usize| {
                    errors
                        .get(errors.len() * percent / 100)
                        .map_or_else(|| "none".to_owned(), |error| format!("{:.0} %", error * 100.0))
                };
                let mut requests: Vec<u64> = answers.iter().map(|answer| answer.requests).collect();
                requests.sort_unstable();
                println!(
                    "| {} | {} | {probe} | {} | {} | {}, {} | {} | {} |",
                    server.name(),
                    planner.name,
                    percent(
                        found.iter().filter(|&&value| (value - truth).abs() <= (0.02 * truth).max(1.0)).count(),
                        seeds
                    ),
                    percent(found.iter().filter(|&&value| value - truth > load.tolerance(truth)).count(), seeds),
                    error(50),
                    error(95),
                    percent(answers.len() - found.len(), seeds),
                    requests[requests.len() / 2],
                );
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    /// The highest value that kept the limit; `None` if none did.
    value: Option<f64>,
    requests: u64,
}

/// One search. Its answer is the `feasible_max` of the boundary summary.
fn search(server: KnownServer, load: ProbedLoad, planner: NamedPlanner, probe: u64, seed: u64) -> Answer {
    let spec = spec(server, planner, probe);
    let mut search = Search::new(spec.clone(), seed);
    let mut requests = 0;
    while let NextProbe::Probe { point, is_repeat } = search.next_probe() {
        let warmup = spec.shapes_probes().then(|| spec.sla_warmup.of(is_repeat)).flatten();
        // Each probe is a run of its own, with arrivals of its own.
        let number = search.iterations().len() as u64;
        let mut session = server.start(Seed::fixed(seed * 1_000 + number));
        requests += probe + warm_up(&mut session, point.0[0], warmup);
        let trial = measure(&mut session, server, load, point.0[0], probe);
        let outcome = Outcome::of(&spec, &[&trial as &dyn TrialStatistics]);
        search.record(point, outcome);
    }
    let value = search.boundary().and_then(|boundary| boundary.feasible_max).map(|(value, _)| value);
    Answer { value, requests }
}

fn spec(server: KnownServer, planner: NamedPlanner, probe: u64) -> SearchSpec {
    let dimension = SearchDimension {
        path: "phases.profiling.concurrency".to_owned(),
        lo: 1.0,
        hi: 1_000.0,
        is_whole: true,
        is_log: false,
    };
    let mut spec = SearchSpec::new(planner.kind, vec![dimension], planner.max_iterations);
    spec.sampler = planner.sampler;
    spec.probe_requests = probe;
    spec.objectives = vec![SearchObjective {
        metric: "request_throughput".to_owned(),
        stat: "avg".to_owned(),
        maximize: true,
        threshold: None,
    }];
    let objective = server.objective();
    spec.sla_filters = vec![SlaFilter {
        metric: "latency".to_owned(),
        stat: format!("p{}", ((1.0 - objective.allowed_share) * 100.0).round()),
        op: SlaOp::Le,
        threshold: objective.limit_s * 1_000.0,
    }];
    spec
}

/// The numbers of one probe.
struct Trial {
    throughput: f64,
    /// Milliseconds at the percentile of the objective.
    percentile_ms: Option<f64>,
}

impl TrialStatistics for Trial {
    fn statistic(&self, metric: &str, _: &str) -> Option<f64> {
        if metric == "request_throughput" { Some(self.throughput) } else { self.percentile_ms }
    }

    fn values(&self, _: &str) -> Option<&[f64]> {
        None
    }
}

/// Warms up with as many users as the probed value, whatever the probe varies, and waits until all requests are done. Returns how many
/// requests that took.
fn warm_up(session: &mut VirtualSession, value: f64, warmup: Option<Duration>) -> u64 {
    if let Some(warmup) = warmup {
        session.apply(Load::ClosedLoop { users: value as u32 });
        while session.now_s() < warmup.as_secs_f64() && session.next_completed().is_some() {}
        session.apply(Load::ClosedLoop { users: 0 });
        while session.next_completed().is_some() {}
    }
    session.sent()
}

fn measure(session: &mut VirtualSession, server: KnownServer, load: ProbedLoad, value: f64, probe: u64) -> Trial {
    let start_s = session.now_s();
    session.apply(load.apply(value));
    let objective = server.objective();
    // The first requests that complete stand for the first that are sent: a queue in order changes nothing about them.
    let mut latencies_ms: Vec<f64> = (0..probe)
        .filter_map(|_| session.next_completed())
        .map(|request| (objective.ratio(&request) * objective.limit_s) * 1_000.0)
        .collect();
    latencies_ms.sort_by(f64::total_cmp);
    Trial {
        throughput: latencies_ms.len() as f64 / (session.now_s() - start_s),
        percentile_ms: aiperf_stats::linear(&latencies_ms, 1.0 - objective.allowed_share),
    }
}
