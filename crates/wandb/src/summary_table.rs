//! The main table of the console as a table of Weights & Biases.

use aiperf_metrics::{ConsoleGroup, Metric};
use serde_json::{Value, json};

const STATISTICS: [&str; 7] = ["avg", "min", "max", "p99", "p90", "p50", "std"];

/// Columns and rows, from the summary document.
#[derive(Debug)]
pub(crate) struct SummaryTable {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Value>,
}

impl SummaryTable {
    pub(crate) fn of(summary: &Value) -> Self {
        let shown = |metric: &&Metric| metric.definition().group == ConsoleGroup::Main;
        let mut metrics: Vec<Metric> = Metric::ALL.iter().filter(shown).copied().collect();
        metrics.sort_by_key(|metric| metric.definition().order.unwrap_or(u16::MAX));
        let rows = metrics.into_iter().filter_map(|metric| {
            let row = summary.get(metric.tag()).filter(|row| row.is_object())?;
            let unit = row["unit"].as_str().unwrap_or_default();
            let mut cells = vec![json!(format!("{} ({unit})", metric.definition().header))];
            cells.extend(STATISTICS.iter().map(|statistic| row.get(*statistic).cloned().unwrap_or(Value::Null)));
            Some(Value::Array(cells))
        });
        let columns = ["Metric"].into_iter().chain(STATISTICS).map(ToOwned::to_owned).collect();
        Self { columns, rows: rows.collect() }
    }

    pub(crate) fn json(&self) -> Value {
        json!({"columns": self.columns, "data": self.rows})
    }
}
