//! Baselines and treatments: which runs are compared with which.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::glob;

/// `experiment_classification` of a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Classification {
    #[serde(default)]
    pub baselines: Vec<String>,
    #[serde(default)]
    pub treatments: Vec<String>,
    #[serde(default)]
    pub default: ExperimentSide,
    #[serde(default)]
    pub group_display_names: BTreeMap<String, String>,
    /// Known to AIPerf, which does nothing with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) group_extraction_pattern: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentSide {
    Baseline,
    #[default]
    Treatment,
}

/// Which side a run is on, and the name of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunClass {
    pub side: ExperimentSide,
    pub group: String,
}

impl Classification {
    /// Baselines are tried first. The group is what a sweep calls its point, or the name of the first folder upwards that a
    /// pattern fits, or that of the run.
    pub fn of(&self, folder: &Path, variation: Option<&str>) -> RunClass {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let own = name(folder);
        let above = folder.parent().map(name).unwrap_or_default();
        let full = folder.display().to_string();
        let fits = |patterns: &[String], text: &str| patterns.iter().any(|pattern| glob::matches(pattern, text));
        let any = |patterns: &[String]| fits(patterns, &own) || fits(patterns, &full) || fits(patterns, &above);
        let side = if any(&self.baselines) {
            ExperimentSide::Baseline
        } else if any(&self.treatments) {
            ExperimentSide::Treatment
        } else {
            self.default
        };
        let above_fits = fits(&self.baselines, &above) || fits(&self.treatments, &above);
        let group = match variation.filter(|label| *label != "base") {
            Some(label) => label.to_owned(),
            None if above_fits => above,
            None => own,
        };
        RunClass { side, group: self.group_display_names.get(&group).cloned().unwrap_or(group) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_come_first_and_groups_have_display_names() {
        let classes = Classification {
            baselines: vec!["*base*".to_owned()],
            treatments: vec!["new_*".to_owned()],
            group_display_names: [("new_a".to_owned(), "New engine".to_owned())].into(),
            ..Classification::default()
        };
        let of = |path: &str| classes.of(Path::new(path), None);
        assert_eq!(of("/x/base_1"), RunClass { side: ExperimentSide::Baseline, group: "base_1".to_owned() });
        assert_eq!(
            of("/x/new_a/concurrency_4"),
            RunClass { side: ExperimentSide::Treatment, group: "New engine".to_owned() }
        );
        assert_eq!(of("/x/other").side, ExperimentSide::Treatment);
        assert_eq!(classes.of(Path::new("/x/y"), Some("isl=4")).group, "isl=4");
    }
}
