//! A line chart as SVG. It contains its style, so that it can be copied out of the page.

use std::fmt::Write;

use super::axis::{self, AxisScale, AxisUnit};

/// One line of a chart.
#[derive(Debug)]
pub(super) struct ChartLine<'a> {
    pub(super) name: &'a str,
    pub(super) points: Vec<(f64, f64)>,
}

#[derive(Debug)]
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) x_unit: AxisUnit,
    /// The unit of the values, after the title.
    pub(super) y: &'a str,
    pub(super) y_unit: AxisUnit,
    pub(super) scale: AxisScale,
    pub(super) lines: Vec<ChartLine<'a>>,
    /// A horizontal line at a value, with its label.
    pub(super) level: Option<(f64, String)>,
    /// A vertical line at a value, with its label.
    pub(super) mark: Option<(f64, String)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
const COLOURS: [&str; 3] = ["#2563eb", "#d97706", "#059669"];
/// The approximate width of a letter in the legend.
const LETTER: f64 = 6.2;

impl Chart<'_> {
    pub(super) fn svg(&self) -> String {
        let all = || self.lines.iter().flat_map(|line| line.points.iter().filter(|point| self.scale.shows(point.0)));
        let low = all().map(|point| self.scale.place(point.0)).fold(f64::INFINITY, f64::min);
        let high = all().map(|point| self.scale.place(point.0)).fold(f64::NEG_INFINITY, f64::max);
        if !low.is_finite() {
            return String::new();
        }
        let span = if high > low { high - low } else { 1.0 };
        let most = all().map(|point| point.1).fold(0.0, f64::max);
        let step = axis::step(most);
        let top = (most / step).ceil().max(1.0) * step;
        let at_x = |x: f64| LEFT + (self.scale.place(x) - low) / span * (WIDTH - LEFT - RIGHT);
        let at_y = |y: f64| HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" \
             xmlns=\"http://www.w3.org/2000/svg\" font-family=\"system-ui,sans-serif\" font-size=\"11\" fill=\"#444\">\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\" font-weight=\"600\" fill=\"#111\">{}</text>",
            self.title
        );
        for tick in 0..=(top / step).round() as usize {
            let value = tick as f64 * step;
            let y = at_y(value);
            let colour = if tick == 0 { "#888" } else { "#ddd" };
            let _ = write!(
                svg,
                "<path stroke=\"{colour}\" d=\"M{LEFT} {y:.1}H{}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                self.y_unit.show(value)
            );
        }
        for x in self.scale.ticks(low, high) {
            let (x, y) = (at_x(x), HEIGHT - BOTTOM);
            let label = self.x_unit.show(self.scale.value(low + (x - LEFT) / (WIDTH - LEFT - RIGHT) * span));
            let _ = write!(
                svg,
                "<path stroke=\"#888\" d=\"M{x:.1} {y}v4\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                y + 17.0
            );
        }
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        let _ = write!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", HEIGHT - 10.0, self.x);
        self.legend(&mut svg);
        self.marks(&mut svg, &at_x, &at_y);
        for (line, colour) in self.lines.iter().zip(COLOURS) {
            let points = line.points.iter().filter(|point| self.scale.shows(point.0));
            let path: Vec<String> = points.map(|(x, y)| format!("{:.1} {:.1}", at_x(*x), at_y(*y))).collect();
            let path = path.join("L");
            let _ = write!(svg, "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" d=\"M{path}\"/>");
        }
        svg.push_str("</svg>");
        svg
    }

    fn marks(&self, svg: &mut String, at_x: &dyn Fn(f64) -> f64, at_y: &dyn Fn(f64) -> f64) {
        let dashes = "stroke=\"#888\" stroke-dasharray=\"4 3\"";
        if let Some((value, name)) = &self.level {
            let y = at_y(*value);
            let _ = write!(
                svg,
                "<path {dashes} d=\"M{LEFT} {y:.1}H{}\"/><text x=\"{}\" y=\"{:.1}\">{name}</text>",
                WIDTH - RIGHT,
                LEFT + 6.0,
                y - 5.0
            );
        }
        if let Some((value, name)) = self.mark.as_ref().filter(|(value, _)| self.scale.shows(*value)) {
            let x = at_x(*value);
            let _ = write!(
                svg,
                "<path {dashes} d=\"M{x:.1} {TOP}V{}\"/><text x=\"{:.1}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
                HEIGHT - BOTTOM,
                x - 5.0,
                HEIGHT - BOTTOM - 8.0
            );
        }
    }

    /// The legend of several lines, or the unit of a single one.
    fn legend(&self, svg: &mut String) {
        let mut right = WIDTH - RIGHT;
        if self.lines.len() < 2 {
            let _ = write!(svg, "<text x=\"{right}\" y=\"20\" text-anchor=\"end\">{}</text>", self.y);
            return;
        }
        for (line, colour) in self.lines.iter().zip(COLOURS).rev() {
            let left = right - line.name.len() as f64 * LETTER;
            let _ = write!(
                svg,
                "<text x=\"{left:.1}\" y=\"20\">{}</text><path stroke=\"{colour}\" stroke-width=\"2.5\" d=\"M{:.1} 16h14\"/>",
                line.name,
                left - 19.0
            );
            right = left - 33.0;
        }
    }
}
