//! How often gates err, on runs whose truth is known: a few pairs with every test run, the whole table of
//! `docs/comparing.md` when asked for.

use std::path::Path;
use std::{env, fs};

use crate::synthetic::{MadeUp, Spread};
use aiperf_compare::{
    Asked, AskedQuantity, Forecast, Gate, GateOutcome, OnUnclear, Report, RowOutcome, Selection, Share, Side, Verdict,
    compare,
};
use aiperf_stats::Level;

fn asked(quantities: &[&str]) -> Asked {
    let quantity = |text: &&str| AskedQuantity { quantity: text.parse().unwrap(), threshold: None };
    Asked {
        selection: Selection::Gate,
        quantities: quantities.iter().map(quantity).collect(),
        threshold: None,
        detect: Share::new(0.05),
        level: Level::P95,
    }
}

/// Two runs, the second `slower` by a factor, compared.
fn pair(spread: Spread, requests: u64, slower: f64, seed: u64, asked: &Asked) -> Report {
    let dir = tempfile::tempdir().unwrap();
    let side = |name: &str, slower: f64, seed: u64| {
        let folder = dir.path().join(name);
        MadeUp { spread, requests, slower, seed }.write(&folder);
        let quantities: Vec<_> = asked.quantities.iter().map(|asked| asked.quantity).collect();
        Side::open(&folder, Path::new(name), &quantities).unwrap()
    };
    let (a, b) = (side("a", 1.0, 2 * seed), side("b", slower, 2 * seed + 1));
    compare(&a, &[b], asked).unwrap()
}

fn outcome(report: &Report) -> GateOutcome {
    Gate::of(report, OnUnclear::Fail).outcome
}

/// Of many gates.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    pairs: u32,
    regressions: u32,
    passed: u32,
    unclear: u32,
    /// Pairs in which some number was called better or worse.
    called: u32,
    requests: u64,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.pairs += 1;
        match outcome(report) {
            GateOutcome::Regression => self.regressions += 1,
            GateOutcome::Passed => self.passed += 1,
            GateOutcome::Unclear => self.unclear += 1,
        }
        let called = |verdict| matches!(verdict, Verdict::Better | Verdict::Worse);
        self.called += u32::from(report.comparisons[0].rows.iter().any(|row| called(row.verdict)));
        self.requests += report.baseline.requests.unwrap();
    }

    fn share(count: u32, pairs: u32) -> f64 {
        f64::from(count) / f64::from(pairs) * 100.0
    }

    fn row(&self, what: &str, spread: Spread, quantities: &str) -> String {
        let share = |count| Self::share(count, self.pairs);
        format!(
            "| {what} | {} | {quantities} | {} | {} | {:.1}% | {:.1}% | {:.1}% |\n",
            spread.words(),
            self.requests / u64::from(self.pairs),
            self.pairs,
            share(self.regressions),
            share(self.passed),
            share(self.unclear)
        )
    }
}

fn tally(pairs: u64, spread: Spread, requests: u64, slower: f64, asked: &Asked) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..pairs {
        tally.add(&pair(spread, requests, slower, 1_000_000 * requests + seed, asked));
    }
    tally
}

/// What two runs of `pilot` requests of one server say that it takes, to find 5% and to show that there is no change.
fn forecast(spread: Spread, pilot: u64, seed: u64, asked: &Asked) -> (u64, u64) {
    let report = pair(spread, pilot, 1.0, 50_000 + seed, asked);
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
fn forecast_tally(pairs: u64, spread: Spread, pilot: u64, truth: Truth, asked: &Asked) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..pairs {
        let (find, equal) = forecast(spread, pilot, seed, asked);
        tally.add(&match truth {
            Truth::Slower => pair(spread, find, 1.05, 70_000 + seed, asked),
            Truth::Same => pair(spread, equal, 1.0, 90_000 + seed, asked),
        });
    }
    tally
}

#[test]
fn runs_of_one_server_seldom_alarm() {
    for spread in [Spread::Independent, Spread::Remembering, Spread::LongTail] {
        let tally = tally(25, spread, 300, 1.0, &asked(&[]));
        assert!(tally.regressions <= 1 && tally.called <= 2, "{spread:?}: {tally:?}");
    }
}

#[test]
fn a_change_of_five_percent_is_found_with_the_forecast_number_of_requests() {
    let asked = asked(&["time_to_first_token:avg"]);
    let changed = forecast_tally(12, Spread::Independent, 300, Truth::Slower, &asked);
    assert!(changed.regressions >= 11, "{changed:?}");
    let same = forecast_tally(3, Spread::Independent, 300, Truth::Same, &asked);
    assert_eq!(same.passed, 3, "{same:?}");
}

#[test]
fn too_few_requests_cannot_tell() {
    let tally = tally(20, Spread::Independent, 60, 1.05, &asked(&[]));
    assert!(tally.unclear >= 17, "{tally:?}");
    let report =
        pair(Spread::Independent, 12, 1.05, 3, &asked(&["time_to_first_token:avg", "time_to_first_token:p99"]));
    for row in &report.comparisons[0].rows {
        assert_eq!((row.verdict, RowOutcome::of(row)), (Verdict::CannotTell, RowOutcome::Unclear));
        assert!(matches!(row.forecast, Some(Forecast::AtLeast(_))), "{row:?}");
    }
}

const BEGIN: &str = "<!-- error rates -->\n";
const END: &str = "<!-- end of error rates -->\n";

/// Minutes: `UPDATE_DOCS=1 cargo test --release -p aiperf-compare --test comparisons -- --ignored` writes the table.
#[test]
#[ignore = "minutes of computing; for docs/comparing.md"]
fn the_table_of_error_rates() {
    const PAIRS: u64 = 200;
    let mut table = String::from(
        "| truth | times to first token | compared | requests a side | pairs | regression | pass | cannot tell |\n\
         |---|---|---|---:|---:|---:|---:|---:|\n",
    );
    let mut broken = Vec::new();
    let mut put = |row: String, kept: bool, tally: Tally| {
        print!("{row}");
        if !kept {
            broken.push(format!("{row}{tally:?}"));
        }
        table.push_str(&row);
    };
    let spreads = [Spread::Independent, Spread::Remembering, Spread::LongTail];
    let quantiles = ["time_to_first_token:p50", "time_to_first_token:p90", "time_to_first_token:p99"];
    for spread in spreads {
        for (requests, words, asked) in
            [(200, "usual", asked(&[])), (1_000, "usual", asked(&[])), (1_000, "TTFT p50, p90, p99", asked(&quantiles))]
        {
            let same = tally(PAIRS, spread, requests, 1.0, &asked);
            put(same.row("same server", spread, words), same.regressions <= 10, same);
        }
    }
    for spread in spreads {
        let average = asked(&["time_to_first_token:avg"]);
        let found = forecast_tally(PAIRS, spread, 300, Truth::Slower, &average);
        let row = found.row("TTFT slower by 5%", spread, "TTFT avg, forecast to find");
        put(row, found.regressions >= 190, found);
        let tail = asked(&["time_to_first_token:p90"]);
        let found = forecast_tally(PAIRS / 2, spread, 1_000, Truth::Slower, &tail);
        let row = found.row("TTFT slower by 5%", spread, "TTFT p90, forecast to find");
        put(row, found.regressions >= 95, found);
        let shown = forecast_tally(PAIRS / 4, spread, 300, Truth::Same, &average);
        let row = shown.row("same server", spread, "TTFT avg, forecast to show equal");
        put(row, shown.passed >= 47, shown);
    }
    let few = tally(PAIRS, Spread::Independent, 60, 1.05, &asked(&[]));
    put(few.row("TTFT slower by 5%", Spread::Independent, "usual"), few.unclear >= 190, few);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if env::var_os("UPDATE_DOCS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/comparing.md");
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}")).unwrap();
    }
}
