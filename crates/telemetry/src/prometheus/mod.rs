//! Reads pages of metrics in Prometheus text format 0.0.4 and OpenMetrics 1.0.
//!
//! The parser is written here. `prometheus-parse` and `openmetrics-parser` build a map with owned strings for each sample of each
//! page, have no limits, and the former drops lines that it cannot read. A page of thousands of series comes several times a second,
//! and nearly all of it is the text of the page before: [`PageReader`] compares it with that text and reads only the values.
//! Parsing is a pure function of a line ([`PageLine::parse`]); no bytes make it panic, and its memory is bounded by [`PageLimits`].

mod error;
mod family;
mod labels;
mod limits;
mod line;
mod page;
mod reader;
mod role;

pub use error::PageError;
pub use family::{MetricFamily, MetricType};
pub use labels::Labels;
pub use limits::PageLimits;
pub use line::PageLine;
pub use page::{MetricPage, MetricSample};
pub use reader::{FamilyId, KnownFamily, KnownSeries, PageReader, PageValues, SeriesId};
pub use role::SampleRole;

/// Which text format a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFormat {
    /// Prometheus text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0: names of families lack the suffixes of their samples, and the page ends in `# EOF`.
    OpenMetrics,
}

impl PageFormat {
    /// The format that a `Content-Type` names. Servers that name none mean the Prometheus format.
    pub fn of_content_type(value: Option<&str>) -> Self {
        let is_open_metrics = value.is_some_and(|value| {
            let media_type = value.split(';').next().unwrap_or_default().trim();
            media_type.eq_ignore_ascii_case("application/openmetrics-text")
        });
        if is_open_metrics { Self::OpenMetrics } else { Self::Prometheus }
    }
}

#[cfg(test)]
mod tests;
