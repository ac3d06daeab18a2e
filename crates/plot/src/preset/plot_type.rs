//! The kinds of plots.

use crate::RunMode;

/// What a preset draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotType {
    Pareto,
    ScatterLine,
    Uncertainty,
    Scatter,
    ScatterWithPercentiles,
    Area,
    DualAxis,
    Timeslice,
    Histogram,
    PercentileBands,
    RequestTimeline,
    Survival,
    HeatMap,
}

use PlotType::{
    Area, DualAxis, HeatMap, Histogram, Pareto, PercentileBands, RequestTimeline, Scatter, ScatterLine,
    ScatterWithPercentiles, Survival, Timeslice, Uncertainty,
};

/// Every type, as configuration files spell it.
const NAMES: [(PlotType, &str); 13] = [
    (Pareto, "pareto"),
    (ScatterLine, "scatter_line"),
    (Uncertainty, "latency_throughput_uncertainty"),
    (Scatter, "scatter"),
    (ScatterWithPercentiles, "scatter_with_percentiles"),
    (Area, "area"),
    (DualAxis, "dual_axis"),
    (Timeslice, "timeslice"),
    (Histogram, "histogram"),
    (PercentileBands, "percentile_bands"),
    (RequestTimeline, "request_timeline"),
    (Survival, "survival"),
    (HeatMap, "heat_map"),
];

impl PlotType {
    /// As configuration files spell it.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Whether plots of this type show one run, or several.
    pub fn fits(self, mode: RunMode) -> bool {
        match self {
            Scatter => true,
            Pareto | ScatterLine | Uncertainty => mode == RunMode::Multi,
            _ => mode == RunMode::Single,
        }
    }

    /// The type with this name, for plots of one run or of several.
    pub fn from_name(name: &str, mode: RunMode) -> Option<Self> {
        let name = if name == "uncertainty" { Uncertainty.name() } else { name };
        NAMES.iter().find(|(kind, known)| *known == name && kind.fits(mode)).map(|(kind, _)| *kind)
    }

    /// Names of the types for plots of one run or of several.
    pub fn names(mode: RunMode) -> Vec<&'static str> {
        NAMES.iter().filter(|(kind, _)| kind.fits(mode)).map(|(_, name)| *name).collect()
    }

    /// Names of all types.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// Whether a key of a preset changes plots of this type.
    pub(super) fn heeds(self, key: &str, mode: RunMode) -> bool {
        let is_multi = mode == RunMode::Multi;
        match key {
            "y2" | "secondary_style" | "supplementary_col" => self == DualAxis,
            "ci_level" => self == Uncertainty,
            "labels" | "groups" => is_multi && self != HeatMap,
            "use_slice_duration" => matches!(self, Timeslice | Histogram),
            "primary_style" => {
                matches!(self, Scatter | ScatterWithPercentiles | ScatterLine | Area | DualAxis | Timeslice | Pareto)
            }
            "autoscale" => self != HeatMap,
            "log_scale" => !matches!(self, HeatMap | Survival),
            "stat" => is_multi || matches!(self, Timeslice | Histogram | HeatMap),
            _ => true,
        }
    }
}
