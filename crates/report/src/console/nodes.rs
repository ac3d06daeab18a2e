//! The table of a run that several nodes sent: one row for each node, so that a slow client or network path is visible.

use aiperf_table::{ConsoleTable, TableCell, TableColumn, whole};
use serde_json::Value;

use crate::RunReport;

/// A column: its title, and the key of a figure in the row of a node.
const COLUMNS: [(&str, &str); 5] = [
    ("req/s", "request_throughput_avg"),
    ("latency avg ms", "request_latency_avg"),
    ("p99 ms", "request_latency_p99"),
    ("TTFT avg ms", "time_to_first_token_avg"),
    ("TTFT p99 ms", "time_to_first_token_p99"),
];
const NANOS_PER_MS: f64 = 1e6;

/// `None` if one process sent everything.
pub(super) fn table(title: String, report: &RunReport) -> Option<ConsoleTable> {
    let nodes = report.carried.get("nodes")?.as_array()?;
    let shown: Vec<&(&str, &str)> =
        COLUMNS.iter().filter(|(_, key)| nodes.iter().any(|node| node[key].is_number())).collect();
    let mut columns = vec![TableColumn::left("Node"), TableColumn::left("Address")];
    columns.extend(["records", "errors"].map(TableColumn::right));
    columns.extend(shown.iter().map(|(title, _)| TableColumn::right(title)));
    columns.push(TableColumn::right("clock error ms"));
    let row = |node: &Value| {
        let text = |key: &str| node[key].as_str().unwrap_or_default().to_owned();
        let name = match node["state"].as_str() {
            Some(state) if state != "done" => format!("{} ({state})", text("node")),
            _ => text("node"),
        };
        let address = if node["address"].is_string() { text("address") } else { text("host") };
        let mut cells = vec![TableCell::name(name), TableCell::value(address)];
        cells.extend(["records", "errors"].map(|key| TableCell::value(whole(node[key].as_u64().unwrap_or(0)))));
        cells.extend(shown.iter().map(|(_, key)| TableCell::number(node[key].as_f64())));
        cells.push(TableCell::number(node["clock_bound_ns"].as_f64().map(|bound| bound / NANOS_PER_MS)));
        cells
    };
    Some(ConsoleTable { title, columns, rows: nodes.iter().map(row).collect(), flexible: 1 })
}
