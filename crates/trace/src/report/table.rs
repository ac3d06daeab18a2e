//! The analysis as tables for a console of 120 columns.

use aiperf_table::{Colour, ConsoleTable, TableCell, TableColumn, TextStyle, Width, decimal};

use crate::{Analysis, CacheProfile, ModelShape, SessionSource, Statistics};

pub fn table(analysis: &Analysis, shape: Option<ModelShape>) -> String {
    let mut text = format!(
        "\nTrace Analysis Report\nTotal requests: {}\nUnique prefixes: {}\nPrefix groups: {}\n\n",
        decimal(analysis.total_requests as f64, 0),
        decimal(analysis.unique_prefixes as f64, 0),
        decimal(analysis.prefix_groups as f64, 0),
    );
    text.push_str(&statistics(analysis));
    text.push_str(&notes(analysis));
    if let Some(cache) = &analysis.cache {
        text.push_str(&cache_table(cache, shape));
    }
    if let Some(arrivals) = &analysis.arrivals {
        let rows: Vec<Vec<String>> = arrivals
            .windows
            .iter()
            .map(|window| {
                vec![
                    format!("{} s", window.window_seconds),
                    decimal(window.mean, 2),
                    decimal(window.peak as f64, 0),
                    decimal(window.peak_to_mean, 2),
                    decimal(window.index_of_dispersion, 2),
                ]
            })
            .collect();
        text.push_str(&format!(
            "\nArrivals: {} s, {} requests/s, CV of gaps {}\n",
            decimal(arrivals.duration_seconds, 1),
            decimal(arrivals.requests_per_second, 3),
            arrivals.inter_arrival_cv.map_or("N/A".to_owned(), |cv| decimal(cv, 2)),
        ));
        if !rows.is_empty() {
            let headers = ["Window", "Mean", "Peak", "Peak / Mean", "Dispersion"];
            text.push_str(&boxed("Arrivals per Window", &headers, &rows));
        }
    }
    let sessions = &analysis.sessions;
    let source = match sessions.source {
        SessionSource::Recorded => "recorded",
        SessionSource::Inferred => "inferred from prefixes",
        SessionSource::Single => "one per request",
    };
    text.push_str(&format!("\nSessions: {} ({source})", decimal(sessions.total as f64, 0)));
    if let Some(turns) = sessions.turns {
        text.push_str(&format!(", {} turns on average, at most {}", decimal(turns.mean, 2), decimal(turns.max, 0)));
    }
    if !sessions.over_time.is_empty() {
        text.push_str(&format!(", at most {} active at the same time", decimal(sessions.peak_active as f64, 0)));
    }
    text.push('\n');
    text
}

/// Remarks about the figures.
fn notes(analysis: &Analysis) -> String {
    let too_many = format!(
        "more blocks than fit into the prompt at {} tokens per block; set the block size of this trace with --block-size",
        analysis.block_size
    );
    let counted = |count: usize, one: &str, many: &str, what: &str| match count {
        0 => String::new(),
        1 => format!("\n1 {one} {what}.\n"),
        count => format!("\n{} {many} {what}.\n", decimal(count as f64, 0)),
    };
    let requests = |count, what| counted(count, "request has", "requests have", what);
    let left_out =
        format!("could not be read (left out; aiperf validate {} FILE lists the problems)", analysis.layout.target());
    [
        counted(analysis.skipped_rows, "row", "rows", &left_out),
        requests(analysis.requests_without_length, "no recorded prompt length (left out of the length statistics)"),
        requests(analysis.requests_with_too_many_blocks, &too_many),
        requests(analysis.zero_outputs, "no recorded output (failures of the original service; counted as load)"),
    ]
    .concat()
}

/// The table of the reference, and below it the upper percentiles, which matter for sizing a server.
fn statistics(analysis: &Analysis) -> String {
    let rows = |figures: &[fn(Statistics) -> f64]| -> Vec<Vec<String>> {
        let row = |(name, statistics): (&str, Option<Statistics>)| {
            let cells = figures.iter().map(|figure| statistics.map_or("N/A".to_owned(), |s| decimal(figure(s), 2)));
            std::iter::once(name.to_owned()).chain(cells).collect()
        };
        [
            ("Input Length", analysis.input_length),
            ("Context Length", analysis.context_length),
            ("Unique Prompt Length", analysis.unique_prompt_length),
            ("Output Length", analysis.output_length),
            ("Theoretical Hit Rates", analysis.hit_rates),
            ("Reuse Distance (blocks)", analysis.reuse_distance),
            ("Reuse Interval (s)", analysis.reuse_interval_seconds),
        ]
        .map(row)
        .into()
    };
    let all = rows(&[|s| s.mean, |s| s.std_dev, |s| s.min, |s| s.p25, |s| s.median, |s| s.p75, |s| s.max]);
    let tails = rows(&[|s| s.p90, |s| s.p95, |s| s.p99]);
    boxed("Trace Statistics", &["Metric", "Mean", "Std Dev", "Min", "P25", "Median", "P75", "Max"], &all)
        + &boxed("Tails", &["Metric", "P90", "P95", "P99"], &tails)
}

/// Why the two hit rates of a trace differ.
const TWO_RATES: &str = "This rate is the share of all prompt tokens, in complete blocks only. \"Theoretical Hit Rates\" above \
                         are the share of each request's blocks, where an incomplete last block counts as complete.\n";

fn cache_table(cache: &CacheProfile, shape: Option<ModelShape>) -> String {
    let mut headers = vec!["Blocks", "Tokens"];
    headers.extend(shape.map(|_| "GiB"));
    headers.push("Hit Rate");
    let rows: Vec<Vec<String>> = cache
        .sizes()
        .into_iter()
        .filter(|size| cache.hit_rate(*size) > 0.0)
        .map(|size| {
            let mut cells = vec![decimal(size as f64, 0), decimal(size as f64 * f64::from(cache.block_size), 0)];
            cells.extend(shape.map(|shape| decimal(shape.gib(size, cache.block_size), 2)));
            cells.push(format!("{:.4}", cache.hit_rate(size)));
            cells
        })
        .collect();
    let mut text = format!(
        "\nPrefix cache: {} of {} prompt tokens can be cache hits ({:.4})\n",
        decimal(cache.best_hit_rate() * cache.prompt_tokens as f64, 0),
        decimal(cache.prompt_tokens as f64, 0),
        cache.best_hit_rate(),
    );
    text.push_str(TWO_RATES);
    if let Some(blocks) = cache.blocks_for(0.95) {
        let memory =
            shape.map_or(String::new(), |shape| format!(", {} GiB", decimal(shape.gib(blocks, cache.block_size), 2)));
        text.push_str(&format!("95 % of these hits need {} blocks{memory}\n", decimal(blocks as f64, 0)));
    }
    if !rows.is_empty() {
        text.push_str(&boxed("Hit Rate by Cache Size (LRU, complete blocks)", &headers, &rows));
    }
    text
}

/// A table with the first column left-aligned and the others right-aligned.
fn boxed(title: &str, headers: &[&str], rows: &[Vec<String>]) -> String {
    let column = |(place, header): (usize, &&str)| {
        if place == 0 { TableColumn::left(header) } else { TableColumn::right(header) }
    };
    let table = ConsoleTable {
        title: title.to_owned(),
        columns: headers.iter().enumerate().map(column).collect(),
        rows: rows.iter().map(|row| row.iter().map(TableCell::value).collect()).collect(),
        flexible: 0,
    };
    table.render(Width::UNLIMITED, TextStyle::new(Colour::Plain)) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &str) -> String {
        let trace = crate::Trace::parse(std::path::Path::new("rows"), rows.as_bytes(), None).unwrap();
        table(&crate::analyze(&trace), None)
    }

    #[test]
    fn what_the_figures_do_not_show_is_said() {
        let text = of("Timestamp,Request tokens,Response tokens\n1,9,0\nx,1,1\n2,9,1\ny,1,1\n");
        assert!(text.contains("\n1 request has no recorded output"), "{text}");
        assert!(text.contains("\n2 rows could not be read (left out; aiperf validate burst-gpt-trace FILE"), "{text}");
        let text = of("{\"input_length\":40,\"hash_ids\":[1,2,3]}");
        assert!(text.contains("more blocks than fit into the prompt at 512 tokens per block"), "{text}");
        assert!(!text.contains("Hit Rate by Cache Size"), "a table without rows says nothing: {text}");
    }

    #[test]
    fn tails_stand_below_the_figures_of_the_reference() {
        let rows: Vec<String> = (1..=101).map(|n| format!("{{\"input_length\":{n}}}")).collect();
        let text = of(&rows.join("\n"));
        let line = text.lines().filter(|line| line.contains("Input Length")).nth(1).unwrap();
        let cells: Vec<&str> = line.split('│').map(str::trim).collect();
        assert_eq!(cells, ["", "Input Length", "91.00", "96.00", "100.00", ""]);
    }
}
