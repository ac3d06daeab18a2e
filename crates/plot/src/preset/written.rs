//! The configuration file as it is written, before it is checked.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::classification::Classification;
use super::file::Downsampling;
use super::metric_ref::WrittenMetric;
use super::source::DataSource;
use super::style::PlotStyle;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenPresetFile {
    pub(super) visualization: WrittenVisualization,
    #[serde(default)]
    pub(super) settings: WrittenSettings,
    #[serde(default)]
    pub(super) experiment_classification: Option<Classification>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenVisualization {
    #[serde(default)]
    pub(super) multi_run_defaults: Vec<String>,
    #[serde(default)]
    pub(super) single_run_defaults: Vec<String>,
    #[serde(default)]
    pub(super) multi_run_plots: BTreeMap<String, WrittenPreset>,
    #[serde(default)]
    pub(super) single_run_plots: BTreeMap<String, WrittenPreset>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenSettings {
    #[serde(default)]
    pub(super) server_metrics_downsampling: Downsampling,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenPreset {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) x: Option<WrittenMetric>,
    pub(super) y: Option<WrittenMetric>,
    pub(super) y2: Option<WrittenMetric>,
    pub(super) stat: Option<String>,
    pub(super) source: Option<DataSource>,
    pub(super) labels: Option<OneOrMore>,
    pub(super) groups: Option<OneOrMore>,
    pub(super) x_label: Option<String>,
    pub(super) y_label: Option<String>,
    pub(super) autoscale: Option<Autoscale>,
    pub(super) ci_level: Option<f64>,
    pub(super) primary_style: Option<PlotStyle>,
    pub(super) secondary_style: Option<PlotStyle>,
    pub(super) supplementary_col: Option<String>,
    pub(super) use_slice_duration: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
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

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Autoscale {
    None,
    X,
    Y,
    Both,
}
