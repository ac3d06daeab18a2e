//! A search for a capacity: the loads that were tried on one axis with the interval, and the last of them in numbers.

use aiperf_live::{CapacityProgress, TriedLoad};

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{clock, number, percent, whole};

/// Columns around the axis for its two ends.
const ENDS: usize = 20;

pub(crate) fn capacity(frame: &mut Frame, area: Rect, scene: &Scene<'_>, search: &CapacityProgress) {
    let left = match (search.requests_left, search.seconds_left) {
        (Some(requests), Some(seconds)) => format!(", about {} requests and {} left", whole(requests), clock(seconds)),
        _ => String::new(),
    };
    let inner = framed(frame, area, &format!("Search, step {}{left}", search.step), scene.theme);
    let width = usize::from(inner.width);
    let mut text = vec![Line::from(vec![Span::styled(
        format!(" {}", fitting(&known(search), width.saturating_sub(1))),
        scene.theme.accent(),
    )])];
    if let Some(axis) = axis(search, width.saturating_sub(ENDS + 4)) {
        text.push(Line::from(scene.value(format!(" {axis}"))));
    }
    text.push(Line::from(scene.quiet(fitting(&format!(" Now {}: {}", search.load, search.reason), width))));
    let room = usize::from(inner.height).saturating_sub(text.len());
    for tried in search.tried.iter().rev().take(room) {
        text.push(row(scene, tried, search.unit));
    }
    lines(frame, inner, text);
}

fn known(search: &CapacityProgress) -> String {
    match (search.estimate, search.low, search.high) {
        (Some(estimate), Some(low), Some(high)) => {
            let half = (high - low) / 2.0 / estimate;
            let unit = search.unit;
            format!("Capacity {} {unit}, {} to {} (±{})", number(estimate), number(low), number(high), percent(half))
        }
        _ => "The load has not come near the capacity yet".to_owned(),
    }
}

/// `38.5 --x---x==O==o---o 242`: `x` kept the objectives, `o` violated them, `=` is the interval and `O` the estimate.
fn axis(search: &CapacityProgress, width: usize) -> Option<String> {
    let ends = search.tried.iter().map(|tried| tried.load).chain(search.low).chain(search.high);
    let (low, high) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), load| (low.min(load), high.max(load)));
    if width < 10 || low <= 0.0 || high <= low {
        return None;
    }
    let at = |load: f64| ((load / low).ln() / (high / low).ln() * (width - 1) as f64).round() as usize;
    let mut cells = vec!['-'; width];
    if let (Some(from), Some(to)) = (search.low, search.high) {
        cells[at(from)..=at(to)].fill('=');
    }
    for tried in &search.tried {
        cells[at(tried.load)] = if tried.violations > tried.allowed { 'o' } else { 'x' };
    }
    if let Some(estimate) = search.estimate.filter(|estimate| (low..=high).contains(estimate)) {
        cells[at(estimate)] = 'O';
    }
    Some(format!("{} {} {}", number(low), cells.into_iter().collect::<String>(), number(high)))
}

fn row(scene: &Scene<'_>, tried: &TriedLoad, unit: &str) -> Line {
    let style = if tried.violations > tried.allowed { scene.theme.bad() } else { scene.theme.good() };
    Line::from(vec![
        Span::raw(format!(" {:>9} {unit}  {:>9} requests  ", number(tried.load), whole(tried.requests))),
        Span::styled(format!("{:>7} violations", percent(tried.violations)), style),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_the_interval_lie_on_one_axis() {
        let tried = |load: f64, violations: f64| TriedLoad { load, requests: 300, violations, allowed: 0.01 };
        let search = CapacityProgress {
            unit: "requests/s",
            estimate: Some(20.0),
            low: Some(15.0),
            high: Some(25.0),
            tried: vec![tried(10.0, 0.0), tried(40.0, 0.8)],
            ..CapacityProgress::default()
        };
        assert_eq!(axis(&search, 21).unwrap(), "10.0 x-----====O===------o 40.0");
        assert_eq!(known(&search), "Capacity 20.0 requests/s, 15.0 to 25.0 (±25 %)");
        assert_eq!(axis(&CapacityProgress::default(), 21), None);
    }
}
