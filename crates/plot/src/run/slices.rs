//! Time slices of a run.

use std::collections::BTreeMap;
use std::path::Path;

use super::json;
use super::statistics::MetricStats;
use crate::PlotError;

/// One time slice: when it was, in epoch time, and what was measured in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceRow {
    pub start_ns: u64,
    pub end_ns: u64,
    pub metrics: BTreeMap<String, MetricStats>,
}

/// The slices of `profile_export_aiperf_timeslices.json`; none if the run had none.
pub(super) fn read(path: &Path) -> Result<Vec<SliceRow>, PlotError> {
    let file = json::read(path)?.unwrap_or_default();
    let slices = file["timeslices"].as_array().into_iter().flatten();
    let rows = slices.filter_map(|slice| {
        let entries = slice.as_object()?.iter();
        let metrics =
            entries.filter_map(|(tag, entry)| Some((tag.clone(), MetricStats::of_summary(entry.as_object()?)?)));
        Some(SliceRow {
            start_ns: slice["start_ns"].as_u64()?,
            end_ns: slice["end_ns"].as_u64()?,
            metrics: metrics.collect(),
        })
    });
    Ok(rows.collect())
}
