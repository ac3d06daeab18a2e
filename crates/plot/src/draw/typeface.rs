//! The letters of pictures: Noto Sans, which is linked in, so that a picture looks the same on every machine.

use std::collections::HashMap;
use std::sync::LazyLock;

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Width of a letter that the font lacks, as a share of the size.
const MISSING_WIDTH: f32 = 0.6;

static REGULAR: LazyLock<Typeface> = LazyLock::new(|| Typeface::of(notosans::REGULAR_TTF));
static BOLD: LazyLock<Typeface> = LazyLock::new(|| Typeface::of(notosans::BOLD_TTF));

/// The font files that lengths of texts are measured with: regular and bold.
pub fn typeface_files() -> [&'static [u8]; 2] {
    [notosans::REGULAR_TTF, notosans::BOLD_TTF]
}

/// The outlines of the letters of one weight, read at their first use.
pub(super) struct Typeface {
    face: Option<Face<'static>>,
    units: f32,
}

impl Typeface {
    fn of(font: &'static [u8]) -> Self {
        let face = Face::parse(font, 0).ok();
        let units = face.as_ref().map_or(1000.0, |face| f32::from(face.units_per_em()));
        Self { face, units }
    }

    pub(super) fn get(is_bold: bool) -> &'static Self {
        if is_bold { &BOLD } else { &REGULAR }
    }

    fn glyph(&self, letter: char) -> Option<GlyphId> {
        self.face.as_ref()?.glyph_index(letter)
    }

    fn advance(&self, letter: char) -> f32 {
        let width = self.glyph(letter).and_then(|glyph| self.face.as_ref()?.glyph_hor_advance(glyph));
        width.map_or(MISSING_WIDTH, |width| f32::from(width) / self.units)
    }

    /// Length of a line of text.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|letter| self.advance(letter)).sum::<f32>() * size
    }

    /// Calls `visit` with each letter's outline, in units of the size, and where it begins.
    pub(super) fn each_outline(
        &self,
        text: &str,
        outlines: &mut HashMap<char, Option<Path>>,
        mut visit: impl FnMut(&Path, f32),
    ) {
        let mut at = 0.0;
        for letter in text.chars() {
            let outline = outlines.entry(letter).or_insert_with(|| self.outline(letter));
            if let Some(path) = outline {
                visit(path, at);
            }
            at += self.advance(letter);
        }
    }

    /// A letter that the font lacks is shown as a box.
    fn outline(&self, letter: char) -> Option<Path> {
        if letter.is_whitespace() || letter.is_control() {
            return None;
        }
        let mut builder = GlyphPath { path: PathBuilder::new(), scale: 1.0 / self.units };
        match self.glyph(letter) {
            Some(glyph) => {
                self.face.as_ref()?.outline_glyph(glyph, &mut builder)?;
            }
            None => {
                for (inset, is_outer) in [(0.06, true), (0.12, false)] {
                    let (left, right, low, high) = (inset, MISSING_WIDTH - inset, -(inset - 0.06), -0.76 + inset);
                    let corners = [(left, low), (right, low), (right, high), (left, high)];
                    let order = if is_outer { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
                    for (index, corner) in order.into_iter().map(|index| corners[index]).enumerate() {
                        match index {
                            0 => builder.path.move_to(corner.0, corner.1),
                            _ => builder.path.line_to(corner.0, corner.1),
                        }
                    }
                    builder.path.close();
                }
            }
        }
        builder.path.finish()
    }
}

/// Takes an outline of a font, whose y points up.
struct GlyphPath {
    path: PathBuilder,
    scale: f32,
}

impl OutlineBuilder for GlyphPath {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(x * self.scale, -y * self.scale);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(x * self.scale, -y * self.scale);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let scale = self.scale;
        self.path.quad_to(x1 * scale, -y1 * scale, x * scale, -y * scale);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let scale = self.scale;
        self.path.cubic_to(x1 * scale, -y1 * scale, x2 * scale, -y2 * scale, x * scale, -y * scale);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_charts() {
        for face in [Typeface::get(false), Typeface::get(true)] {
            for letter in "aZ09%µ±−–·/()éüßΩЖ…".chars() {
                assert!(face.glyph(letter).is_some(), "{letter}");
            }
        }
    }

    #[test]
    fn digits_are_equally_wide_and_bold_is_wider() {
        let face = Typeface::get(false);
        assert_eq!(face.width("1111", 10.0), face.width("8888", 10.0));
        assert!(Typeface::get(true).width("latency", 10.0) > face.width("latency", 10.0));
    }

    #[test]
    fn a_letter_that_the_font_lacks_becomes_a_box() {
        let face = Typeface::get(false);
        assert!(face.outline('漢').is_some());
        assert!(face.outline(' ').is_none());
    }
}
