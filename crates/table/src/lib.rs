//! Tables for the console and for CSV files, and the numbers in them. Every table and every thousands separator of the
//! program comes from here, so that all of them look alike.
#![forbid(unsafe_code)]

mod columns;
mod console_table;
pub mod csv;
mod number;
mod style;
mod width;

pub use columns::{Align, aligned};
pub use console_table::{ConsoleTable, TableCell, TableColumn};
pub use number::{decimal, grouped, whole};
pub use style::{Colour, Emphasis, TextStyle, Width};
pub(crate) use width::display_width;
pub use width::wrap;
