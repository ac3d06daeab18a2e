//! What to draw: presets, as the configuration file has them.

mod added;
mod check;
mod classification;
mod document;
mod edit;
mod file;
mod glob;
mod metric_ref;
mod origin;
mod plot_type;
mod source;
mod style;
mod yaml;

pub use added::AddedPreset;
pub(crate) use classification::{Classification, ExperimentSide};
pub use document::{
    BoardLayout, OneOrMore, PresetDocument, WrittenAxes, WrittenPreset, WrittenSettings, WrittenVisualization,
};
pub use file::{BUILT_IN_YAML, Preset, PresetFile};
pub(crate) use file::{Downsampling, WindowMethod};
pub(crate) use metric_ref::MetricRef;
pub use metric_ref::{MetricParts, WrittenMetric};
pub use origin::{ConfigOrigin, FOLDER_CONFIG, USER_CONFIG, load_presets};
pub use plot_type::PlotType;
pub(crate) use source::DataSource;
pub(crate) use source::looks_like_server_metric;
pub(crate) use style::{PlotStyle, StyleMode};
pub use yaml::yaml_text;
