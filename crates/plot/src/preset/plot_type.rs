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

impl PlotType {
    pub const ALL: [Self; 13] = [
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
    ];

    /// As configuration files spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Pareto => "pareto",
            ScatterLine => "scatter_line",
            Uncertainty => "latency_throughput_uncertainty",
            Scatter => "scatter",
            ScatterWithPercentiles => "scatter_with_percentiles",
            Area => "area",
            DualAxis => "dual_axis",
            Timeslice => "timeslice",
            Histogram => "histogram",
            PercentileBands => "percentile_bands",
            RequestTimeline => "request_timeline",
            Survival => "survival",
            HeatMap => "heat_map",
        }
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
        Self::ALL.into_iter().find(|kind| kind.name() == name && kind.fits(mode))
    }

    /// Names of the types for plots of one run or of several.
    pub fn names(mode: RunMode) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|kind| kind.fits(mode)).map(Self::name).collect()
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
            "stat" => is_multi || matches!(self, Timeslice | Histogram | HeatMap),
            "source" => !is_multi || self != RequestTimeline,
            _ => true,
        }
    }
}
