//! The analysis as one HTML page with charts, without scripts and external files.

use super::axis::{AxisScale, AxisUnit};
use super::chart::{Chart, ChartLine};
use super::table;
use crate::{Analysis, CacheProfile, ModelShape, SessionPoint};

pub(super) const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2rem auto;padding:0 1rem;color:#111;\
background:#fff}pre{font-size:11px;line-height:1.25;overflow-x:auto}svg{width:100%;height:auto;margin:.7rem 0}";

/// The share of the hits of an unlimited cache that marks a good cache size.
const MOST_OF_IT: f64 = 0.95;

/// A page about the trace of this name.
pub fn page(name: &str, analysis: &Analysis, shape: Option<ModelShape>) -> String {
    let mut charts = String::new();
    if let Some(cache) = &analysis.cache {
        charts.push_str(&cache_chart(cache, shape));
        charts.push_str(&distance_chart(cache));
    }
    let points = &analysis.sessions.over_time;
    if points.len() > 1 {
        let interval = analysis.sessions.interval_seconds;
        // The trace ends within the last interval, which would look too low.
        let whole = if points.len() > 2 { &points[..points.len() - 1] } else { points };
        let rate = |value: fn(&SessionPoint) -> u64| line_of(whole, |point| value(point) as f64 / interval);
        charts.push_str(&over_time("Arrivals", "requests per second", vec![("requests", rate(|p| p.requests))]));
        charts.push_str(&over_time(
            "Sessions",
            "",
            vec![
                ("active", line_of(points, |p| p.active_sessions as f64)),
                ("new", line_of(points, |p| p.new_sessions as f64)),
            ],
        ));
        // Prompts are far longer than outputs, so that they need separate charts.
        charts.push_str(&over_time("Prompts", "tokens per second", vec![("input", rate(|p| p.input_tokens))]));
        charts.push_str(&over_time("Outputs", "tokens per second", vec![("output", rate(|p| p.output_tokens))]));
    }
    let name = escaped(name);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title><style>{STYLE}</style></head>\
         <body><h1>{name}</h1>{charts}<pre>{}</pre></body></html>\n",
        escaped(table(analysis, shape).trim())
    )
}

fn cache_chart(cache: &CacheProfile, shape: Option<ModelShape>) -> String {
    let size = |blocks: u64| shape.map_or(blocks as f64, |shape| shape.gib(blocks, cache.block_size) * 1024.0);
    let points = cache.sizes().into_iter().map(|blocks| (size(blocks), cache.hit_rate(blocks))).collect();
    let best = cache.best_hit_rate();
    Chart {
        title: "Prefix-cache hit rate by cache size (LRU)",
        x: if shape.is_some() { "cache size" } else { "cache size (blocks)" },
        x_unit: if shape.is_some() { AxisUnit::Mebibytes } else { AxisUnit::Plain },
        y: "share of prompt tokens",
        y_unit: AxisUnit::Share,
        scale: AxisScale::Doubling,
        lines: vec![ChartLine { name: "hit rate", points }],
        level: Some((best, format!("unlimited cache: {}", AxisUnit::Share.show((best * 1e3).round() / 1e3)))),
        mark: cache.blocks_for(MOST_OF_IT).map(|blocks| (size(blocks), "95 % of its hits".to_owned())),
    }
    .svg()
}

fn distance_chart(cache: &CacheProfile) -> String {
    let total = cache.distances.len().max(1) as f64;
    let share = |limit: u64| cache.distances.partition_point(|d| u64::from(*d) <= limit) as f64 / total;
    let points = cache.sizes().into_iter().map(|limit| (limit as f64, share(limit))).collect();
    Chart {
        title: "Reuse distance",
        x: "different blocks used between two uses of a block",
        x_unit: AxisUnit::Plain,
        y: "share of reuses within this distance",
        y_unit: AxisUnit::Share,
        scale: AxisScale::Doubling,
        lines: vec![ChartLine { name: "reuses", points }],
        level: None,
        mark: None,
    }
    .svg()
}

fn over_time(title: &str, y: &str, lines: Vec<(&str, Vec<(f64, f64)>)>) -> String {
    let lines = lines.into_iter().map(|(name, points)| ChartLine { name, points }).collect();
    let (level, mark) = (None, None);
    let (x_unit, y_unit, scale) = (AxisUnit::Plain, AxisUnit::Plain, AxisScale::Linear);
    Chart { title, x: "time (s)", x_unit, y, y_unit, scale, lines, level, mark }.svg()
}

fn line_of(points: &[SessionPoint], value: impl Fn(&SessionPoint) -> f64) -> Vec<(f64, f64)> {
    points.iter().map(|point| (point.start_seconds, value(point))).collect()
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_interval_that_the_trace_ends_in_has_no_rate() {
        // Two requests in each tenth of a second, and one at the very end.
        let times = (0..20).map(|n| n * 50).chain([1_000]);
        let rows: Vec<String> = times.map(|t| format!("{{\"timestamp\":{t},\"input_length\":1}}")).collect();
        let trace = crate::Trace::parse(Path::new("rows"), rows.join("\n").as_bytes(), None).unwrap();
        let page = page("rows", &crate::analyze(&trace), None);
        let (_, arrivals) = page.split_once(">Arrivals<").unwrap();
        let line = arrivals.split_once("stroke-width=\"1.8\" d=\"M").unwrap().1.split_once('"').unwrap().0;
        let heights: Vec<&str> = line.split('L').map(|point| point.split_once(' ').unwrap().1).collect();
        assert_eq!((heights.len(), heights.iter().all(|height| *height == heights[0])), (10, true), "{line}");
    }
}
