//! The table of a sweep that grows while it runs: one line of at most 80 columns for each run that is over.

use aiperf_table::{decimal, grouped};

/// Columns of the narrowest terminal that people use.
const COLUMNS: usize = 80;
/// Columns of a number, with the blank before it.
const NUMBER: usize = 11;
const LEFT: usize = 9;
const SLA: usize = 5;

/// The columns of a table that is written line by line, so that its layout cannot depend on what is still to come.
#[derive(Debug, Clone, Copy)]
pub struct SweepRows {
    /// Digits of the number of runs.
    digits: usize,
    total: usize,
    has_first_token: bool,
    has_limits: bool,
}

/// One run that is over.
#[derive(Debug, Clone, Default)]
pub struct SweepRow<'a> {
    /// From 1.
    pub number: usize,
    /// Its values in words.
    pub point: &'a str,
    pub requests_per_second: Option<f64>,
    /// In milliseconds.
    pub first_token_p50: Option<f64>,
    /// In milliseconds.
    pub latency_p99: Option<f64>,
    /// Whether it keeps all limits of the sweep.
    pub is_feasible: bool,
    /// Why it has no numbers.
    pub failure: Option<&'a str>,
    /// Seconds that all further runs will probably take.
    pub left: Option<f64>,
}

impl SweepRows {
    /// `total`: the number of runs. Whether runs have a first token, and whether the sweep has limits, decides on columns.
    pub fn new(total: usize, has_first_token: bool, has_limits: bool) -> Self {
        Self { digits: total.to_string().len(), total, has_first_token, has_limits }
    }

    pub fn header(&self) -> String {
        let mut line = self.begin("run", "point");
        self.numbers(&mut line, "req/s", "TTFT p50", "lat. p99");
        if self.has_limits {
            line.push_str(&format!("{:>SLA$}", "SLA"));
        }
        line.push_str(&format!("{:>LEFT$}\n", "left"));
        line
    }

    pub fn row(&self, row: &SweepRow<'_>) -> String {
        let mut line = self.begin(&format!("{}/{}", row.number, self.total), row.point);
        if let Some(why) = row.failure {
            let room = COLUMNS.saturating_sub(line.chars().count() + " failed: ".len());
            line.push_str(&format!(" failed: {}\n", cut(why, room)));
            return line;
        }
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        let (first, latency) = (number(row.first_token_p50), number(row.latency_p99));
        self.numbers(&mut line, &number(row.requests_per_second), &first, &latency);
        if self.has_limits {
            line.push_str(&format!("{:>SLA$}", if row.is_feasible { "ok" } else { "over" }));
        }
        let left = row.left.map_or_else(|| "-".to_owned(), time_left);
        line.push_str(&format!("{left:>LEFT$}\n"));
        line
    }

    fn begin(&self, run: &str, point: &str) -> String {
        let run_width = (2 * self.digits + 1).max(3);
        let numbers = if self.has_first_token { 3 * NUMBER } else { 2 * NUMBER };
        let limits = if self.has_limits { SLA } else { 0 };
        let width = COLUMNS.saturating_sub(run_width + 2 + numbers + limits + LEFT);
        format!("{run:>run_width$}  {:<width$}", cut(point, width))
    }

    fn numbers(&self, line: &mut String, rate: &str, first_token: &str, latency: &str) {
        line.push_str(&format!("{rate:>NUMBER$}"));
        if self.has_first_token {
            line.push_str(&format!("{first_token:>NUMBER$}"));
        }
        line.push_str(&format!("{latency:>NUMBER$}"));
    }
}

/// A number that fits its column.
fn short(value: f64) -> String {
    if value.abs() < 100_000.0 { grouped(value) } else { decimal(value, 0) }
}

/// `45 s`, `12 min`, `3.5 h`.
pub fn time_left(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} s", seconds.ceil())
    } else if seconds < 5_400.0 {
        format!("{:.0} min", (seconds / 60.0).ceil())
    } else {
        format!("{:.1} h", seconds / 3_600.0)
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_fits_80_columns() {
        let rows = SweepRows::new(1_000, true, true);
        let long = "concurrency 128, isl 2048, osl 512, request_rate 17.5";
        let full = SweepRow {
            number: 1_000,
            point: long,
            requests_per_second: Some(1_234_567.0),
            first_token_p50: Some(99_999.99),
            latency_p99: Some(1e7),
            is_feasible: true,
            failure: None,
            left: Some(400_000.0),
        };
        let failed = SweepRow { failure: Some("all 4 requests failed: the server said 500 to each of them"), ..full };
        for line in [rows.header(), rows.row(&full), rows.row(&failed)] {
            assert!(line.trim_end().chars().count() <= 80, "{line}");
        }
        assert!(rows.row(&failed).contains("failed: all 4"));
    }

    #[test]
    fn numbers_stand_under_their_titles() {
        let rows = SweepRows::new(12, true, false);
        let row = SweepRow {
            number: 3,
            point: "concurrency 4",
            requests_per_second: Some(24.25),
            first_token_p50: Some(41.5),
            latency_p99: Some(70.0),
            left: Some(200.0),
            ..SweepRow::default()
        };
        let (head, line) = (rows.header(), rows.row(&row));
        assert_eq!(head.trim_end().len(), line.trim_end().len());
        assert_eq!(line.trim_end(), " 3/12  concurrency 4                        24.25      41.50      70.00    4 min");
    }

    #[test]
    fn times_have_the_unit_that_people_use() {
        assert_eq!([0.2, 89.0, 91.0, 7_200.0].map(time_left), ["1 s", "89 s", "2 min", "2.0 h"]);
    }
}
