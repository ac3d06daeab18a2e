//! What is worked out from all points of a sweep when it is over (`sweep.postProcess`).

use crate::SlaFilter;

/// A handler and the file that it writes, next to the files of the sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct PostProcess {
    pub handler: PostProcessHandler,
    /// A plain name that ends in `.json`.
    pub output_filename: String,
}

/// One statistic of one metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricStat {
    pub metric: String,
    pub stat: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PostProcessHandler {
    /// The first value of a parameter at which a metric is worse than at the lowest value by more than a share.
    DegradationKnee { of: MetricStat, swept: String, threshold: f64 },
    /// A line or a parabola through a metric over a parameter.
    CurveFit { of: MetricStat, swept: String, r_squared_floor: f64 },
    /// A metric over two parameters.
    SurfaceFit { of: MetricStat, concurrency: String, osl: String },
    /// The highest value of a parameter that keeps all limits, and the first that does not.
    SlaBreachKnee { filters: Vec<SlaFilter>, swept: String },
    /// All points by two metrics, with those that no other point beats.
    ParetoExport { x: MetricStat, y: MetricStat, isl: String, osl: String, concurrency: String },
}

impl PostProcessHandler {
    /// Names as files have them.
    pub const NAMES: [&'static str; 5] =
        ["degradation_knee_detect", "ttft_curve_fit", "itl_surface_fit", "sla_breach_knee", "pareto_sweep_export"];

    pub const fn name(&self) -> &'static str {
        match self {
            Self::DegradationKnee { .. } => Self::NAMES[0],
            Self::CurveFit { .. } => Self::NAMES[1],
            Self::SurfaceFit { .. } => Self::NAMES[2],
            Self::SlaBreachKnee { .. } => Self::NAMES[3],
            Self::ParetoExport { .. } => Self::NAMES[4],
        }
    }
}
