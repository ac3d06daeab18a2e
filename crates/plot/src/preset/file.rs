//! The configuration file.

use serde::{Deserialize, Serialize};

use super::classification::Classification;
use super::document::PresetDocument;
use super::metric_ref::MetricRef;
use super::plot_type::PlotType;
use super::source::DataSource;
use super::style::PlotStyle;
use crate::RunMode;

/// The presets that are drawn if no file says otherwise.
pub const BUILT_IN_YAML: &str = include_str!("built_in.yaml");

/// One plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Also the name of its files.
    pub name: String,
    pub kind: PlotType,
    pub title: Option<String>,
    pub description: Option<String>,
    pub x: Option<MetricRef>,
    pub y: MetricRef,
    pub y2: Option<MetricRef>,
    pub stat: Option<String>,
    pub source: Option<DataSource>,
    pub labels: Vec<String>,
    pub group: Option<String>,
    pub x_label: Option<String>,
    pub y_label: Option<String>,
    /// Axes that need not begin at zero: x and y.
    pub autoscale: (bool, bool),
    /// Axes that are logarithmic: x and y.
    pub log_scale: (bool, bool),
    pub ci_level: f64,
    pub primary_style: Option<PlotStyle>,
    pub secondary_style: Option<PlotStyle>,
    pub supplementary_col: Option<String>,
    pub use_slice_duration: bool,
}

/// How values of server metrics are put together.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Downsampling {
    pub enabled: bool,
    pub window_size_seconds: f64,
    pub aggregation_method: WindowMethod,
}

impl Default for Downsampling {
    fn default() -> Self {
        Self { enabled: true, window_size_seconds: 5.0, aggregation_method: WindowMethod::Mean }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowMethod {
    Mean,
    Max,
    Min,
    Median,
}

/// A whole configuration.
#[derive(Debug, Clone, Default)]
pub struct PresetFile {
    pub single_run: Vec<Preset>,
    pub multi_run: Vec<Preset>,
    single_run_defaults: Vec<String>,
    multi_run_defaults: Vec<String>,
    pub downsampling: Downsampling,
    pub classification: Option<Classification>,
    /// Keys that change nothing, in words.
    pub warnings: Vec<String>,
}

impl PresetFile {
    /// Reads the text of a file. The error says which plot and which key is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::of(PresetDocument::parse(text)?)
    }

    pub(super) fn of(written: PresetDocument) -> Result<Self, String> {
        let PresetDocument { visualization, settings, experiment_classification, dashboard: _ } = written;
        let mut file = Self {
            single_run_defaults: visualization.single_run_defaults,
            multi_run_defaults: visualization.multi_run_defaults,
            downsampling: settings.server_metrics_downsampling,
            ..Self::default()
        };
        if file.downsampling.window_size_seconds.is_nan() || file.downsampling.window_size_seconds <= 0.0 {
            return Err("settings.server_metrics_downsampling.window_size_seconds must be above 0".to_owned());
        }
        for (name, preset) in visualization.single_run_plots {
            let preset = preset.check(&name, RunMode::Single, &mut file.warnings)?;
            file.single_run.push(preset);
        }
        for (name, preset) in visualization.multi_run_plots {
            let preset = preset.check(&name, RunMode::Multi, &mut file.warnings)?;
            file.multi_run.push(preset);
        }
        if experiment_classification.as_ref().is_some_and(|classes| classes.group_extraction_pattern.is_some()) {
            file.warnings.push("experiment_classification.group_extraction_pattern has no effect".to_owned());
        }
        file.classification = experiment_classification;
        for mode in [RunMode::Single, RunMode::Multi] {
            for name in file.default_names(mode) {
                file.named(name, mode)?;
            }
        }
        Ok(file)
    }

    /// The presets of a mode.
    pub fn presets(&self, mode: RunMode) -> &[Preset] {
        match mode {
            RunMode::Single => &self.single_run,
            RunMode::Multi => &self.multi_run,
        }
    }

    /// Names of the plots that are drawn if none is asked for by name, in this order.
    pub fn default_names(&self, mode: RunMode) -> &[String] {
        match mode {
            RunMode::Single => &self.single_run_defaults,
            RunMode::Multi => &self.multi_run_defaults,
        }
    }

    /// The preset with this name; the error lists the names that there are.
    pub fn named(&self, name: &str, mode: RunMode) -> Result<&Preset, String> {
        let presets = self.presets(mode);
        presets.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let known: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
            format!("no {} plot is called {name:?}; the plots are {}", mode.name(), known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_is_whole_and_has_the_defaults_of_the_reference() {
        let file = PresetFile::parse(BUILT_IN_YAML).unwrap();
        assert_eq!(
            file.default_names(RunMode::Single),
            [
                "ttft_over_time",
                "ttft_timeline",
                "timeslices_ttft",
                "timeslices_itl",
                "gpu_utilization_and_throughput_over_time"
            ]
        );
        assert_eq!(
            file.default_names(RunMode::Multi),
            [
                "pareto_curve_throughput_per_gpu_vs_latency",
                "pareto_curve_throughput_per_gpu_vs_interactivity",
                "ttft_vs_throughput",
                "latency_throughput_uncertainty"
            ]
        );
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    }

    fn single(preset: &str) -> Result<PresetFile, String> {
        PresetFile::parse(&format!("visualization:\n  single_run_plots:\n    p: {preset}\n"))
    }

    #[test]
    fn mistakes_name_the_plot_and_the_way_out() {
        let error = |preset: &str| single(preset).unwrap_err();
        assert!(error("{type: pareto, y: request_latency}").contains("the types are scatter,"));
        assert!(error("{type: scatter}").contains("y is missing"));
        assert!(error("{type: scatter, y: {metric: request_latency, stat: p9x}}").contains("not a statistic"));
        assert!(error("{type: scatter, y: request_latency, colour: red}").contains("colour"));
        assert!(PresetFile::parse("settings: {}").unwrap_err().contains("visualization"));
        let missing = PresetFile::parse("visualization: {single_run_defaults: [nothing]}").unwrap_err();
        assert!(missing.contains("no single-run plot is called \"nothing\""), "{missing}");
    }

    #[test]
    fn a_key_that_changes_nothing_is_named() {
        let file = single("{type: scatter, y: request_latency, ci_level: 0.9}").unwrap();
        assert_eq!(file.warnings, ["single-run plot \"p\": ci_level has no effect on plots of type scatter"]);
    }

    #[test]
    fn metrics_and_styles_have_every_form() {
        let file = single(
            "{type: dual_axis, x: timestamp_s, y: {metric: throughput_tokens_per_sec, source: requests}, y2: nvidia_gpu_utilization, \
             primary_style: {mode: lines, line_shape: hv}, secondary_style: {mode: lines+markers, fill: tozeroy, line_width: 3}, \
             supplementary_col: active_requests, autoscale: both}",
        )
        .unwrap();
        let preset = &file.single_run[0];
        assert_eq!(preset.y.source, Some(DataSource::Requests));
        assert_eq!(preset.autoscale, (true, true));
        assert!(preset.secondary_style.unwrap().is_filled());
    }
}
