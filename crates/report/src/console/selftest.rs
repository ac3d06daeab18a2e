//! The result of a self-test for people.

use aiperf_table::{
    Align, Colour, ConsoleTable, Emphasis, TableCell, TableColumn, TextStyle, Width, grouped, whole, wrap,
};

use crate::{Grade, SelfTestReport, TimedError};

/// What the labels before the table take up.
const LABEL: usize = 14;

/// The table of errors, the counts that go with it, and the verdict.
pub fn render_selftest(report: &SelfTestReport, width: Width, colour: Colour) -> String {
    let style = TextStyle::new(colour);
    let mut lines = Vec::new();
    for (label, text) in [
        ("Asked for", asked(report)),
        ("Reached", reached(report)),
        ("Requests", requests(report)),
        ("Client", client(report)),
        ("Simulator", simulator(report)),
    ] {
        for (index, line) in wrap(&text, width.0.saturating_sub(LABEL).max(20)).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            lines.push(format!("{label:<LABEL$}{line}"));
        }
    }
    lines.push(String::new());
    lines.push(errors(report).render(width, style));
    lines.push(String::new());
    let verdict = format!("Verdict: {}", report.verdict.name());
    lines.push(match report.verdict {
        Grade::Pass => style.strong(&verdict),
        Grade::Warn => style.warning(&verdict),
        Grade::Fail => style.failure(&verdict),
    });
    for problem in &report.problems {
        let text = format!("{}: {}", problem.grade().name(), problem.sentence());
        lines.extend(wrap(&text, width.0));
    }
    if let Some(path) = &report.kept_in {
        lines.push(format!("Kept in {}", path.display()));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn asked(report: &SelfTestReport) -> String {
    let asked = &report.asked;
    let load = match (asked.streams, asked.request_rate) {
        (Some(streams), _) => format!("{} streams", whole(streams)),
        (None, rate) => format!("{} requests/s", rate.unwrap_or_default()),
    };
    format!(
        "{load} of {} tokens at {} tokens/s, first after {} ms, for {} s",
        whole(u64::from(asked.output_tokens)),
        asked.tokens_per_second,
        asked.ttft_ms,
        asked.duration_s
    )
}

fn reached(report: &SelfTestReport) -> String {
    let load = &report.reached;
    format!(
        "{} in flight at most, {} chunks/s, {} requests/s",
        whole(load.in_flight),
        whole(load.chunks_per_second.round() as u64),
        grouped(load.requests_per_second)
    )
}

fn requests(report: &SelfTestReport) -> String {
    let counts = &report.requests;
    let mut text = format!(
        "{} compared, {} failed, {} lost, {} extra",
        whole(counts.compared),
        whole(counts.failed),
        whole(counts.lost),
        whole(counts.extra)
    );
    for (count, what) in [(counts.cut_off, "cut off"), (counts.chunks_missing, "chunks missing")] {
        if count > 0 {
            text.push_str(&format!(", {} {what}", whole(count)));
        }
    }
    text
}

fn client(report: &SelfTestReport) -> String {
    let cpu = &report.client_cpu;
    format!(
        "{:.2} CPU seconds in {:.1} s ({:.1}% of {} processors)",
        cpu.cpu_seconds, cpu.wall_seconds, cpu.percent, cpu.processors
    )
}

fn simulator(report: &SelfTestReport) -> String {
    report.simulator_lag.map_or_else(
        || "sent nothing".to_owned(),
        |lag| format!("{} ms late (p50), {} ms (p99), {} ms (max)", millis(lag.p50), millis(lag.p99), millis(lag.max)),
    )
}

fn errors(report: &SelfTestReport) -> ConsoleTable {
    let headers = ["Client Error (ms)", "p50", "p99", "max", "mean", "Limits", "Verdict"];
    let align = |index: usize| if index == 0 { Align::Left } else { Align::Right };
    let columns = headers
        .iter()
        .enumerate()
        .map(|(index, header)| TableColumn { header: (*header).to_owned(), align: align(index) });
    let row = |error: &TimedError| {
        let stats = report.errors.get(error)?;
        let limits =
            report.limits.get(error).map_or("–".to_owned(), |limits| format!("{}/{}", limits.p50, limits.p99));
        let grade = match report.grade_of(*error) {
            None => TableCell::new("–", Emphasis::Faint),
            Some(grade @ Grade::Pass) => TableCell::new(grade.name(), Emphasis::Good),
            Some(grade @ Grade::Warn) => TableCell::new(grade.name(), Emphasis::Warning),
            Some(grade @ Grade::Fail) => TableCell::new(grade.name(), Emphasis::Failure),
        };
        let numbers = [stats.p50, stats.p99, stats.max, stats.mean].map(|value| TableCell::value(millis(value)));
        let cells =
            [TableCell::name(error.header())].into_iter().chain(numbers).chain([TableCell::value(limits), grade]);
        Some(cells.collect())
    };
    ConsoleTable {
        title: "aiperf | Self-Test".to_owned(),
        columns: columns.collect(),
        rows: TimedError::ALL.iter().filter_map(row).collect(),
        flexible: 0,
    }
}

/// Microseconds matter below 100 ms; above, the number shall still fit its column.
fn millis(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}
