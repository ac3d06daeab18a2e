//! A chart as text: Unicode braille characters, each of which has two by four dots.

use super::scale::AxisMap;
use super::theme::Theme;
use crate::figure::{AxisSide, ErrorBar, Figure, HeatCell, Ink, Layer, LineShape, Marks, Oval};

/// How many characters there are, and whether they may be coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    pub columns: usize,
    pub rows: usize,
    pub has_colour: bool,
}

const DOTS_ACROSS: usize = 2;
const DOTS_DOWN: usize = 4;
/// First of the 256 braille characters: the one without dots.
const BLANK: u32 = 0x2800;
/// The bit of each dot of a character, by column and row.
const BITS: [[u8; DOTS_DOWN]; DOTS_ACROSS] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Lines that are not part of the plot area: title, subtitle, legend, axis line, numbers, label.
const LINES_AROUND: usize = 6;

/// The figure as lines of text.
pub fn terminal_text(figure: &Figure, theme: Theme, size: TerminalSize) -> String {
    let columns = size.columns.clamp(40, 160);
    let rows = size.rows.saturating_sub(LINES_AROUND).clamp(8, 28);
    let (x_extent, left_extent) = figure.extents(AxisSide::Left);
    let (_, right_extent) = figure.extents(AxisSide::Right);
    let (x_limits, y_limits) = (figure.x.limits(x_extent), figure.y.limits(left_extent));
    let ticks = figure.y.tick_marks(y_limits.0, y_limits.1, rows / 4);
    let margin = ticks.iter().map(|tick| tick.text.chars().count()).max().unwrap_or(0) + 1;
    let wide = columns.saturating_sub(margin + 1).max(20);
    let (across, down) = ((wide * DOTS_ACROSS - 1) as f32, (rows * DOTS_DOWN - 1) as f32);
    let left_y = AxisMap::new(figure.y.scale, y_limits, down, 0.0);
    let right_y = figure.y2.as_ref().map(|axis| AxisMap::new(axis.scale, axis.limits(right_extent), down, 0.0));
    let x = AxisMap::new(figure.x.scale, x_limits, 0.0, across);
    let mut grid = DotGrid { wide, rows, cells: vec![(0, None, None); wide * rows] };
    for layer in &figure.layers {
        let y = if layer.side == AxisSide::Right { right_y.unwrap_or(left_y) } else { left_y };
        grid.draw(layer, &x, &y);
    }

    let colour = |ink: Ink, text: &str| coloured(theme, ink, text, size.has_colour);
    let mut lines = vec![bold(&figure.title, size.has_colour), figure.subtitle.clone()];
    let entries = figure.layers.iter().filter_map(|layer| Some((layer.ink, layer.legend.as_ref()?)));
    let legend: Vec<String> = entries.map(|(ink, text)| format!("{} {text}", colour(ink, "●"))).collect();
    lines.push(legend.join("  "));
    for row in 0..rows {
        let here = ticks.iter().find(|tick| (left_y.place(tick.value) / DOTS_DOWN as f32) as usize == row);
        let number = here.map_or("", |tick| tick.text.as_str());
        let edge = if here.is_some() { '┤' } else { '│' };
        lines.push(format!("{number:>width$}{edge}{}", grid.line(row, theme, size.has_colour), width = margin));
    }
    lines.push(format!("{:margin$}└{}", "", "─".repeat(wide)));
    let across_ticks = figure.x.tick_marks(x_limits.0, x_limits.1, wide / 12);
    lines.push(numbers(&across_ticks, &x, margin + 1, wide));
    let axes = match &figure.y2 {
        Some(right) => format!("x: {}   y: {}   y right: {}", figure.x.label, figure.y.label, right.label),
        None => format!("x: {}   y: {}", figure.x.label, figure.y.label),
    };
    lines.push(axes);
    lines.extend(figure.notes.iter().cloned());
    lines.retain(|line| !line.is_empty());
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The numbers under the plot area, as many as fit.
fn numbers(ticks: &[crate::figure::Tick], x: &AxisMap, margin: usize, wide: usize) -> String {
    let mut line = " ".repeat(margin);
    for tick in ticks {
        let length = tick.text.chars().count();
        let middle = margin + (x.place(tick.value) / DOTS_ACROSS as f32) as usize;
        let start = middle.saturating_sub(length / 2);
        let used = line.chars().count();
        if (start > used || used == margin)
            && start >= used.saturating_sub(margin)
            && start + length <= margin + wide + 2
        {
            line.push_str(&" ".repeat(start.saturating_sub(used)));
            line.push_str(&tick.text);
        }
    }
    line
}

fn bold(text: &str, has_colour: bool) -> String {
    if has_colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn coloured(theme: Theme, ink: Ink, text: &str, has_colour: bool) -> String {
    let [red, green, blue] = theme.ink(ink).rgb;
    if has_colour { format!("\u{1b}[38;2;{red};{green};{blue}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Dots and colours of the plot area: the dots of a character, its colour, and the share of a cell of a heat map.
struct DotGrid {
    wide: usize,
    rows: usize,
    cells: Vec<(u8, Option<Ink>, Option<f64>)>,
}

impl DotGrid {
    fn set(&mut self, x: f32, y: f32, ink: Ink) {
        if x < 0.0 || y < 0.0 || !x.is_finite() || !y.is_finite() {
            return;
        }
        let (x, y) = (x.round() as usize, y.round() as usize);
        let (column, row) = (x / DOTS_ACROSS, y / DOTS_DOWN);
        if column < self.wide && row < self.rows {
            let cell = &mut self.cells[row * self.wide + column];
            cell.0 |= BITS[x % DOTS_ACROSS][y % DOTS_DOWN];
            cell.1 = Some(ink);
        }
    }

    fn line_between(&mut self, from: (f32, f32), to: (f32, f32), ink: Ink) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().clamp(1.0, 4096.0) as usize;
        for step in 0..=steps {
            let share = step as f32 / steps as f32;
            self.set(from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share, ink);
        }
    }

    fn draw(&mut self, layer: &Layer, x: &AxisMap, y: &AxisMap) {
        let ink = layer.ink;
        let (left, right) = x.ends();
        let place = |(at, high): &(f64, f64)| (x.place(*at), y.place(*high));
        match &layer.marks {
            Marks::Line { points, shape, .. } | Marks::Area { points, shape, .. } => {
                let points: Vec<(f32, f32)> = points.iter().map(place).collect();
                for pair in points.windows(2) {
                    let corner = match shape {
                        LineShape::Step => (pair[1].0, pair[0].1),
                        LineShape::StepBefore => (pair[0].0, pair[1].1),
                        LineShape::Straight | LineShape::Smooth => pair[0],
                    };
                    self.line_between(pair[0], corner, ink);
                    self.line_between(corner, pair[1], ink);
                }
            }
            Marks::Dots { points, .. } => {
                for (across, up) in points.iter().map(place) {
                    self.set(across, up, ink);
                }
            }
            Marks::Band { points, .. } => {
                for (at, low, high) in points {
                    for end in [low, high] {
                        self.set(x.place(*at), y.place(*end), ink);
                    }
                }
            }
            Marks::Bars { bars, .. } => {
                for (from, to, high) in bars {
                    let (mut at, end) = (x.place(*from).ceil(), x.place(*to));
                    while at < end {
                        self.line_between((at, y.zero()), (at, y.place(*high)), ink);
                        at += 1.0;
                    }
                }
            }
            Marks::Errors { bars } => {
                for ErrorBar { x: at, y: up, x_range, y_range } in bars {
                    if let Some((low, high)) = y_range {
                        self.line_between(place(&(*at, *low)), place(&(*at, *high)), ink);
                    }
                    if let Some((low, high)) = x_range {
                        self.line_between(place(&(*low, *up)), place(&(*high, *up)), ink);
                    }
                }
            }
            Marks::Ovals { ovals, .. } => {
                for Oval { centre, radii } in ovals {
                    for step in 0..64 {
                        let angle = f64::from(step) * std::f64::consts::TAU / 64.0;
                        let at = (centre.0 + radii.0 * angle.cos(), centre.1 + radii.1 * angle.sin());
                        let (across, up) = place(&at);
                        self.set(across, up, ink);
                    }
                }
            }
            Marks::Strokes { strokes, .. } => {
                for (from, to, high) in strokes {
                    self.line_between(place(&(*from, *high)), place(&(*to, *high)), ink);
                }
            }
            Marks::Level { y: level, .. } => self.line_between((left, y.place(*level)), (right, y.place(*level)), ink),
            Marks::Range { low, high } => {
                for end in [low, high] {
                    let mut at = left;
                    while at <= right {
                        self.set(at, y.place(*end), ink);
                        at += 3.0;
                    }
                }
            }
            Marks::Heat { cells } => self.heat(cells, x, y),
            Marks::Texts { .. } => {}
        }
    }

    fn heat(&mut self, cells: &[HeatCell], x: &AxisMap, y: &AxisMap) {
        for (index, cell) in self.cells.iter_mut().enumerate() {
            let (column, row) = (index % self.wide, index / self.wide);
            let middle = ((column * DOTS_ACROSS) as f32 + 0.5, (row * DOTS_DOWN) as f32 + 1.5);
            let is_here = |heat: &&HeatCell| {
                let (left, right) = (x.place(heat.x.0), x.place(heat.x.1));
                let (bottom, top) = (y.place(heat.y.0), y.place(heat.y.1));
                (left..right).contains(&middle.0) && (top..bottom).contains(&middle.1)
            };
            cell.2 = cells.iter().find(is_here).map(|heat| heat.share);
        }
    }

    fn line(&self, row: usize, theme: Theme, has_colour: bool) -> String {
        let mut text = String::new();
        for (dots, ink, share) in &self.cells[row * self.wide..(row + 1) * self.wide] {
            let letter = char::from_u32(BLANK + u32::from(*dots)).filter(|_| *dots > 0).unwrap_or(' ').to_string();
            match (share, ink) {
                (Some(share), _) if has_colour => {
                    let [red, green, blue] = theme.heat(*share).rgb;
                    text.push_str(&format!("\u{1b}[48;2;{red};{green};{blue}m \u{1b}[0m"));
                }
                (Some(share), _) => text.push([' ', '░', '▒', '▓', '█'][(share * 4.0).round() as usize % 5]),
                (None, Some(ink)) => text.push_str(&coloured(theme, *ink, &letter, has_colour)),
                (None, None) => text.push_str(&letter),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Bounds};

    #[test]
    fn a_rising_line_goes_from_the_lower_left_to_the_upper_right() {
        let axis = |name| Axis::new(name, Bounds::FromZero);
        let mut figure = Figure::new("Title", axis("time (s)"), axis("TTFT (ms)"));
        let points = vec![(0.0, 0.0), (10.0, 100.0)];
        let marks = Marks::Line { points, shape: LineShape::Straight, width: 2.0, is_dashed: false };
        figure.layers.push(Layer::new(Ink::Group(0), marks).legend("all"));
        let text = terminal_text(&figure, Theme::Light, TerminalSize { columns: 60, rows: 20, has_colour: false });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Title");
        assert_eq!(lines[1], "● all");
        let dots = |line: &str| line.chars().position(|letter| ('\u{2801}'..='\u{28ff}').contains(&letter));
        assert!(dots(lines[2]) > dots(lines[14]), "{text}");
        assert!(text.contains("x: time (s)   y: TTFT (ms)"));
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    }
}
