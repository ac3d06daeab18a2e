//! A screen of characters that is drawn in memory; the terminal gets only the cells that changed.

mod frame;
mod text;
mod update;

pub(crate) use frame::{Frame, Rect};
pub(crate) use text::{Color, Line, Span, Style};
pub(crate) use update::update;
