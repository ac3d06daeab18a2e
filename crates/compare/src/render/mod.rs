//! Reports as people and machines read them.

mod cells;
mod console;
mod json;
mod junit;
mod markdown;

use crate::{ComparisonReport, Gate};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Console,
    Markdown,
    Json,
    Junit,
}

impl Format {
    pub const NAMES: [&'static str; 4] = ["console", "markdown", "json", "junit"];

    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "console" => Self::Console,
            "markdown" => Self::Markdown,
            "json" => Self::Json,
            "junit" => Self::Junit,
            _ => return None,
        })
    }
}

/// A report, with the outcome of the gate if there is one.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub report: &'a ComparisonReport,
    pub gate: Option<Gate>,
    /// Of this program.
    pub version: &'a str,
}

impl Page<'_> {
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Console => console::render(self),
            Format::Markdown => markdown::render(self),
            Format::Json => json::render(self),
            Format::Junit => junit::render(self),
        }
    }
}
