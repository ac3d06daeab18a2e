//! One table for each GPU.

use aiperf_table::{ConsoleTable, TableCell, TableColumn};
use serde_json::Value;

use crate::gpu::{GpuRow, rows};

const JOULES_PER_MEGAJOULE: f64 = 1e6;

/// Tables of all GPUs in `telemetry_data`.
pub(super) fn tables(telemetry: Option<&Value>, statistics: &[&'static str]) -> Vec<ConsoleTable> {
    let rows = telemetry.map(rows).unwrap_or_default();
    let same_gpu = |a: &GpuRow<'_>, b: &GpuRow<'_>| (a.source, a.index, a.uuid) == (b.source, b.index, b.uuid);
    rows.chunk_by(same_gpu).map(|gpu| table(gpu, statistics)).collect()
}

fn table(rows: &[GpuRow<'_>], statistics: &[&'static str]) -> ConsoleTable {
    let GpuRow { source, index, name, .. } = &rows[0];
    let mut columns = vec![TableColumn::right("Metric")];
    columns.extend(statistics.iter().map(|name| TableColumn::right(name)));
    let cells = |row: &GpuRow<'_>| {
        // A run draws a small part of a megajoule.
        let (unit, scale) = if row.unit == "MJ" { ("J", JOULES_PER_MEGAJOULE) } else { (row.unit, 1.0) };
        let values = statistics.iter().map(|name| TableCell::number(row.statistic(name).map(|value| value * scale)));
        std::iter::once(TableCell::name(format!("{} ({unit})", row.title))).chain(values).collect()
    };
    ConsoleTable {
        title: format!("{source} | GPU {index} | {name}"),
        columns,
        rows: rows.iter().map(cells).collect(),
        flexible: 0,
    }
}
