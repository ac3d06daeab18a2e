//! What a search for a capacity found, in a few lines: the answer, what limits it, how sure it is, and the curve behind it.

use aiperf_capacity::{Outcome, VerificationVerdict, three_digits};
use aiperf_table::{Align, Colour, TextStyle, Width, aligned, decimal, whole, wrap};

use crate::{CapacityFile, CapacitySloLimit};

/// Loads that are shown; a longer curve is in the file.
const MOST_LEVELS: usize = 14;
/// Loads that differ by less than this are one row.
const SAME_LEVEL: f64 = 1.005;
/// Columns of the bar of the share of violations.
const BAR: usize = 20;

/// The result of a search.
pub fn render_capacity(file: &CapacityFile, width: Width, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let mut text = format!("\n{}\n", style.strong(&answer(file)));
    for line in aligned(&facts(file), [Align::Left, Align::Left]) {
        text.push_str(&format!("  {line}\n"));
    }
    for warning in &file.warnings {
        for line in wrap(&format!("Warning [{}]: {}", warning.code, warning.text), width.0) {
            text.push_str(&style.warning(&line));
            text.push('\n');
        }
    }
    text.push_str(&curve(file));
    text.push('\n');
    text
}

/// A load in the unit of the search: users are whole.
fn load(file: &CapacityFile, value: f64) -> String {
    if file.unit == "users" { whole(value as u64) } else { three_digits(value) }
}

/// `Capacity: 10.8 requests/s within time_to_first_token p99 <= 500 ms (95 % interval 10.4 to 11.2)`
fn answer(file: &CapacityFile) -> String {
    let limits = file.goal.slos.iter().map(limit).collect::<Vec<_>>().join(" and ");
    let unit = &file.unit;
    match (&file.capacity, file.report.outcome) {
        (_, Outcome::AlwaysViolated) => format!("Capacity: none; the lowest load violates {limits}"),
        (_, Outcome::NeverViolated) => {
            let highest = file.curve().last().map_or(0.0, |(level, _)| *level);
            format!("Capacity: at least {} {unit} within {limits}; no higher load was allowed", load(file, highest))
        }
        (None, _) => format!("Capacity: not known yet; the search ended before it came near the limit of {limits}"),
        (Some(known), _) => format!("Capacity: {} {unit} within {limits}", load(file, known.estimate)),
    }
}

fn limit(slo: &CapacitySloLimit) -> String {
    format!("{} p{} {} {}", slo.metric, slo.percentile, slo.limit, slo.unit)
}

fn facts(file: &CapacityFile) -> Vec<[String; 2]> {
    let report = &file.report;
    let mut facts: Vec<[String; 2]> = Vec::new();
    let mut put = |name: &str, value: String| facts.push([name.to_owned(), value]);
    if let Some(known) = &file.capacity {
        let (low, high) = (load(file, known.low), load(file, known.high));
        let percent = three_digits(known.precision * 100.0);
        put("95 % interval", format!("{low} to {high} {} (known to ±{percent} %)", file.unit));
        put("plan with", format!("{low} {}, the lower end of the interval", file.unit));
    }
    if let Some(slo) = file.binding() {
        put("binding SLO", limit(slo));
    }
    if let Some(check) = &report.verification {
        let verdict = match check.verdict {
            VerificationVerdict::Kept => "kept",
            VerificationVerdict::NotContradicted => "above, but within chance",
            VerificationVerdict::Violated => "violated",
        };
        put(
            "verification",
            format!(
                "{}: {} of {} new requests violate {} ({} allowed): {verdict}",
                check.level,
                percent(check.violation_share),
                whole(check.requests),
                check.slo,
                percent(check.allowed_share)
            ),
        );
        put("goodput there", format!("{} requests/s", three_digits(check.goodput)));
    }
    if let Some(effect) = &report.design_effect {
        put(
            "design effect",
            format!(
                "{}: {} requests say as much as 1 independent one",
                three_digits(effect.value),
                three_digits(effect.value.max(1.0))
            ),
        );
    }
    let steps = file.decisions.iter().filter(|decision| decision.measured.is_some()).count();
    put(
        "used",
        format!("{} requests, {} min, {steps} steps", whole(report.requests), decimal(report.duration_s / 60.0, 1)),
    );
    put("ended", file.reason.clone());
    facts
}

fn percent(share: f64) -> String {
    format!("{} %", three_digits(share * 100.0))
}

/// One row of the table: loads that are almost equal are one.
#[derive(Debug, Clone, Copy)]
struct LevelRow {
    level: f64,
    requests: f64,
    violations: f64,
    throughput: f64,
}

fn curve(file: &CapacityFile) -> String {
    let mut rows: Vec<LevelRow> = Vec::new();
    for (level, point) in file.curve() {
        let share = point.violation_shares.iter().copied().fold(0.0, f64::max);
        let requests = point.requests as f64;
        let row = LevelRow { level, requests, violations: share * requests, throughput: point.throughput * requests };
        match rows.last_mut().filter(|last| row.level <= last.level * SAME_LEVEL) {
            Some(last) => {
                last.requests += row.requests;
                last.violations += row.violations;
                last.throughput += row.throughput;
            }
            None => rows.push(row),
        }
    }
    rows.retain(|row| row.requests > 0.0);
    if rows.is_empty() {
        return String::new();
    }
    let shown = nearest(&rows, file.capacity.map(|known| known.estimate));
    let mut table = vec![[
        file.unit.clone(),
        "requests".to_owned(),
        "answered/s".to_owned(),
        "violations".to_owned(),
        String::new(),
    ]];
    table.extend(shown.iter().map(|row| {
        let share = row.violations / row.requests;
        [
            load(file, row.level),
            whole(row.requests as u64),
            three_digits(row.throughput / row.requests),
            percent(share),
            "#".repeat((share * BAR as f64).ceil() as usize),
        ]
    }));
    let align = [Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
    aligned(&table, align).into_iter().map(|line| format!("  {}\n", line.trim_end())).collect::<Vec<_>>().concat()
}

/// The rows that lie nearest to the capacity.
fn nearest(rows: &[LevelRow], capacity: Option<f64>) -> Vec<LevelRow> {
    let mut shown = rows.to_vec();
    if let Some(capacity) = capacity {
        shown.sort_by(|a, b| (a.level / capacity).ln().abs().total_cmp(&(b.level / capacity).ln().abs()));
    }
    shown.truncate(MOST_LEVELS);
    shown.sort_by(|a, b| a.level.total_cmp(&b.level));
    shown
}
