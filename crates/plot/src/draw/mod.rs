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
mod svg;
mod terminal;
mod theme;
mod typeface;

pub use terminal::{TerminalSize, terminal_text};
pub use theme::Theme;

use crate::Figure;

/// Size of a picture before it is enlarged.
const WIDTH: f32 = 1600.0;
const HEIGHT: f32 = 800.0;
/// A PNG has this many pixels for each unit of length: 2400 by 1200.
const PNG_SCALE: f32 = 1.5;
/// Scale of a picture within a terminal: 960 by 480.
const TERMINAL_SCALE: f32 = 0.6;

/// The figure as an SVG file.
pub fn svg(figure: &Figure, theme: Theme) -> String {
    let mut canvas = svg::SvgCanvas::new(WIDTH, HEIGHT, figure);
    chart::draw(figure, theme, &mut canvas);
    canvas.finish()
}

/// The figure as a PNG file of 2400 by 1200 pixels.
pub fn png(figure: &Figure, theme: Theme) -> Vec<u8> {
    painted(figure, theme, PNG_SCALE).png()
}

/// The figure in the graphics protocol of kitty, WezTerm, Ghostty and Konsole.
pub fn kitty(figure: &Figure, theme: Theme) -> String {
    kitty::escape(&painted(figure, theme, TERMINAL_SCALE).png())
}

/// The figure as sixels.
pub fn sixel(figure: &Figure, theme: Theme) -> String {
    let picture = painted(figure, theme, TERMINAL_SCALE);
    sixel::encode(&picture.rgb(), picture.width(), picture.height())
}

fn painted(figure: &Figure, theme: Theme, scale: f32) -> raster::RasterCanvas {
    let mut canvas = raster::RasterCanvas::new(WIDTH, HEIGHT, scale);
    chart::draw(figure, theme, &mut canvas);
    canvas
}
