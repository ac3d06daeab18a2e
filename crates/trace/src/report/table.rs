//! The analysis as tables for a console of 120 columns.

use crate::{Analysis, CacheProfile, ModelShape, SessionSource, Statistics};

pub fn table(analysis: &Analysis, shape: Option<ModelShape>) -> String {
    let mut text = format!(
        "\nTrace Analysis Report\nTotal requests: {}\nUnique prefixes: {}\nPrefix groups: {}\n\n",
        grouped(analysis.total_requests as f64, 0),
        grouped(analysis.unique_prefixes as f64, 0),
        grouped(analysis.prefix_groups as f64, 0),
    );
    text.push_str(&statistics(analysis));
    for (count, what) in [
        (analysis.skipped_rows, "rows could not be read and were left out"),
        (analysis.requests_without_length, "requests have no recorded prompt length and count for none"),
        (analysis.zero_outputs, "requests have no output: failures of the original service, kept as load"),
    ] {
        if count > 0 {
            text.push_str(&format!("\n{} {what}.\n", grouped(count as f64, 0)));
        }
    }
    if let Some(cache) = &analysis.cache {
        text.push_str(&cache_table(cache, shape));
    }
    if let Some(arrivals) = &analysis.arrivals {
        let rows: Vec<Vec<String>> = arrivals
            .windows
            .iter()
            .map(|window| {
                let cells = [window.mean, window.peak as f64, window.peak_to_mean, window.index_of_dispersion];
                let name = format!("{} s", window.window_seconds);
                std::iter::once(name).chain(cells.map(|cell| grouped(cell, 2))).collect()
            })
            .collect();
        text.push_str(&format!(
            "\nArrivals: {} s, {} requests/s, CV of gaps {}\n",
            grouped(arrivals.duration_seconds, 1),
            grouped(arrivals.requests_per_second, 3),
            arrivals.inter_arrival_cv.map_or("N/A".to_owned(), |cv| grouped(cv, 2)),
        ));
        text.push_str(&boxed("Arrivals per Window", &["Window", "Mean", "Peak", "Peak / Mean", "Dispersion"], &rows));
    }
    let sessions = &analysis.sessions;
    let source = match sessions.source {
        SessionSource::Recorded => "recorded",
        SessionSource::Inferred => "inferred from prefixes",
        SessionSource::Single => "one per request",
    };
    text.push_str(&format!("\nSessions: {} ({source})", grouped(sessions.total as f64, 0)));
    if let Some(turns) = sessions.turns {
        text.push_str(&format!(", {} turns on average, at most {}", grouped(turns.mean, 2), grouped(turns.max, 0)));
    }
    if !sessions.over_time.is_empty() {
        text.push_str(&format!(", at most {} at a time", grouped(sessions.peak_active as f64, 0)));
    }
    text.push('\n');
    text
}

fn statistics(analysis: &Analysis) -> String {
    let row = |name: &str, statistics: Option<Statistics>| {
        let cells = statistics.map_or_else(
            || vec!["N/A".to_owned(); 7],
            |s| [s.mean, s.std_dev, s.min, s.p25, s.median, s.p75, s.max].iter().map(|v| grouped(*v, 2)).collect(),
        );
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let rows = vec![
        row("Input Length", analysis.input_length),
        row("Context Length", analysis.context_length),
        row("Unique Prompt Length", analysis.unique_prompt_length),
        row("Output Length", analysis.output_length),
        row("Theoretical Hit Rates", analysis.hit_rates),
        row("Reuse Distance (blocks)", analysis.reuse_distance),
        row("Reuse Interval (s)", analysis.reuse_interval_seconds),
    ];
    boxed("Trace Statistics", &["Metric", "Mean", "Std Dev", "Min", "P25", "Median", "P75", "Max"], &rows)
}

fn cache_table(cache: &CacheProfile, shape: Option<ModelShape>) -> String {
    let mut headers = vec!["Blocks", "Tokens"];
    headers.extend(shape.map(|_| "GiB"));
    headers.push("Hit Rate");
    let rows: Vec<Vec<String>> = cache
        .sizes()
        .into_iter()
        .filter(|size| cache.hit_rate(*size) > 0.0)
        .map(|size| {
            let mut cells = vec![grouped(size as f64, 0), grouped(size as f64 * f64::from(cache.block_size), 0)];
            cells.extend(shape.map(|shape| grouped(shape.gib(size, cache.block_size), 2)));
            cells.push(format!("{:.4}", cache.hit_rate(size)));
            cells
        })
        .collect();
    let mut text = format!(
        "\nPrefix cache: {} of {} prompt tokens can come from it ({:.4})\n",
        grouped(cache.best_hit_rate() * cache.prompt_tokens as f64, 0),
        grouped(cache.prompt_tokens as f64, 0),
        cache.best_hit_rate(),
    );
    if let Some(blocks) = cache.blocks_for(0.95) {
        let memory =
            shape.map_or(String::new(), |shape| format!(", {} GiB", grouped(shape.gib(blocks, cache.block_size), 2)));
        text.push_str(&format!("95 % of that take {} blocks{memory}\n", grouped(blocks as f64, 0)));
    }
    text.push_str(&boxed("Hit Rate by Cache Size (LRU, complete blocks)", &headers, &rows));
    text
}

/// The first column to the left, the others to the right.
fn boxed(title: &str, headers: &[&str], rows: &[Vec<String>]) -> String {
    let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&headers).chain(rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let rule = |left: &str, fill: &str, cross: &str, right: &str| {
        let parts: Vec<String> = widths.iter().map(|width| fill.repeat(width + 2)).collect();
        format!("{left}{}{right}\n", parts.join(cross))
    };
    let line = |cells: &[String], border: &str| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!(" {cell:<width$} ") } else { format!(" {cell:>width$} ") }
        });
        format!("{border}{}{border}\n", padded.collect::<Vec<_>>().join(border))
    };
    let total = widths.iter().map(|width| width + 3).sum::<usize>() + 1;
    let mut text = format!("{}{title}\n", " ".repeat(total.saturating_sub(title.chars().count()) / 2));
    text.push_str(&rule("┏", "━", "┳", "┓"));
    text.push_str(&line(&headers, "┃"));
    text.push_str(&rule("┡", "━", "╇", "┩"));
    for row in rows {
        text.push_str(&line(row, "│"));
    }
    text.push_str(&rule("└", "─", "┴", "┘"));
    text
}

/// With commas between thousands.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let mut digits = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            digits.push(',');
        }
        digits.push(digit);
    }
    let sign = if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) { "-" } else { "" };
    fraction.map_or_else(|| format!("{sign}{digits}"), |part| format!("{sign}{digits}.{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(12_035.061_3, 2), "12,035.06");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(grouped(-1_234.5, 1), "-1,234.5");
        assert_eq!(grouped(-0.001, 2), "0.00");
    }
}
