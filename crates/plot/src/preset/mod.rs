//! What to draw: presets, as the configuration file has them.

mod classification;
mod file;
mod glob;
mod metric_ref;
mod origin;
mod plot_type;
mod source;
mod style;
mod written;

pub(crate) use classification::{Classification, ExperimentSide};
pub use file::{BUILT_IN_YAML, Preset, PresetFile};
pub(crate) use file::{Downsampling, WindowMethod};
pub(crate) use metric_ref::MetricRef;
pub use origin::ConfigOrigin;
pub(crate) use origin::load;
pub use plot_type::PlotType;
pub(crate) use source::DataSource;
pub(crate) use source::looks_like_server_metric;
pub(crate) use style::{PlotStyle, StyleMode};
