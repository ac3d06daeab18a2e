//! A line chart as SVG, small enough to need no library.

use std::fmt::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    /// Powers of two; values below one are left out.
    Doubling,
}

/// One line of a chart.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) points: Vec<(f64, f64)>,
}

#[derive(Debug)]
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    pub(super) scale: Scale,
    pub(super) lines: Vec<Line<'a>>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const COLOURS: [&str; 3] = ["#2563eb", "#d97706", "#059669"];

impl Chart<'_> {
    pub(super) fn svg(&self) -> String {
        let shown = |point: &&(f64, f64)| self.scale == Scale::Linear || point.0 >= 1.0;
        let all = || self.lines.iter().flat_map(|line| line.points.iter().filter(shown));
        let place = |x: f64| if self.scale == Scale::Doubling { x.log2() } else { x };
        let low = all().map(|point| place(point.0)).fold(f64::INFINITY, f64::min);
        let high = all().map(|point| place(point.0)).fold(f64::NEG_INFINITY, f64::max);
        if !low.is_finite() {
            return String::new();
        }
        let span = if high > low { high - low } else { 1.0 };
        let step = tick_step(all().map(|point| point.1).fold(0.0, f64::max));
        let top = (all().map(|point| point.1).fold(0.0, f64::max) / step).ceil().max(1.0) * step;
        let at_x = |x: f64| LEFT + (place(x) - low) / span * (WIDTH - LEFT - RIGHT);
        let at_y = |y: f64| HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\
             <text x=\"{LEFT}\" y=\"20\" class=\"title\">{}</text>",
            self.title
        );
        let mut value = 0.0;
        while value <= top * 1.000_001 {
            let y = at_y(value);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{}\"/><text x=\"{}\" y=\"{:.1}\" class=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                short(value)
            );
            value += step;
        }
        for x in self.x_ticks(low, high) {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" class=\"mid\">{}</text>",
                at_x(x),
                HEIGHT - BOTTOM + 16.0,
                short(x)
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" class=\"mid\">{}</text><text x=\"{}\" y=\"20\" class=\"end\">{}</text>",
            f64::midpoint(LEFT, WIDTH),
            HEIGHT - 8.0,
            self.x,
            WIDTH - RIGHT,
            self.legend()
        );
        for (line, colour) in self.lines.iter().zip(COLOURS) {
            let points: Vec<String> =
                line.points.iter().filter(shown).map(|(x, y)| format!("{:.1} {:.1}", at_x(*x), at_y(*y))).collect();
            let _ = write!(svg, "<polyline stroke=\"{colour}\" points=\"{}\"/>", points.join(" "));
        }
        svg.push_str("</svg>");
        svg
    }

    fn legend(&self) -> String {
        if self.lines.len() < 2 {
            return self.y.to_owned();
        }
        let names = self.lines.iter().zip(COLOURS);
        names.fold(String::new(), |legend, (line, colour)| {
            format!("{legend}<tspan fill=\"{colour}\"> {}</tspan>", line.name)
        })
    }

    fn x_ticks(&self, low: f64, high: f64) -> Vec<f64> {
        match self.scale {
            Scale::Doubling => {
                let every = ((high - low) / 8.0).ceil().max(1.0) as usize;
                (low.ceil() as i32..=high.floor() as i32).step_by(every).map(|power| 2_f64.powi(power)).collect()
            }
            Scale::Linear => {
                let step = tick_step(high - low);
                let first = (low / step).ceil() as i64;
                (first..).map(|tick| tick as f64 * step).take_while(|x| *x <= high * 1.000_001).take(20).collect()
            }
        }
    }
}

/// One, two or five of a power of ten, for about five ticks.
fn tick_step(range: f64) -> f64 {
    let rough = (range / 5.0).max(1e-9);
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough).unwrap_or(power)
}

fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, "G"),
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}
