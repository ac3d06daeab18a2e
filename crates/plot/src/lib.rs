//! Pictures of runs. Reads artifact folders of this program, of AIPerf and of GenAI-Perf, and draws what presets ask for:
//! PNG and SVG files, each with a table of its points, and charts for terminals. Nothing here knows how a run is made.
#![forbid(unsafe_code)]

mod draw;
mod error;
mod figure;
mod files;
mod mode;
mod plots;
mod preset;
mod run;
mod session;

pub use draw::{TerminalSize, Theme, kitty, png, sixel, svg, terminal_text};
pub use error::PlotError;
pub use figure::{
    Axis, AxisScale, AxisSide, Bounds, ErrorBar, Figure, HeatCell, Ink, Layer, LineShape, Marks, Oval, PointCell,
    PointTable, Tick, TickLabels, nice_ticks, number_text,
};
pub use files::{PictureFormat, WrittenPlots};
pub use mode::RunMode;
pub use preset::{BUILT_IN_YAML, ConfigOrigin, PlotType, Preset, PresetFile};
pub use run::{DetailedRun, ResultFolder, SummarisedRun, discover};
pub use session::{DrawnPlot, PlotOptions, PlotSession, SkippedPlot};
