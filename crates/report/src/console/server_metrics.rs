//! What the servers report about themselves: a table for each engine and endpoint, and where the time to the first token went.

use aiperf_metrics::Metric;
use aiperf_table::{ConsoleTable, TableCell, TableColumn, grouped};
use aiperf_telemetry::server::EngineMetric;

use super::tables::PROGRAM;
use crate::{EngineFigures, EngineSummary, RunReport, ServerMetricsSummary};

/// Rows in their order. Counters that only serve to compute a share are not shown.
const ROWS: [EngineMetric; 14] = [
    EngineMetric::RunningRequests,
    EngineMetric::WaitingRequests,
    EngineMetric::KvCacheUsage,
    EngineMetric::PrefixCacheHitRate,
    EngineMetric::Preemptions,
    EngineMetric::AcceptanceRate,
    EngineMetric::AcceptanceLength,
    EngineMetric::TimeToFirstToken,
    EngineMetric::QueueTime,
    EngineMetric::PrefillTime,
    EngineMetric::DecodeTime,
    EngineMetric::PromptTokens,
    EngineMetric::GenerationTokens,
    EngineMetric::FinishedRequests,
];
const COLUMNS: [&str; 6] = ["avg", "max", "p50", "p99", "total", "per second"];

pub(super) fn tables(metrics: &ServerMetricsSummary) -> Vec<ConsoleTable> {
    metrics.engines.iter().filter_map(table).collect()
}

fn table(report: &EngineSummary) -> Option<ConsoleTable> {
    let rows: Vec<Vec<TableCell>> =
        ROWS.iter().filter_map(|metric| Some(row(*metric, &report.get(*metric)?))).collect();
    let place = report.endpoint.as_deref().unwrap_or("all endpoints");
    let columns = COLUMNS.map(TableColumn::right);
    (!rows.is_empty()).then(|| ConsoleTable {
        title: format!("{PROGRAM} | Server Metrics: {} ({place})", report.engine),
        columns: std::iter::once(TableColumn::right("Metric")).chain(columns).collect(),
        rows,
        flexible: 0,
    })
}

/// What values of a metric are multiplied with to be shown: shares in percent, seconds in milliseconds.
const fn scale(metric: EngineMetric) -> f64 {
    use EngineMetric as M;
    match metric {
        M::KvCacheUsage | M::PrefixCacheHitRate | M::AcceptanceRate => 100.0,
        M::TimeToFirstToken | M::QueueTime | M::PrefillTime | M::DecodeTime | M::RequestLatency => 1e3,
        _ => 1.0,
    }
}

fn row(metric: EngineMetric, figures: &EngineFigures) -> Vec<TableCell> {
    let EngineFigures { avg, max, p50, p99, p50_estimate, p99_estimate, total, rate, .. } = figures;
    let values = [*avg, *max, p50.or(*p50_estimate), p99.or(*p99_estimate), *total, *rate];
    let scale = scale(metric);
    let cell = |value: Option<f64>| TableCell::value(value.map_or_else(String::new, |value| grouped(value * scale)));
    std::iter::once(TableCell::name(metric.title())).chain(values.map(cell)).collect()
}

/// The client's time to the first token next to the server's own, and where the difference is.
pub(super) fn first_token(report: &RunReport) -> Option<String> {
    let servers = report.server_metrics.as_ref()?;
    let mean = |metric| servers.mean_millis(metric);
    let server = mean(EngineMetric::TimeToFirstToken)?;
    let client = report.profiling.average(Metric::TimeToFirstToken)?;
    let outside = client - server;
    let names = servers.names_of_engines(EngineMetric::TimeToFirstToken);
    let verb = if names.len() == 1 { "reports" } else { "report" };
    let mut text = format!(
        "Time to first token: the client saw {} ms on average, {} {} {} ms. ",
        grouped(client),
        Vec::from_iter(names).join(" and "),
        verb,
        grouped(server)
    );
    text.push_str(&if outside >= 0.0 {
        format!(
            "The other {} ms passed outside the engine: network, HTTP front end, queue in front of the engine, client.",
            grouped(outside)
        )
    } else {
        "The server's figure is higher: it counts other requests too, or starts its clock earlier.".to_owned()
    });
    match (mean(EngineMetric::QueueTime), mean(EngineMetric::PrefillTime)) {
        (Some(queue), Some(prefill)) => text.push_str(&format!(
            " Of the server's time, {} ms were queue and {} ms prefill.",
            grouped(queue),
            grouped(prefill)
        )),
        (Some(queue), None) => text.push_str(&format!(" Of the server's time, {} ms were queue.", grouped(queue))),
        _ => {}
    }
    Some(text)
}

/// What the reader should know about the pages.
pub(super) fn notes(metrics: &ServerMetricsSummary) -> Vec<String> {
    let of_page = |(url, notes): (&String, &Vec<String>)| -> Vec<String> {
        notes.iter().map(|note| format!("Server metrics of {url}: {note}.")).collect()
    };
    metrics.notes.iter().flat_map(of_page).collect()
}
