//! Runs many searches on simulated servers whose capacity is known, and prints tables:
//! `coverage SEEDS[@FIRST] [TABLE [PRECISION]]`, where a table is `naive`, `rate`, `holdout`, `users` or `changes`, and a precision is
//! `5`, `3` or `2`. Without them it prints everything. The searches run on all cores; seeds begin at `FIRST`, or at 0.

#[path = "../testing/seeds.rs"]
mod seeds;
#[path = "../testing/virtual_search.rs"]
mod virtual_search;

use std::process::ExitCode;

use aiperf_capacity::{CapacityReport, LoadKind, StabilityFinding};
use aiperf_queue_model::{KnownServer, Load};
use aiperf_seed::Seed;
use seeds::{Seeds, percent};
use virtual_search::search;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(seeds) = words.next().and_then(|word| Seeds::read(&word)) else {
        eprintln!("usage: coverage SEEDS[@FIRST] [naive|rate|holdout|users|changes [PRECISION]]");
        return ExitCode::FAILURE;
    };
    let table = words.next();
    let only = words.next().and_then(|word| word.parse().ok());
    let wanted = |name: &str| table.as_deref().is_none_or(|table| table == name);
    if wanted("naive") {
        naive_table(seeds);
    }
    if wanted("users") {
        users_table(seeds);
    }
    if wanted("rate") {
        rate_table(&KnownServer::STABLE, seeds, only);
    }
    if wanted("holdout") {
        rate_table(&KnownServer::HOLD_OUT, seeds, only);
    }
    if wanted("changes") {
        changes_table(seeds);
    }
    ExitCode::SUCCESS
}

fn rate_table(servers: &[KnownServer], seeds: Seeds, only: Option<u32>) {
    println!(
        "| server | precision | interval holds the truth | below it, above it | capacity above truth + 2 % | capacity: median error | requests: median, p90 | false alarms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &server in servers {
        for percents in [5, 3, 2].into_iter().filter(|&percents| only.is_none_or(|only| only == percents)) {
            let precision = f64::from(percents) / 100.0;
            let truth = server.rate_capacity();
            let reports = reports(server, seeds, LoadKind::Rate, precision);
            let estimates = || reports.iter().filter_map(|report| report.estimate);
            let mut errors: Vec<f64> = estimates().map(|e| (e.capacity / truth - 1.0) * 100.0).collect();
            errors.sort_by(f64::total_cmp);
            println!(
                "| {} | ±{} % | {} | {}, {} | {} | {:+.1} % | {} | {} |",
                server.name(),
                percents,
                percent(estimates().filter(|e| e.low <= truth && truth <= e.high).count(), seeds),
                percent(estimates().filter(|e| truth < e.low).count(), seeds),
                percent(estimates().filter(|e| truth > e.high).count(), seeds),
                percent(estimates().filter(|e| e.capacity > 1.02 * truth).count(), seeds),
                errors.get(errors.len() / 2).copied().unwrap_or(f64::NAN),
                requests(&reports),
                percent(reports.iter().filter(|report| alarm(report).is_some()).count(), seeds),
            );
        }
    }
}

fn users_table(seeds: Seeds) {
    let servers = KnownServer::STABLE.into_iter().chain(KnownServer::HOLD_OUT);
    println!("| server | true users | within one user or 2 % | requests: median, p90 |");
    println!("|---|---|---|---|");
    for server in servers {
        let truth = f64::from(server.user_capacity());
        let reports = reports(server, seeds, LoadKind::Concurrency, 0.02);
        let near = |users: u32| (f64::from(users) - truth).abs() <= (0.02 * truth).max(1.0);
        let right = reports.iter().filter_map(|report| report.users).filter(|&users| near(users)).count();
        println!("| {} | {truth} | {} | {} |", server.name(), percent(right, seeds), requests(&reports));
    }
}

fn changes_table(seeds: Seeds) {
    println!(
        "| server | detected as drift | detected as warming | detected as non-monotone | interval holds the truth |"
    );
    println!("|---|---|---|---|---|");
    for server in KnownServer::CHANGING {
        let truth = server.rate_capacity();
        let reports = reports(server, seeds, LoadKind::Rate, 0.03);
        let detected = |name| percent(reports.iter().filter(|report| alarm(report) == Some(name)).count(), seeds);
        let held = reports.iter().filter_map(|report| report.estimate).filter(|e| e.low <= truth && truth <= e.high);
        println!(
            "| {} | {} | {} | {} | {} |",
            server.name(),
            detected("drift"),
            detected("warming"),
            detected("non-monotone"),
            percent(held.count(), seeds)
        );
    }
}

fn alarm(report: &CapacityReport) -> Option<&'static str> {
    match report.stability {
        _ if report.non_monotone.is_some() => Some("non-monotone"),
        StabilityFinding::Stable => None,
        StabilityFinding::Warming { .. } => Some("warming"),
        StabilityFinding::Drift { .. } => Some("drift"),
    }
}

fn reports(server: KnownServer, seeds: Seeds, kind: LoadKind, precision: f64) -> Vec<CapacityReport> {
    seeds.each(|seed| search(server, seed, kind, precision))
}

fn requests(reports: &[CapacityReport]) -> String {
    let mut requests: Vec<u64> = reports.iter().map(|report| report.requests).collect();
    requests.sort_unstable();
    format!("{}, {}", requests[requests.len() / 2], requests[requests.len() * 9 / 10])
}

/// The usual rule: bisect, measure each rate with a fresh server, and believe one verdict or two equal verdicts.
fn naive_table(seeds: Seeds) {
    println!("| server | requests per probe | equal verdicts | error: p95 | above truth + 2 % |");
    println!("|---|---|---|---|---|");
    for server in KnownServer::STABLE {
        for probe in [300, 1_000] {
            for verdicts in [1, 2] {
                let truth = server.rate_capacity();
                let mut errors: Vec<f64> = seeds.each(|seed| naive_search(server, seed, probe, verdicts) / truth - 1.0);
                let over = errors.iter().filter(|&&error| error > 0.02).count();
                errors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
                let p95 = errors[errors.len() * 95 / 100].abs() * 100.0;
                println!("| {} | {probe} | {verdicts} | {p95:.1} % | {} |", server.name(), percent(over, seeds));
            }
        }
    }
}

fn naive_search(server: KnownServer, seed: u64, probe: u32, verdicts: u32) -> f64 {
    let (mut low, mut high) = (0.25 * server.rate_capacity(), 2.0 * server.rate_capacity());
    let mut runs = 0;
    while high / low > 1.01 {
        let rate = f64::midpoint(low, high);
        let (mut kept, mut violated) = (0, 0);
        while kept < verdicts && violated < verdicts {
            runs += 1;
            let mut session = server.start(Seed::fixed(seed * 1_000 + runs));
            session.apply(Load::OpenLoop { requests_per_s: rate });
            let late = (0..probe)
                .filter_map(|_| session.next_completed())
                .filter(|request| server.objective().ratio(request) > 1.0)
                .count();
            if late as f64 <= server.objective().allowed_share * f64::from(probe) { kept += 1 } else { violated += 1 }
        }
        if kept == verdicts { low = rate } else { high = rate }
    }
    low
}
