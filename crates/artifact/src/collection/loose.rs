//! Files next to runs or alone, known by their name or by what is in them, and the checks of the small ones.

use std::path::Path;

use aiperf_report::aggregate_names::{
    AGGREGATE_CSV, AGGREGATE_JSON, COLLATED_JSON, PLAN, SEARCH_CHECKPOINT, SEARCH_HISTORY, SWEEP_CSV, SWEEP_JSON,
};
use aiperf_table::csv::cells;

use super::CollectionCheck;
use crate::Folder;
use crate::schema::Shape;

/// What a file is, in the order in which files are checked: statistics over runs come before the tables of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileKind {
    Aggregate,
    Collated,
    Sweep,
    Comparison,
    Checkpoint,
    /// `analyze_export_genai_perf.csv`
    AnalysisTable,
    /// The CSV next to one of the above, which is checked with it.
    Companion,
    /// Its schema says all there is to say.
    Shaped(Shape),
    /// Named as JSON, but not JSON.
    Unreadable,
}

impl FileKind {
    /// `None` for what the program does not write.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        match name {
            AGGREGATE_JSON => return Some(Self::Aggregate),
            COLLATED_JSON => return Some(Self::Collated),
            SWEEP_JSON => return Some(Self::Sweep),
            "checkpoint.json" => return Some(Self::Checkpoint),
            "analyze_export_genai_perf.csv" => return Some(Self::AnalysisTable),
            AGGREGATE_CSV | SWEEP_CSV => return Some(Self::Companion),
            PLAN => return Some(Self::Shaped(Shape::Plan)),
            SEARCH_HISTORY => return Some(Self::Shaped(Shape::SearchHistory)),
            SEARCH_CHECKPOINT => return Some(Self::Shaped(Shape::SearchCheckpoint)),
            "cache_structure.json" => return Some(Self::Shaped(Shape::CacheStructure)),
            _ if path.extension().is_none_or(|end| end != "json") => return None,
            _ => {}
        }
        let Some(value) = Folder::json(path) else { return Some(Self::Unreadable) };
        let has = |keys: [&str; 2]| keys.iter().any(|key| value.get(*key).is_some());
        if has(["comparisons", "interval_confidence_level"]) {
            Some(Self::Comparison)
        } else if has(["unique_prefixes", "num_prefix_groups"]) {
            Some(Self::Shaped(Shape::TraceAnalysis))
        } else if has(["client_cpu", "simulator_lag"]) {
            Some(Self::Shaped(Shape::SelfTest))
        } else if name == "manifest.json" && has(["generation_params", "config_name"]) {
            Some(Self::Shaped(Shape::AgenticManifest))
        } else if name == "quality.json" && has(["observed_vs_target", "session_end_stats"]) {
            Some(Self::Shaped(Shape::AgenticQuality))
        } else {
            None
        }
    }
}

/// Whether a file is one of ours and not part of a run, such as a comparison, which may be next to a run's files.
pub fn stands_alone(path: &Path) -> bool {
    FileKind::of(path).is_some_and(|kind| kind != FileKind::Unreadable)
}

impl CollectionCheck<'_> {
    /// Each value of a run is kept with its own name.
    pub(super) fn checkpoint(&mut self, path: &Path) {
        let Some(value) = self.json(path, Shape::Checkpoint) else { return };
        let mut problems = Vec::new();
        for (place, run) in value["Results"]["run_configs"].as_array().into_iter().flatten().enumerate() {
            let models = run["measurement"]["_model_config_measurements"].as_object();
            let metrics = models.into_iter().flat_map(|models| models.values());
            let metrics = metrics.filter_map(|model| model["_perf_metrics"].as_object()).flatten();
            for (key, record) in metrics {
                if record[0] != *key || !record[1]["_value"].is_number() {
                    problems.push(format!("/Results/run_configs/{place}: {key} is not kept as its name and its value"));
                }
            }
        }
        self.find_some(path, problems);
    }

    /// Every run has a cell under each title, and numbers after its name.
    pub(super) fn analysis_table(&mut self, path: &Path) {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.find(path, format!("cannot be read: {error}")),
        };
        let mut lines = text.lines();
        let titles = cells(lines.next().unwrap_or_default());
        if titles.first().is_none_or(|title| title != "Config Name") {
            return self.find(path, "line 1: expected the titles of the columns, Config Name first");
        }
        let mut problems = Vec::new();
        for (place, line) in lines.take_while(|line| !line.is_empty()).enumerate() {
            let row = cells(line);
            let number = place + 2;
            if row.len() != titles.len() {
                problems.push(format!("line {number}: {} cells, {} titles", row.len(), titles.len()));
            }
            let is_number = |cell: &&String| cell.is_empty() || cell.parse::<f64>().is_ok();
            if let Some(cell) = row.iter().skip(1).find(|cell| !is_number(cell)) {
                problems.push(format!("line {number}: expected a number, found {cell:?}"));
            }
        }
        self.find_some(path, problems);
    }
}
