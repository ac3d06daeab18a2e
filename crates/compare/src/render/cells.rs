//! The words and numbers that tables are made of.

use aiperf_stats::Level;
use aiperf_table::{grouped, whole};

use crate::verdict::row::RowLevels;
use crate::{
    AccuracyComparison, Change, Comparison, ComparisonReport, ComparisonRow, Forecast, Gate, GateOutcome, GpuRowPair,
    OnUnclear, Question, RowOutcome, Scale, Share, SideNote, TaskComparison, Verdict, Warning,
};

/// Columns of a table; each report has its own words for some of them.
pub(super) const COLUMNS: usize = 8;

/// What stands over the columns of a report.
pub(super) fn headings(report: &ComparisonReport) -> [String; COLUMNS] {
    let rows = || report.comparisons.iter().flat_map(|comparison| &comparison.rows);
    // The usual scale; of others each cell says what it is for.
    let detect = rows().find(|row| row.scale == Scale::Relative).map(|row| limit(row.detect, row.scale));
    let find = detect.map_or_else(|| "n to detect".to_owned(), |detect| format!("n to detect {detect}"));
    let (bounds, none) = match report.question {
        Question::Changed => ("interval", "n to show equal"),
        Question::Worse => ("one-sided bounds", "n to pass"),
    };
    ["metric", "baseline", "candidate", "change", bounds, "verdict", &find, none].map(ToOwned::to_owned)
}

/// One row under [`headings`].
pub(super) fn row(row: &ComparisonRow, report: &ComparisonReport, is_gate: bool) -> [String; COLUMNS] {
    let definition = row.quantity.metric.definition();
    let (find, equal) = forecast(row, &headings(report)[6]);
    [
        format!("{} ({})", row.quantity.title(), definition.shown.label()),
        value(row.baseline),
        value(row.candidate),
        row.change.as_ref().map_or_else(|| "–".to_owned(), |change| share(change.share, change.scale)),
        row.change.as_ref().map_or_else(|| "–".to_owned(), interval),
        verdict(row, is_gate),
        find,
        equal,
    ]
}

/// The answers to the same questions in one sentence.
pub(super) fn accuracy(accuracy: &AccuracyComparison, is_gate: bool) -> String {
    let verdict = match (accuracy.verdict, accuracy.outcome()) {
        (Verdict::Inconclusive, RowOutcome::Passed) if is_gate => "not worse".to_owned(),
        (verdict, _) => verdict.to_string(),
    };
    let benchmark = &accuracy.benchmark;
    if let Some(reason) = accuracy.no_pairs {
        return format!("accuracy of {benchmark}: {verdict}: {reason}");
    }
    let pairs = &accuracy.pairs;
    let change =
        accuracy.change.as_ref().map(|change| format!("{} ({})", share(change.share, change.scale), interval(change)));
    let unpaired = match accuracy.unpaired {
        0 => String::new(),
        questions => format!("; {} not asked on both sides", counted(questions, "question was", "questions were")),
    };
    format!(
        "accuracy of {benchmark}: {verdict}: {} became {}, {}; {} paired: {} right only in the baseline, {} only in the candidate          (McNemar p = {}); threshold {}{unpaired}",
        percent(pairs.first()),
        percent(pairs.second()),
        change.unwrap_or_default(),
        counted(pairs.total(), "question", "questions"),
        whole(pairs.only_first),
        whole(pairs.only_second),
        chance(accuracy.p_value),
        limit(accuracy.threshold, Scale::Points),
    )
}

/// The tasks with the largest changes, without a verdict.
pub(super) fn accuracy_tasks(accuracy: &AccuracyComparison) -> Vec<String> {
    const SHOWN: usize = 10;
    if accuracy.tasks.len() < 2 {
        return Vec::new();
    }
    let mut tasks: Vec<&TaskComparison> = accuracy.tasks.iter().collect();
    tasks.sort_by(|a, b| a.change().total_cmp(&b.change()));
    let line = |task: &&TaskComparison| {
        let TaskComparison { task: name, pairs } = task;
        let questions = counted(pairs.total(), "question", "questions");
        format!("{name}: {} became {} ({questions})", percent(pairs.first()), percent(pairs.second()))
    };
    let mut lines: Vec<String> = tasks.iter().take(SHOWN).map(line).collect();
    if tasks.len() > SHOWN {
        lines.push(format!("and {} more tasks that changed less for the worse", tasks.len() - SHOWN));
    }
    lines
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

fn chance(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// What stands over the columns of single GPUs.
pub(super) const GPU_HEADINGS: [&str; 4] = ["single GPUs, no verdict", "baseline", "candidate", "change"];

/// One row under [`GPU_HEADINGS`].
pub(super) fn gpu_row(row: &GpuRowPair) -> [String; 4] {
    [
        format!("{}: {} ({})", row.gpu, row.quantity.title(), row.quantity.unit()),
        value(row.baseline),
        value(row.candidate),
        row.change().map_or_else(|| "–".to_owned(), |change| share(change, Scale::Relative)),
    ]
}

/// Of a gate, with what lets a number pass that cannot be told better from equal.
fn verdict(row: &ComparisonRow, is_gate: bool) -> String {
    match (row.verdict, RowOutcome::of(row)) {
        (Verdict::Inconclusive, RowOutcome::Passed) if is_gate => "not worse".to_owned(),
        (verdict, _) => verdict.to_string(),
    }
}

/// `heading`: that of the numbers of samples that find a change.
fn forecast(row: &ComparisonRow, heading: &str) -> (String, String) {
    let detect = limit(row.detect, row.scale);
    let find = |samples: String| if heading.ends_with(&detect) { samples } else { format!("{detect}: {samples}") };
    match row.forecast {
        None => ("–".to_owned(), "–".to_owned()),
        Some(Forecast::AtLeast(least)) => {
            let least = format!("over {}", whole(least));
            (find(least.clone()), least)
        }
        Some(Forecast::Needs { find: needed, equal, .. }) => (find(whole(needed)), whole(equal)),
    }
}

/// A threshold: `2.5%`, `1 point`.
pub(super) fn limit(share: Share, scale: Scale) -> String {
    let percent = share.to_string();
    match (scale, percent.trim_end_matches('%')) {
        (Scale::Relative, _) => percent,
        (Scale::Points, "1") => "1 point".to_owned(),
        (Scale::Points, points) => format!("{points} points"),
    }
}

pub(super) fn value(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value != 0.0 && value.abs() < 1.0 => format!("{value:.4}"),
        Some(value) => grouped(value),
    }
}

pub(super) fn share(share: f64, scale: Scale) -> String {
    let unit = match scale {
        Scale::Relative => "%",
        Scale::Points => " points",
    };
    format!("{:+.1}{unit}", share * 100.0)
}

pub(super) fn interval(change: &Change) -> String {
    if !change.high.is_finite() || !change.low.is_finite() {
        return "none".to_owned();
    }
    format!("{:+.1} to {}", change.low * 100.0, share(change.high, change.scale))
}

pub(super) fn level(level: Level) -> String {
    let percent = format!("{:.2}", level.get() * 100.0);
    format!("{}%", percent.trim_end_matches('0').trim_end_matches('.'))
}

/// `runs/a: 3 runs, 300 requests`
pub(super) fn side(note: &SideNote) -> String {
    let mut parts = vec![counted(note.runs as u64, "run", "runs")];
    parts.extend(note.requests.map(|requests| counted(requests, "request", "requests")));
    if !note.has_records {
        parts.push("summary only".to_owned());
    }
    if note.failed_runs > 0 {
        parts.push(format!("{} left nothing to read", counted(note.failed_runs as u64, "run", "runs")));
    }
    if note.skipped_lines > 0 {
        parts.push(format!("{} of its records cannot be read", counted(note.skipped_lines as u64, "line", "lines")));
    }
    format!("{}: {}", note.folder.display(), parts.join(", "))
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", whole(count), if count == 1 { one } else { many })
}

/// Why rows are inconclusive, each reason once; of a gate without the rows that pass all the same.
pub(super) fn inconclusive_reasons(rows: &[ComparisonRow], is_gate: bool) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| !is_gate || RowOutcome::of(row) != RowOutcome::Passed) {
        let Some(reason) = &row.reason else { continue };
        let sentence = reason.sentence(row.unit);
        match reasons.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, quantities)) => quantities.push(row.quantity.to_string()),
            None => reasons.push((sentence, vec![row.quantity.to_string()])),
        }
    }
    reasons.into_iter().map(|(reason, quantities)| format!("{}: {reason}", quantities.join(", "))).collect()
}

/// What a side should be known for before its numbers are believed, each with the name of the side.
pub(super) fn cautions(report: &ComparisonReport, comparison: &Comparison) -> Vec<Caution> {
    let mut cautions = Vec::new();
    for (place, note) in [("baseline", &report.baseline), ("candidate", &comparison.candidate)] {
        let incomplete = note.no_verdict_reasons.iter().map(|words| Caution {
            place,
            code: "incomplete".to_owned(),
            message: format!("the {place} {words}"),
        });
        cautions.extend(incomplete);
        let several = |warning: &Warning| match (warning.runs, note.runs) {
            (_, 1) => String::new(),
            (some, all) => format!(" ({some} of {all} runs)"),
        };
        cautions.extend(note.warnings.iter().map(|warning| Caution {
            place,
            code: warning.code.clone(),
            message: format!("{}{}", warning.message, several(warning)),
        }));
    }
    cautions
}

/// A reason to distrust the numbers of a side.
pub(super) struct Caution {
    pub(super) place: &'static str,
    pub(super) code: String,
    pub(super) message: String,
}

/// What rows say beyond their numbers.
pub(super) fn remarks(report: &ComparisonReport, rows: &[ComparisonRow]) -> Vec<String> {
    let sure = level(report.level);
    let exact = |row: &ComparisonRow| {
        let bound = row.none_on_either_side?;
        let passes = matches!(row.verdict, Verdict::Equal) || RowOutcome::of(row) == RowOutcome::Passed;
        passes.then(|| {
            let title = row.quantity.title();
            format!("{title}: none on either side; at most {bound:.2}% by the exact {sure} bound")
        })
    };
    rows.iter().filter_map(exact).collect()
}

/// What intervals and forecasts mean.
pub(super) fn legend(report: &ComparisonReport) -> String {
    let rows = || report.comparisons.iter().flat_map(|comparison| &comparison.rows);
    let unit = rows().next().map_or("samples", |row| row.unit.name());
    let alone = rows().any(|row| RowLevels::stands_alone(row.quantity.metric));
    let exact = if alone { " The error rate has an exact bound of its own." } else { "" };
    let together = match report.question {
        Question::Changed if report.level == report.row_level => format!("Intervals are at {}.", level(report.level)),
        Question::Changed => format!(
            "Intervals are at {}, so that all verdicts together hold at {}.",
            level(report.row_level),
            level(report.level)
        ),
        Question::Worse => format!(
            "Bounds are one-sided: a pass needs each bound towards worse within its threshold, at {}; a regression needs a bound beyond zero, at {} each, so that regressions together hold at {}.",
            level(report.level),
            one_sided(report.row_level),
            level(report.level)
        ),
    };
    let mut thresholds: Vec<String> = Vec::new();
    for row in rows() {
        let threshold = limit(row.threshold, row.scale);
        if !thresholds.contains(&threshold) {
            thresholds.push(threshold);
        }
    }
    format!("{together}{exact} Changes up to {} do not count. n: {unit} that each side needs.", thresholds.join(" or "))
}

/// How sure one end of a two-sided interval is.
fn one_sided(two_sided: Level) -> String {
    Level::new(1.0 - two_sided.tail()).map_or_else(|_| level(two_sided), level)
}

/// The sentence of the gate.
pub(super) fn conclusion(report: &ComparisonReport, gate: Gate) -> String {
    let rows = || report.comparisons.iter().flat_map(|comparison| &comparison.rows);
    let answers = || report.comparisons.iter().filter_map(|comparison| comparison.accuracy.as_ref());
    let named = |wanted: RowOutcome| {
        let names = rows().filter(|row| RowOutcome::of(row) == wanted).map(|row| row.quantity.to_string());
        let graded = answers().filter(|accuracy| accuracy.outcome() == wanted).map(|_| "accuracy".to_owned());
        names.chain(graded).collect::<Vec<_>>().join(", ")
    };
    match (gate.outcome, gate.on_unclear) {
        (GateOutcome::Passed, _) => "pass: nothing is worse by more than its threshold".to_owned(),
        (GateOutcome::NoVerdict, _) => withheld(report),
        (GateOutcome::Regression, _) => format!("regression: {}", named(RowOutcome::Regression)),
        (GateOutcome::Inconclusive, OnUnclear::Fail) => format!("inconclusive: {}", named(RowOutcome::Inconclusive)),
        (GateOutcome::Inconclusive, OnUnclear::Pass) => {
            format!("inconclusive, which passes by --on-unclear pass: {}", named(RowOutcome::Inconclusive))
        }
    }
}

/// Why there is no verdict, and what to do.
pub(super) fn withheld(report: &ComparisonReport) -> String {
    let why = report.withheld().unwrap_or_default();
    format!("no verdict: {why}; repeat the run, or compare it anyway with --allow-incomplete")
}
