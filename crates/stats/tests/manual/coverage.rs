//! How often a 95 % interval holds the truth.

use std::fmt::Write as _;

use aiperf_seed::Seed;
use aiperf_stats::{Estimate, Level, TimeSpan, mean, quantile, rate};

use crate::page;
use crate::rates::{ArrivalProcess, Traffic};
use crate::series::{Process, SeriesMemory, SeriesShape};

/// None that a method was chosen by: those were 20 and 2026.
const SEED: u64 = 31;

const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)];

const PROCESSES: &[Process] = &[
    Process { name: "normal, independent", shape: SeriesShape::Normal, memory: SeriesMemory::None, count: 1000 },
    Process {
        name: "exponential, independent",
        shape: SeriesShape::Exponential,
        memory: SeriesMemory::None,
        count: 1000,
    },
    Process {
        name: "lognormal (σ 1), independent",
        shape: SeriesShape::Lognormal,
        memory: SeriesMemory::None,
        count: 1000,
    },
    Process {
        name: "lognormal (σ 1), independent",
        shape: SeriesShape::Lognormal,
        memory: SeriesMemory::None,
        count: 10_000,
    },
    Process {
        name: "Pareto (α 3), independent",
        shape: SeriesShape::Pareto,
        memory: SeriesMemory::None,
        count: 10_000,
    },
    Process {
        name: "normal, AR(1) 0.5",
        shape: SeriesShape::Normal,
        memory: SeriesMemory::Autoregressive(0.5),
        count: 2000,
    },
    Process {
        name: "normal, AR(1) 0.9",
        shape: SeriesShape::Normal,
        memory: SeriesMemory::Autoregressive(0.9),
        count: 10_000,
    },
    Process {
        name: "lognormal (σ 1), AR(1) 0.7",
        shape: SeriesShape::Lognormal,
        memory: SeriesMemory::Autoregressive(0.7),
        count: 10_000,
    },
    Process {
        name: "Pareto (α 3), AR(1) 0.5",
        shape: SeriesShape::Pareto,
        memory: SeriesMemory::Autoregressive(0.5),
        count: 10_000,
    },
    Process {
        name: "M/M/1 queue, load 0.5",
        shape: SeriesShape::Exponential,
        memory: SeriesMemory::Queue(0.5),
        count: 20_000,
    },
    Process {
        name: "M/M/1 queue, load 0.8",
        shape: SeriesShape::Exponential,
        memory: SeriesMemory::Queue(0.8),
        count: 100_000,
    },
];

const TRAFFIC: &[Traffic] = &[
    Traffic { name: "Poisson", arrivals: ArrivalProcess::Renewal(1.0), length: 100.0 },
    Traffic { name: "regular (gamma gaps, shape 4)", arrivals: ArrivalProcess::Renewal(4.0), length: 100.0 },
    Traffic { name: "irregular (gamma gaps, shape 0.5)", arrivals: ArrivalProcess::Renewal(0.5), length: 100.0 },
    Traffic { name: "bursts (two-state Poisson, 4/s and 16/s)", arrivals: ArrivalProcess::Bursts, length: 1000.0 },
    Traffic { name: "tokens (Poisson requests, lognormal lengths)", arrivals: ArrivalProcess::Tokens, length: 100.0 },
];

/// How often an interval was given, and how often it held the truth.
#[derive(Debug, Clone, Copy, Default)]
struct CoverageTally {
    given: u32,
    held: u32,
}

impl CoverageTally {
    fn note(&mut self, estimate: &Estimate, truth: f64) {
        if let Some(interval) = estimate.interval {
            self.given += 1;
            self.held += u32::from(interval.contains(truth));
        }
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.held) / f64::from(self.given)
    }

    fn cell(self, runs: u32) -> String {
        let missing = 100.0 * (1.0 - f64::from(self.given) / f64::from(runs));
        if self.given == 0 {
            "none given".to_owned()
        } else if self.given == runs {
            format!("{:.1}", self.percent())
        } else {
            format!("{:.1} (none in {missing:.1} % of runs)", self.percent())
        }
    }
}

fn series_coverage(process: &Process, runs: u32) -> [CoverageTally; 4] {
    let mut stream = Seed::fixed(SEED).stream(&format!("coverage {} {}", process.name, process.count));
    let mut tallies = [CoverageTally::default(); 4];
    for _ in 0..runs {
        let series = process.run(&mut stream);
        tallies[0].note(&mean(&series, Level::P95).unwrap(), process.shape.mean());
        for (tally, (_, q)) in tallies[1..].iter_mut().zip(QUANTILES) {
            tally.note(&quantile(&series, q, Level::P95).unwrap(), process.shape.quantile(q));
        }
    }
    tallies
}

fn rate_coverage(traffic: &Traffic, runs: u32) -> CoverageTally {
    let mut stream = Seed::fixed(SEED).stream(&format!("coverage {}", traffic.name));
    let mut tally = CoverageTally::default();
    for _ in 0..runs {
        let events = traffic.run(&mut stream);
        let span = TimeSpan { start: 0.0, end: traffic.length };
        tally.note(&rate(events.into_iter(), span, Level::P95).unwrap(), traffic.truth());
    }
    tally
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    // 120 runs say 95 % as 95 ± 6 (three standard errors).
    let runs = 120;
    for process in PROCESSES.iter().filter(|process| process.count <= 2000) {
        for (index, tally) in series_coverage(process, runs).iter().enumerate() {
            assert!(tally.given > runs / 2, "{} {index}: {tally:?}", process.name);
            assert!((89.0..=100.0).contains(&tally.percent()), "{} {index}: {tally:?}", process.name);
        }
    }
    for traffic in TRAFFIC.iter().filter(|traffic| traffic.length < 500.0) {
        let tally = rate_coverage(traffic, runs);
        assert!((89.0..=100.0).contains(&tally.percent()), "{}: {tally:?}", traffic.name);
    }
}

#[test]
#[ignore = "ten thousand runs of each process: ten minutes in a release build"]
fn ten_thousand_runs_give_the_table_of_the_page() {
    let runs = 10_000;
    let mut table = String::from("| values | samples | mean | p50 | p90 | p99 |\n|---|---|---|---|---|---|\n");
    let mut outside = Vec::new();
    for process in PROCESSES {
        let tallies = series_coverage(process, runs);
        let cells = tallies.map(|tally| tally.cell(runs)).join(" | ");
        let _ = writeln!(table, "| {} | {} | {cells} |", process.name, process.count);
        outside.extend(tallies.iter().filter(|t| !(93.0..=97.0).contains(&t.percent())).map(|t| (process.name, *t)));
    }
    table.push_str("\n| events | seconds | rate |\n|---|---|---|\n");
    for traffic in TRAFFIC {
        let tally = rate_coverage(traffic, runs);
        let _ = writeln!(table, "| {} | {} | {} |", traffic.name, traffic.length, tally.cell(runs));
        outside.extend((!(93.0..=97.0).contains(&tally.percent())).then_some((traffic.name, tally)));
    }
    println!("{table}");
    page::hold("coverage", &table);
    assert!(outside.is_empty(), "outside 93 to 97 %: {outside:?}");
}
