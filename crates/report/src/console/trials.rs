//! What several runs say together: one line for each that is over, a table over trials, a table over the points of a sweep.

use aiperf_metrics::{Metric, Percentile, Stats};
use aiperf_table::{Colour, ConsoleTable, Emphasis, TableCell, TableColumn, TextStyle, Width, grouped, whole};
use serde_json::{Map, Value};

use super::tables::PROGRAM;
use crate::{Aggregate, AggregateMetric, BestCell, FailedRun, RunReport, SlaLimit, SweepCell, SweepReport};

/// What an operator looks at first, as far as it is there.
const KEY_FIGURES: [(Metric, &str); 14] = [
    (Metric::RequestThroughput, "avg"),
    (Metric::OutputTokenThroughput, "avg"),
    (Metric::Goodput, "avg"),
    (Metric::TimeToFirstToken, "avg"),
    (Metric::TimeToFirstToken, "p50"),
    (Metric::TimeToFirstToken, "p99"),
    (Metric::InterTokenLatency, "avg"),
    (Metric::InterTokenLatency, "p99"),
    (Metric::RequestLatency, "avg"),
    (Metric::RequestLatency, "p50"),
    (Metric::RequestLatency, "p99"),
    (Metric::OutputSequenceLength, "avg"),
    (Metric::InputSequenceLength, "avg"),
    (Metric::RequestErrorRate, "avg"),
];

impl Aggregate {
    /// Forgets all but what tables show and points of a sweep are compared by: a sweep may have a thousand of these.
    pub fn keep_key_figures(&mut self) {
        let is_key = |figure: &AggregateMetric| {
            KEY_FIGURES.iter().any(|(metric, stat)| metric.tag() == figure.tag && *stat == figure.stat)
        };
        self.metrics.retain(is_key);
        self.metrics.shrink_to_fit();
    }
}

/// Columns of the table of a sweep, with the words over them.
const SWEEP_FIGURES: [(Metric, &str, &str); 6] = [
    (Metric::RequestThroughput, "avg", "req/s"),
    (Metric::OutputTokenThroughput, "avg", "tokens/s"),
    (Metric::TimeToFirstToken, "p50", "TTFT p50 (ms)"),
    (Metric::TimeToFirstToken, "p99", "TTFT p99 (ms)"),
    (Metric::InterTokenLatency, "avg", "ITL avg (ms)"),
    (Metric::RequestLatency, "p99", "latency p99 (ms)"),
];

/// Runs that differ by more than this share of their mean deserve a word.
const RESTLESS: f64 = 0.10;

/// A run in one line, for those who watch several go by.
pub fn render_run_line(name: &str, report: &RunReport) -> String {
    let summary = &report.profiling.summary;
    let mut parts = vec![format!("{} requests", whole(summary.successful))];
    if summary.failed > 0 {
        parts.push(format!("{} failed", whole(summary.failed)));
    }
    let mut put = |metric: Metric, words: &str, pick: fn(&Stats) -> Option<f64>| {
        if let Some(value) = summary.get(metric).and_then(pick) {
            parts.push(format!("{} {words}", grouped(value)));
        }
    };
    put(Metric::RequestThroughput, "req/s", |stats| stats.avg);
    put(Metric::TimeToFirstToken, "ms TTFT p50", |stats| stats.percentile(Percentile::P50));
    put(Metric::RequestLatency, "ms latency p50", |stats| stats.percentile(Percentile::P50));
    format!("{name}: {}\n", parts.join(", "))
}

/// The trials of one configuration. `title` says which, if there are several.
pub fn render_aggregate(aggregate: &Aggregate, title: Option<&str>, width: Width, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let trials = aggregate.run_labels.len();
    let level = grouped(aggregate.confidence_level * 100.0);
    let level = level.trim_end_matches('0').trim_end_matches('.');
    let noun = if trials == 1 { "run" } else { "runs" };
    let point = title.map_or_else(String::new, |title| format!("{title}, "));
    let rows = KEY_FIGURES.iter().filter_map(|(metric, stat)| row(*metric, stat, aggregate.get(metric.tag(), stat)?));
    let table = ConsoleTable {
        title: format!("{PROGRAM} | {point}{trials} {noun}, mean with {level}% confidence interval"),
        columns: ["Metric", "mean", "±", "min", "max", "CV"].map(column).into(),
        rows: rows.collect(),
        flexible: 0,
    };
    let mut text = format!("\n{}\n", table.render(width, style));
    for failed in &aggregate.failed {
        text.push_str(&format!("{}\n", style.failure(&failure(failed))));
    }
    if trials == 1 {
        let note = "One run does not show how much runs differ: use --num-profile-runs 3 or more.";
        text.push_str(&format!("{note}\n"));
    }
    if let Some(note) = restless(aggregate) {
        text.push_str(&format!("{}\n", style.warning(&note)));
    }
    if let Some(settled) = &aggregate.settled {
        let of = settled.stat.as_ref().map_or_else(String::new, |stat| format!(" {stat}"));
        let value = settled.value.map_or_else(String::new, |value| format!(" at {value:.4}"));
        let (metric, mode, threshold) = (&settled.metric, &settled.mode, settled.threshold);
        let word = match &settled.reason {
            Some(reason) => reason,
            None if settled.converged => "converged",
            None => "did not converge",
        };
        let runs = aggregate.runs();
        text.push_str(&format!(
            "{metric}{of} {word} after {runs} of at most {} runs: {mode}{value}, limit {threshold}.\n",
            settled.most_runs
        ));
    }
    text
}

fn row(metric: Metric, stat: &str, figure: &AggregateMetric) -> Option<Vec<TableCell>> {
    let spread = &figure.spread;
    // A rate of zero in every run is not worth a row.
    if metric == Metric::RequestErrorRate && spread.max == 0.0 {
        return None;
    }
    let header = metric.definition().header;
    let stat = if stat == "avg" { String::new() } else { format!(" {stat}") };
    let margin = spread.t_critical.map(|t| t * spread.se);
    let cv = match spread.cv {
        Some(cv) if spread.t_critical.is_some() => {
            let tone = if cv > RESTLESS { Emphasis::Warning } else { Emphasis::Value };
            TableCell::new(format!("{:.1}%", cv * 100.0), tone)
        }
        _ => TableCell::number(None),
    };
    Some(vec![
        TableCell::name(format!("{header}{stat} ({})", figure.unit)),
        TableCell::number(Some(spread.mean)),
        TableCell::number(margin),
        TableCell::number(Some(spread.min)),
        TableCell::number(Some(spread.max)),
        cv,
    ])
}

/// The figure that runs disagree on most, if that is a lot.
fn restless(aggregate: &Aggregate) -> Option<String> {
    let figures = KEY_FIGURES.iter().filter_map(|(metric, stat)| aggregate.get(metric.tag(), stat));
    let spread = |figure: &AggregateMetric| figure.spread.cv.unwrap_or(0.0);
    let most = figures.max_by(|a, b| spread(a).total_cmp(&spread(b)))?;
    (spread(most) > RESTLESS).then(|| {
        format!(
            "Runs differ: {} varies by {:.0}% of its mean. Look for other load on the server, make runs longer, or repeat them more often.",
            most.key(),
            spread(most) * 100.0
        )
    })
}

fn failure(failed: &FailedRun) -> String {
    format!("{} failed and is not included: {}", failed.label, failed.error)
}

/// All points of a sweep.
pub fn render_sweep(sweep: &SweepReport, width: Width, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let shown: Vec<_> = SWEEP_FIGURES
        .into_iter()
        .filter(|(metric, stat, _)| sweep.cells.iter().any(|cell| cell.value(metric.tag(), stat).is_some()))
        .collect();
    let mut columns: Vec<TableColumn> = sweep.parameters.iter().map(|(name, _)| column(short(name))).collect();
    columns.extend(shown.iter().map(|(_, _, words)| column(words)));
    columns.push(TableColumn::left(""));
    let rows = sweep.cells.iter().map(|cell| {
        let mut row: Vec<TableCell> =
            sweep.parameters.iter().map(|(name, _)| TableCell::name(plain(cell.parameters.get(name)))).collect();
        row.extend(shown.iter().map(|(metric, stat, _)| TableCell::number(cell.value(metric.tag(), stat))));
        row.push(TableCell::new(marks(sweep, cell), Emphasis::Good));
        row
    });
    let points = sweep.cells.len();
    let each = if sweep.trials > 1 { format!(", mean of {} runs each", sweep.trials) } else { String::new() };
    let flexible = columns.len() - 1;
    let table = ConsoleTable {
        title: format!("{PROGRAM} | Sweep of {points} points{each}"),
        rows: rows.collect(),
        columns,
        flexible,
    };
    let mut text = format!("\n{}\n", table.render(width, style));
    for tie in [("highest", &sweep.best_throughput), ("lowest", &sweep.best_latency)].into_iter().filter_map(tie) {
        text.push_str(&format!("{tie}\n"));
    }
    if !sweep.sla_limits.is_empty() {
        let limits: Vec<String> = sweep.sla_limits.iter().map(limit_words).collect();
        text.push_str(&format!("{} of {points} points keep {}.\n", sweep.feasible(), limits.join(" and ")));
    }
    for failed in &sweep.failed {
        text.push_str(&format!("{}\n", style.failure(&failure(failed))));
    }
    text
}

/// `request_latency p95 < 300`.
fn limit_words(limit: &SlaLimit) -> String {
    let sign = match limit.op {
        "lt" => "<",
        "le" => "<=",
        "gt" => ">",
        _ => ">=",
    };
    format!("{} {} {sign} {}", limit.metric, limit.stat, limit.threshold)
}

/// A best point whose confidence interval overlaps that of others is not marked.
fn tie((word, best): (&str, &Option<BestCell>)) -> Option<String> {
    let best = best.as_ref().filter(|best| !best.tied_with.is_empty())?;
    let name = |parameters: &Map<String, Value>| {
        let values = parameters.iter().map(|(name, value)| format!("{} {}", short(name), plain(Some(value))));
        values.collect::<Vec<_>>().join(" ")
    };
    let others: Vec<String> = best.tied_with.iter().map(name).collect();
    Some(format!(
        "No point is marked as {word} {}: the confidence intervals of {} and {} overlap.",
        words_of(&best.statistic),
        name(&best.parameters),
        others.join(", ")
    ))
}

/// The statistic as the head of its column has it.
fn words_of(statistic: &str) -> &str {
    let column = SWEEP_FIGURES.iter().find(|(metric, stat, _)| format!("{}_{stat}", metric.tag()) == statistic);
    column.map_or(statistic, |(_, _, words)| words.trim_end_matches(" (ms)"))
}

fn marks(sweep: &SweepReport, cell: &SweepCell) -> String {
    if cell.metrics.is_empty() {
        return "no results".to_owned();
    }
    if !cell.is_feasible() {
        return "breaks the SLA".to_owned();
    }
    let is = |best: &&BestCell| best.tied_with.is_empty() && best.parameters == cell.parameters;
    let mark = |word: &str, best: &Option<BestCell>| {
        best.as_ref().filter(is).map(|best| format!("{word} {}", words_of(&best.statistic)))
    };
    let found = [mark("highest", &sweep.best_throughput), mark("lowest", &sweep.best_latency)];
    let mut words: Vec<String> = found.into_iter().flatten().collect();
    if words.is_empty() && sweep.pareto_optimal.contains(&cell.parameters) {
        words.push("Pareto-optimal".to_owned());
    }
    words.join(", ")
}

/// `datasets.main.prompts.isl.mean` says more than a column has room for.
fn short(name: &str) -> &str {
    match name {
        "datasets.main.prompts.isl.mean" => "isl",
        "datasets.main.prompts.isl.stddev" => "isl stddev",
        "datasets.main.prompts.osl.mean" => "osl",
        "datasets.main.prompts.osl.stddev" => "osl stddev",
        "datasets.main.turns.mean" => "turns",
        other => other,
    }
}

fn plain(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

fn column(header: &str) -> TableColumn {
    TableColumn::right(header)
}
