//! The analysis as one HTML page with its charts in it: no script, nothing fetched.

use super::chart::{Chart, Line, Scale};
use super::table;
use crate::{Analysis, CacheProfile, ModelShape, SessionPoint};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2rem auto;padding:0 1rem;color:#111;\
background:#fff}pre{font-size:11px;line-height:1.25;overflow-x:auto}svg{width:100%;margin:.7rem 0}text{font-size:11px;\
fill:#444}.title{font-size:14px;font-weight:600;fill:#111}.mid{text-anchor:middle}.end{text-anchor:end}.grid{stroke:#ddd}\
polyline{fill:none;stroke-width:1.8}";

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
        let rate = |value: fn(&SessionPoint) -> u64| line_of(points, |point| value(point) as f64 / interval);
        charts.push_str(&over_time("Requests", "per second", vec![("requests", rate(|p| p.requests))]));
        charts.push_str(&over_time(
            "Sessions",
            "",
            vec![
                ("active", line_of(points, |p| p.active_sessions as f64)),
                ("new", line_of(points, |p| p.new_sessions as f64)),
            ],
        ));
        let tokens = vec![("input", rate(|p| p.input_tokens)), ("output", rate(|p| p.output_tokens))];
        charts.push_str(&over_time("Tokens per second", "", tokens));
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
    let x = if shape.is_some() { "cache size (MiB)" } else { "cache size (blocks)" };
    let lines = vec![Line { name: "hit rate", points }];
    let title = "Prefix-cache hit rate by cache size (LRU)";
    Chart { title, x, y: "share of prompt tokens", scale: Scale::Doubling, lines }.svg()
}

fn distance_chart(cache: &CacheProfile) -> String {
    let total = cache.distances.len().max(1) as f64;
    let share = |limit: u64| cache.distances.partition_point(|d| u64::from(*d) <= limit) as f64 / total;
    let points = cache.sizes().into_iter().map(|limit| (limit as f64, share(limit))).collect();
    let lines = vec![Line { name: "reuses", points }];
    let x = "blocks used between two uses of one";
    Chart { title: "Reuse distance", x, y: "share of reuses", scale: Scale::Doubling, lines }.svg()
}

fn over_time(title: &str, y: &str, lines: Vec<(&str, Vec<(f64, f64)>)>) -> String {
    let lines = lines.into_iter().map(|(name, points)| Line { name, points }).collect();
    Chart { title, x: "time (s)", y, scale: Scale::Linear, lines }.svg()
}

fn line_of(points: &[SessionPoint], value: impl Fn(&SessionPoint) -> f64) -> Vec<(f64, f64)> {
    points.iter().map(|point| (point.start_seconds, value(point))).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
