//! Pictures of runs. Reads artifact folders of this program, of AIPerf and of GenAI-Perf, and draws what presets ask for:
//! PNG and SVG files, each with a table of its points, and charts for terminals. Nothing here knows how a run is made.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::float_cmp, reason = "the numbers of the tests are exact"))]

mod choices;
mod draw;
mod error;
mod figure;
mod files;
mod mode;
mod plots;
mod preset;
mod run;
mod session;

pub use choices::{MetricChoice, PlotChoices};
pub use draw::{
    ChartArea, PictureSize, TerminalSize, Theme, kitty, png, sixel, sized_png, sized_svg, svg, terminal_text,
    typeface_files,
};
pub use error::PlotError;
pub use figure::{
    Axis, AxisScale, AxisSide, Bounds, ErrorBar, Figure, HeatCell, Ink, Layer, LineShape, Marks, Oval, PointCell,
    PointTable, Tick, TickLabels, nice_ticks, number_text,
};
pub use files::{PictureFormat, WrittenPlots};
pub use mode::RunMode;
pub use preset::{
    AddedPreset, BUILT_IN_YAML, BoardLayout, ConfigOrigin, FOLDER_CONFIG, MetricParts, OneOrMore, PlotType, Preset,
    PresetDocument, PresetFile, USER_CONFIG, WrittenAxes, WrittenMetric, WrittenPreset, WrittenSettings,
    WrittenVisualization, load_presets, yaml_text,
};
pub use run::{DetailedRun, ResultFolder, ResultKind, RunParameter, SummarisedRun, discover};
pub use session::{DrawnPlot, PlotOptions, PlotSession, SkippedPlot, mode_of};
