//! Option tables of commands that have a few options: one row gives parser, help and documentation. The names that a user
//! types anywhere share one rule for the name that was perhaps meant.
#![forbid(unsafe_code)]

mod nearest;
mod row;
mod value;

pub use nearest::nearest;
pub use row::{OptionRow, Setter};
pub use value::{above_zero, at_least_one, at_least_zero, number, share};
