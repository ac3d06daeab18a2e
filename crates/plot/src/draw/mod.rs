//! Draws a [`Figure`](crate::Figure): one layout, written as SVG or painted as PNG, and a coarser one for terminals.

mod canvas;
mod chart;
mod kitty;
mod legend;
mod marks;
mod point_labels;
mod raster;
mod scale;
mod sixel;
mod size;
mod svg;
mod terminal;
mod theme;
mod typeface;

pub use chart::ChartArea;
pub use size::PictureSize;
pub use terminal::{TerminalSize, terminal_text};
pub use theme::Theme;
pub use typeface::typeface_files;

use crate::Figure;

/// A PNG has this many pixels for each unit of length: 2400 by 1200.
const PNG_SCALE: f32 = 1.5;
/// Scale of a picture within a terminal: 960 by 480.
const TERMINAL_SCALE: f32 = 0.6;

/// The figure as an SVG file.
pub fn svg(figure: &Figure, theme: Theme) -> String {
    sized_svg(figure, theme, PictureSize::default()).0
}

/// The figure as an SVG picture of any size, and where values are in it.
pub fn sized_svg(figure: &Figure, theme: Theme, size: PictureSize) -> (String, ChartArea) {
    let mut canvas = svg::SvgCanvas::new(size, figure);
    let area = chart::draw(figure, theme, size, &mut canvas);
    (canvas.finish(), area)
}

/// The figure as a PNG file of 2400 by 1200 pixels.
pub fn png(figure: &Figure, theme: Theme) -> Vec<u8> {
    sized_png(figure, theme, PictureSize::default(), PNG_SCALE)
}

/// The figure as a PNG file with `scale` pixels for each unit of length.
pub fn sized_png(figure: &Figure, theme: Theme, size: PictureSize, scale: f32) -> Vec<u8> {
    painted(figure, theme, size, scale).png()
}

/// The figure in the graphics protocol of kitty, `WezTerm`, Ghostty and Konsole.
pub fn kitty(figure: &Figure, theme: Theme) -> String {
    kitty::escape(&painted(figure, theme, PictureSize::default(), TERMINAL_SCALE).png())
}

/// The figure as sixels.
pub fn sixel(figure: &Figure, theme: Theme) -> String {
    let picture = painted(figure, theme, PictureSize::default(), TERMINAL_SCALE);
    sixel::encode(&picture.rgb(), picture.width(), picture.height())
}

fn painted(figure: &Figure, theme: Theme, size: PictureSize, scale: f32) -> raster::RasterCanvas {
    let mut canvas = raster::RasterCanvas::new(size, scale);
    chart::draw(figure, theme, size, &mut canvas);
    canvas
}
