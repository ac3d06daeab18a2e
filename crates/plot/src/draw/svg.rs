//! Writes a chart as SVG: text stays text, each layer is a group that says what it shows.

use std::fmt::Write as _;

use super::canvas::{Canvas, DASH, Paint, Pen, Shape, Step, TextAlign, TextStyle, outline};
use super::size::PictureSize;
use crate::Figure;

/// Fonts of a reader's machine that are near the one that lengths are measured with.
const FONTS: &str = "'Noto Sans', 'Open Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

pub(super) struct SvgCanvas {
    text: String,
}

impl SvgCanvas {
    pub(super) fn new(size: PictureSize, figure: &Figure) -> Self {
        let (width, height) = (size.width(), size.height());
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"{FONTS}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n",
            escaped(&figure.title),
            escaped(&figure.subtitle),
        );
        Self { text }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn path(&mut self, path: &[Step]) {
        self.text.push_str("<path d=\"");
        for step in path {
            match step {
                Step::Move(x, y) => self.place('M', &[*x, *y]),
                Step::Line(x, y) => self.place('L', &[*x, *y]),
                Step::Curve([(x1, y1), (x2, y2), (x, y)]) => self.place('C', &[*x1, *y1, *x2, *y2, *x, *y]),
                Step::Close => self.text.push('Z'),
            }
        }
        self.text.push('"');
    }

    fn place(&mut self, letter: char, values: &[f32]) {
        self.text.push(letter);
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.text.push(' ');
            }
            self.text.push_str(&short(*value));
        }
    }

    fn opacity(&mut self, name: &str, paint: Paint) {
        if paint.opacity < 1.0 {
            let _ = write!(self.text, " {name}=\"{}\"", short(paint.opacity));
        }
    }
}

impl Canvas for SvgCanvas {
    fn begin_group(&mut self, class: &str, name: &str, series: &str) {
        let _ = write!(self.text, "<g class=\"{class}\" data-name=\"{}\"", escaped(name));
        if !series.is_empty() {
            let _ = write!(self.text, " data-series=\"{series}\"");
        }
        self.text.push_str(">\n");
    }

    fn end_group(&mut self) {
        self.text.push_str("</g>\n");
    }

    /// A picture within the picture hides what is outside of it, and needs no name that could occur twice in a page.
    fn begin_clip(&mut self, [left, top, right, bottom]: [f32; 4]) {
        let (x, y, wide, high) = (short(left), short(top), short(right - left), short(bottom - top));
        let _ = writeln!(
            self.text,
            "<svg x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" viewBox=\"{x} {y} {wide} {high}\">"
        );
    }

    fn end_clip(&mut self) {
        self.text.push_str("</svg>\n");
    }

    fn fill(&mut self, path: &[Step], paint: Paint) {
        self.path(path);
        let _ = write!(self.text, " fill=\"{}\"", paint.hex());
        self.opacity("fill-opacity", paint);
        self.text.push_str("/>\n");
    }

    fn stroke(&mut self, path: &[Step], pen: Pen) {
        self.path(path);
        let _ =
            write!(self.text, " fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", pen.paint.hex(), short(pen.width));
        self.opacity("stroke-opacity", pen.paint);
        if pen.is_dashed {
            let _ = write!(self.text, " stroke-dasharray=\"{} {}\"", DASH[0], DASH[1]);
        }
        self.text.push_str(" stroke-linejoin=\"round\"/>\n");
    }

    /// Circles are the round ends of lines without length: one short command for each dot.
    fn dots(&mut self, centres: &[(f32, f32)], radius: f32, shape: Shape, paint: Paint) {
        if shape == Shape::Circle {
            self.text.push_str("<path d=\"");
            for (x, y) in centres {
                let _ = write!(self.text, "M{} {}h0", short(*x), short(*y));
            }
            let _ = write!(
                self.text,
                "\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"",
                paint.hex(),
                short(radius * 2.0)
            );
            self.opacity("stroke-opacity", paint);
            self.text.push_str("/>\n");
        } else {
            let path: Vec<Step> = centres.iter().flat_map(|centre| outline(shape, *centre, radius)).collect();
            self.fill(&path, paint);
        }
    }

    fn text(&mut self, (x, y): (f32, f32), text: &str, style: TextStyle) {
        let (x, y) = (short(x), short(y));
        let _ =
            write!(self.text, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"", style.size, style.paint.hex());
        match style.align {
            TextAlign::Start => {}
            TextAlign::Middle => self.text.push_str(" text-anchor=\"middle\""),
            TextAlign::End => self.text.push_str(" text-anchor=\"end\""),
        }
        if style.is_bold {
            self.text.push_str(" font-weight=\"bold\"");
        }
        if style.turn != 0.0 {
            let _ = write!(self.text, " transform=\"rotate({} {x} {y})\"", style.turn);
        }
        let _ = writeln!(self.text, ">{}</text>", escaped(text));
    }
}

/// With at most two digits after the point.
fn short(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML has it. Control characters, which XML forbids, become spaces.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_text_is_safe() {
        assert_eq!(short(12.0), "12");
        assert_eq!(short(-0.001), "0");
        assert_eq!(short(3.456), "3.46");
        assert_eq!(escaped("<script>\"&\u{7}"), "&lt;script&gt;&quot;&amp; ");
    }
}
