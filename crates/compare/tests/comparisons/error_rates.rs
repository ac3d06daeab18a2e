//! How often gates err, on runs whose truth is known: a few pairs with every test run, the whole table of
//! `docs/comparing.md` when asked for.

use std::path::Path;
use std::{env, fs, thread};

use crate::synthetic::{LatencySpread, MadeUp};
use aiperf_compare::{
    AskedQuantity, ComparisonOptions, ComparisonReport, Forecast, Gate, GateOutcome, OnUnclear, RowOutcome, Selection,
    Share, Side, Verdict, compare,
};
use aiperf_stats::Level;

fn asked(quantities: &[&str]) -> ComparisonOptions {
    let quantity = |text: &&str| AskedQuantity { quantity: text.parse().unwrap(), threshold: None };
    ComparisonOptions {
        selection: Selection::Gate,
        quantities: quantities.iter().map(quantity).collect(),
        threshold: None,
        detect: Share::new(0.05),
        level: Level::P95,
        allow_incomplete: false,
    }
}

/// What runs are made of.
#[derive(Debug, Clone, Copy)]
struct ServerModel {
    spread: LatencySpread,
    concurrency: usize,
    failed: f64,
}

impl ServerModel {
    const fn usual(spread: LatencySpread) -> Self {
        Self { spread, concurrency: 8, failed: 0.003 }
    }

    /// Twenty at a time, of which none fails.
    const MODERATE: Self = Self { spread: LatencySpread::Moderate, concurrency: 20, failed: 0.0 };

    /// The same with times to first token that vary three times as much.
    const VARIED: Self = Self { spread: LatencySpread::Independent, concurrency: 20, failed: 0.0 };

    fn words(self) -> String {
        let errors = if self.failed > 0.0 { String::new() } else { ", no errors".to_owned() };
        format!("{}, {} at a time{errors}", self.spread.words(), self.concurrency)
    }
}

/// Two runs, the second `slower` by a factor, compared.
fn pair(server: ServerModel, requests: u64, slower: f64, seed: u64, asked: &ComparisonOptions) -> ComparisonReport {
    let dir = tempfile::tempdir().unwrap();
    let side = |name: &str, slower: f64, seed: u64| {
        let folder = dir.path().join(name);
        let ServerModel { spread, concurrency, failed } = server;
        MadeUp { spread, requests, slower, seed, concurrency, failed }.write(&folder);
        let quantities: Vec<_> = asked.quantities.iter().map(|asked| asked.quantity).collect();
        Side::open(&folder, Path::new(name), &quantities).unwrap()
    };
    let (a, b) = (side("a", 1.0, 2 * seed), side("b", slower, 2 * seed + 1));
    compare(&a, &[b], asked).unwrap()
}

fn outcome(report: &ComparisonReport) -> GateOutcome {
    Gate::of(report, OnUnclear::Fail).outcome
}

/// Of many gates.
#[derive(Debug, Default, Clone, Copy)]
struct VerdictTally {
    pairs: u32,
    regressions: u32,
    passed: u32,
    unclear: u32,
    requests: u64,
}

impl VerdictTally {
    fn add(&mut self, report: &ComparisonReport) {
        self.pairs += 1;
        match outcome(report) {
            GateOutcome::Regression => self.regressions += 1,
            GateOutcome::Passed => self.passed += 1,
            GateOutcome::Inconclusive | GateOutcome::NoVerdict => self.unclear += 1,
        }
        self.requests += report.baseline.requests.unwrap();
    }

    fn plus(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            regressions: self.regressions + other.regressions,
            passed: self.passed + other.passed,
            unclear: self.unclear + other.unclear,
            requests: self.requests + other.requests,
        }
    }

    fn share(count: u32, pairs: u32) -> f64 {
        f64::from(count) / f64::from(pairs) * 100.0
    }

    fn row(&self, what: &str, server: ServerModel, quantities: &str) -> String {
        let share = |count| Self::share(count, self.pairs);
        format!(
            "| {what} | {} | {quantities} | {} | {} | {:.1}% | {:.1}% | {:.1}% |\n",
            server.words(),
            self.requests / u64::from(self.pairs),
            self.pairs,
            share(self.regressions),
            share(self.passed),
            share(self.unclear)
        )
    }
}

fn tally(pairs: u64, server: ServerModel, requests: u64, slower: f64, asked: &ComparisonOptions) -> VerdictTally {
    sum_of(pairs, |seed| pair(server, requests, slower, 1_000_000 * requests + seed, asked))
}

/// On all cores: each pair has its own seed, so that nothing depends on which one made it.
fn sum_of(pairs: u64, pair: impl Fn(u64) -> ComparisonReport + Sync) -> VerdictTally {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let part = |core: u64| {
        let mut tally = VerdictTally::default();
        (core..pairs).step_by(cores as usize).for_each(|seed| tally.add(&pair(seed)));
        tally
    };
    thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..cores).map(|core| scope.spawn(move || part(core))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).fold(VerdictTally::default(), VerdictTally::plus)
    })
}

/// What two runs of `pilot` requests of one server say that it takes, to find 5% and to show that there is no change.
fn forecast(server: ServerModel, pilot: u64, seed: u64, asked: &ComparisonOptions) -> (u64, u64) {
    let report = pair(server, pilot, 1.0, 50_000 + seed, asked);
    match report.comparisons[0].rows[0].forecast {
        Some(Forecast::Needs { find, equal, .. }) => (find, equal),
        other => panic!("{other:?} of {pilot} requests"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    Same,
    /// By 5%.
    Slower,
}

/// Each pair takes the number of requests that its own pilot runs forecast for what is true.
fn forecast_tally(
    pairs: u64,
    server: ServerModel,
    pilot: u64,
    truth: Truth,
    asked: &ComparisonOptions,
) -> VerdictTally {
    sum_of(pairs, |seed| {
        let (find, equal) = forecast(server, pilot, seed, asked);
        match truth {
            Truth::Slower => pair(server, find, 1.05, 70_000 + seed, asked),
            Truth::Same => pair(server, equal, 1.0, 90_000 + seed, asked),
        }
    })
}

#[test]
fn runs_of_one_server_seldom_alarm() {
    for spread in [LatencySpread::Independent, LatencySpread::Remembering, LatencySpread::LongTail] {
        let tally = tally(25, ServerModel::usual(spread), 300, 1.0, &asked(&[]));
        // Over 1,000 such pairs 4.1% alarmed (autocorrelated: 4.0%), within the 5% that are promised. Of 25 pairs, at 5% five or
        // more would alarm by chance once in a hundred times; the whole table looks at more pairs.
        assert!(tally.regressions <= 4, "{spread:?}: {tally:?}");
    }
}

#[test]
fn runs_of_one_server_without_errors_pass_with_400_requests_at_concurrency_20() {
    let tally = tally(40, ServerModel::MODERATE, 400, 1.0, &asked(&[]));
    assert!(tally.regressions <= 1 && tally.passed >= 32, "{tally:?}");
}

#[test]
fn a_change_of_five_percent_is_found_with_the_forecast_number_of_requests() {
    let asked = asked(&["time_to_first_token:avg"]);
    let changed = forecast_tally(12, ServerModel::usual(LatencySpread::Independent), 300, Truth::Slower, &asked);
    assert!(changed.regressions >= 11, "{changed:?}");
    let same = forecast_tally(3, ServerModel::usual(LatencySpread::Independent), 300, Truth::Same, &asked);
    assert_eq!(same.passed, 3, "{same:?}");
}

#[test]
fn too_few_requests_cannot_tell() {
    let tally = tally(20, ServerModel::usual(LatencySpread::Independent), 60, 1.05, &asked(&[]));
    assert!(tally.unclear >= 17, "{tally:?}");
    let report = pair(
        ServerModel::usual(LatencySpread::Independent),
        12,
        1.05,
        3,
        &asked(&["time_to_first_token:avg", "time_to_first_token:p99"]),
    );
    for row in &report.comparisons[0].rows {
        assert_eq!((row.verdict, RowOutcome::of(row)), (Verdict::Inconclusive, RowOutcome::Inconclusive));
        assert!(matches!(row.forecast, Some(Forecast::AtLeast(_))), "{row:?}");
    }
}

#[test]
#[ignore = "minutes of computing; the rows of docs/comparing.md that are promised"]
fn what_is_promised_of_a_gate_holds_over_200_pairs() {
    let same = tally(200, ServerModel::MODERATE, 400, 1.0, &asked(&[]));
    println!("{}", same.row("same server", ServerModel::MODERATE, "usual"));
    let changed = forecast_tally(200, ServerModel::MODERATE, 200, Truth::Slower, &asked(&[]));
    println!("{}", changed.row("TTFT slower by 5%", ServerModel::MODERATE, "usual, forecast of TTFT avg to detect"));
    assert!(same.regressions <= 10 && same.passed >= 160, "{same:?}");
    assert!(changed.regressions >= 190, "{changed:?}");
}

const BEGIN: &str = "<!-- error rates -->\n";
const END: &str = "<!-- end of error rates -->\n";

/// Minutes: `UPDATE_DOCS=1 cargo test --release -p aiperf-compare --test comparisons -- --ignored` writes the table.
#[test]
#[ignore = "minutes of computing; for docs/comparing.md"]
fn the_table_of_error_rates() {
    const PAIRS: u64 = 200;
    /// For servers without a change: with 200 pairs, a gate that alarms in 5% of them would break its bound by chance.
    const SAME_PAIRS: u64 = 1_000;
    let mut table = String::from(
        "| truth | times to first token | compared | requests per side | pairs | regression | pass | inconclusive |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    let mut broken = Vec::new();
    let mut put = |row: String, kept: bool, tally: VerdictTally| {
        print!("{row}");
        if !kept {
            broken.push(format!("{row}{tally:?}"));
        }
        table.push_str(&row);
    };
    let spreads = [LatencySpread::Independent, LatencySpread::Remembering, LatencySpread::LongTail];
    let quantiles = ["time_to_first_token:p50", "time_to_first_token:p90", "time_to_first_token:p99"];
    for (server, requests) in [
        (ServerModel::MODERATE, 200),
        (ServerModel::MODERATE, 1_000),
        (ServerModel::VARIED, 400),
        (ServerModel::VARIED, 2_000),
    ] {
        let same = tally(PAIRS, server, requests, 1.0, &asked(&[]));
        put(same.row("same server", server, "usual"), same.regressions <= 10, same);
    }
    let same = tally(PAIRS, ServerModel::MODERATE, 400, 1.0, &asked(&[]));
    put(same.row("same server", ServerModel::MODERATE, "usual"), same.regressions <= 10 && same.passed >= 160, same);
    let changed = forecast_tally(PAIRS, ServerModel::MODERATE, 200, Truth::Slower, &asked(&[]));
    let row = changed.row("TTFT slower by 5%", ServerModel::MODERATE, "usual, forecast of TTFT avg to detect");
    put(row, changed.regressions >= 190, changed);
    for server in spreads.map(ServerModel::usual) {
        for (requests, words, asked) in
            [(200, "usual", asked(&[])), (1_000, "usual", asked(&[])), (1_000, "TTFT p50, p90, p99", asked(&quantiles))]
        {
            let same = tally(SAME_PAIRS, server, requests, 1.0, &asked);
            put(same.row("same server", server, words), u64::from(same.regressions) <= SAME_PAIRS / 20, same);
        }
    }
    for server in spreads.map(ServerModel::usual) {
        let average = asked(&["time_to_first_token:avg"]);
        let found = forecast_tally(PAIRS, server, 300, Truth::Slower, &average);
        let row = found.row("TTFT slower by 5%", server, "TTFT avg, forecast to detect");
        put(row, found.regressions >= 190, found);
        let tail = asked(&["time_to_first_token:p90"]);
        let found = forecast_tally(PAIRS / 2, server, 1_000, Truth::Slower, &tail);
        let row = found.row("TTFT slower by 5%", server, "TTFT p90, forecast to detect");
        put(row, found.regressions >= 95, found);
        let shown = forecast_tally(PAIRS / 4, server, 300, Truth::Same, &average);
        let row = shown.row("same server", server, "TTFT avg, forecast to pass");
        put(row, shown.passed >= 47, shown);
    }
    let few = tally(PAIRS, ServerModel::usual(LatencySpread::Independent), 60, 1.05, &asked(&[]));
    put(few.row("TTFT slower by 5%", ServerModel::usual(LatencySpread::Independent), "usual"), few.passed == 0, few);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if env::var_os("UPDATE_DOCS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/comparing.md");
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}")).unwrap();
    }
}
