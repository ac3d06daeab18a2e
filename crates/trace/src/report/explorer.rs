//! A page that shows which parts of each prompt a cache would already contain, with one bar per turn.

use std::fmt::Write;

use super::page::{STYLE, escaped};
use crate::agentic::{CacheLayer, CacheStatus, CacheStructure, TurnStructure};

/// The most sessions on a page.
const MOST_SESSIONS: usize = 50;
const WIDTH: f64 = 700.0;
const BAR: f64 = 9.0;

/// A page about the sessions of this name.
pub fn cache_explorer(name: &str, structure: &CacheStructure) -> String {
    let sessions = &structure.sessions;
    let longest = sessions.iter().flat_map(|session| &session.turns).map(|turn| turn.num_blocks).max().unwrap_or(1);
    let mut body = format!(
        "<p>Blocks of {} tokens. {} sessions{}; each bar is the prompt of a turn, the longest has {longest} blocks.</p><p>",
        structure.block_size,
        sessions.len(),
        if sessions.len() > MOST_SESSIONS { format!(", of which the first {MOST_SESSIONS}") } else { String::new() }
    );
    for (layer, status, name) in [
        (CacheLayer::Everyone, CacheStatus::Cached, "shared by all sessions"),
        (CacheLayer::Group, CacheStatus::Cached, "shared by the group"),
        (CacheLayer::Session, CacheStatus::Cached, "already in the session"),
        (CacheLayer::Turn, CacheStatus::New, "new"),
    ] {
        let _ = write!(
            body,
            "<svg style=\"width:14px;height:12px;margin:0\"><rect width=\"12\" height=\"12\" fill=\"{}\"/></svg> {name} &nbsp; ",
            colour(layer, status)
        );
    }
    body.push_str("</p>");
    for session in sessions.iter().take(MOST_SESSIONS) {
        let height = session.turns.len() as f64 * (BAR + 2.0);
        let _ = write!(
            body,
            "<h3>{} <small>{} turns</small></h3><svg viewBox=\"0 0 {WIDTH} {height}\" xmlns=\"http://www.w3.org/2000/svg\">",
            escaped(&session.session_id),
            session.turns.len()
        );
        for turn in &session.turns {
            bar(&mut body, turn, WIDTH / longest as f64);
        }
        body.push_str("</svg>");
    }
    let name = escaped(name);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}: cache explorer</title>\
         <style>{STYLE}</style></head><body><h1>{name}: cache explorer</h1>{body}</body></html>\n"
    )
}

fn bar(svg: &mut String, turn: &TurnStructure, scale: f64) {
    let y = turn.turn_index as f64 * (BAR + 2.0);
    for segment in &turn.segments {
        let (x, width) = (segment.start as f64 * scale, segment.count as f64 * scale);
        let _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{BAR}\" fill=\"{}\"><title>turn {}: {} blocks</title></rect>",
            colour(segment.layer, segment.status),
            turn.turn_index,
            segment.count
        );
    }
}

const fn colour(layer: CacheLayer, status: CacheStatus) -> &'static str {
    match (status, layer) {
        (CacheStatus::New, _) => "#d97706",
        (CacheStatus::Cached, CacheLayer::Everyone) => "#1e40af",
        (CacheStatus::Cached, CacheLayer::Group) => "#3b82f6",
        (CacheStatus::Cached, CacheLayer::Session | CacheLayer::Turn) => "#93c5fd",
    }
}
