//! A configuration as it is written, before it is checked: what files hold, and what the dashboard edits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::classification::Classification;
use super::file::{Downsampling, PresetFile};
use super::metric_ref::WrittenMetric;
use super::source::DataSource;
use super::style::PlotStyle;
use crate::RunMode;

/// The text of a configuration file, as data.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PresetDocument {
    pub visualization: WrittenVisualization,
    #[serde(default)]
    pub settings: WrittenSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment_classification: Option<Classification>,
    #[serde(default, skip_serializing_if = "BoardLayout::is_usual")]
    pub dashboard: BoardLayout,
}

/// Which plots there are, and which of them are drawn.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenVisualization {
    #[serde(default)]
    pub multi_run_defaults: Vec<String>,
    #[serde(default)]
    pub single_run_defaults: Vec<String>,
    #[serde(default)]
    pub multi_run_plots: BTreeMap<String, WrittenPreset>,
    #[serde(default)]
    pub single_run_plots: BTreeMap<String, WrittenPreset>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenSettings {
    #[serde(default)]
    pub server_metrics_downsampling: Downsampling,
}

/// What only the dashboard uses.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BoardLayout {
    /// Plots that take the whole width of the page.
    #[serde(default)]
    pub wide: Vec<String>,
}

impl BoardLayout {
    fn is_usual(&self) -> bool {
        self.wide.is_empty()
    }
}

/// One plot as it is written.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenPreset {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<WrittenMetric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<WrittenMetric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y2: Option<WrittenMetric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<DataSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<OneOrMore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<OneOrMore>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autoscale: Option<WrittenAxes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_scale: Option<WrittenAxes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_level: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_style: Option<PlotStyle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secondary_style: Option<PlotStyle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplementary_col: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_slice_duration: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub(super) fn list(self) -> Vec<String> {
        match self {
            Self::One(name) => vec![name],
            Self::More(names) => names,
        }
    }
}

/// The axes that a key is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WrittenAxes {
    None,
    X,
    Y,
    Both,
}

impl WrittenAxes {
    /// Whether x is meant, and whether y is meant.
    pub(super) fn pair(self) -> (bool, bool) {
        (matches!(self, Self::X | Self::Both), matches!(self, Self::Y | Self::Both))
    }
}

impl PresetDocument {
    /// Reads the text of a file. The error says what is wrong with its form.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_saphyr::from_str(text).map_err(|error| error.to_string())
    }

    /// The presets, if all of them make sense. The error says which plot and which key is wrong.
    pub fn check(self) -> Result<PresetFile, String> {
        PresetFile::of(self)
    }

    pub fn plots(&self, mode: RunMode) -> &BTreeMap<String, WrittenPreset> {
        match mode {
            RunMode::Single => &self.visualization.single_run_plots,
            RunMode::Multi => &self.visualization.multi_run_plots,
        }
    }

    pub fn defaults(&self, mode: RunMode) -> &[String] {
        match mode {
            RunMode::Single => &self.visualization.single_run_defaults,
            RunMode::Multi => &self.visualization.multi_run_defaults,
        }
    }

    /// Replaces the plots of a mode, and which of them are drawn.
    pub fn set(&mut self, mode: RunMode, plots: BTreeMap<String, WrittenPreset>, defaults: Vec<String>) {
        let parts = &mut self.visualization;
        match mode {
            RunMode::Single => (parts.single_run_plots, parts.single_run_defaults) = (plots, defaults),
            RunMode::Multi => (parts.multi_run_plots, parts.multi_run_defaults) = (plots, defaults),
        }
    }
}
