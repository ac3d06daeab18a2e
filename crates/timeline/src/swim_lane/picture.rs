//! A picture of upright rectangles and text: all that swim lanes need.

use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Transform};
use ttf_parser::{Face, OutlineBuilder};

use crate::TimelineError;

/// Red, green and blue.
pub(super) type RgbColour = [u8; 3];

/// Where a text begins, seen from its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextAnchor {
    Start,
    Middle,
    End,
}

/// Pixels that are drawn over each other.
pub(super) struct Picture {
    pixels: Pixmap,
    font: Face<'static>,
}

impl Picture {
    /// A white picture.
    pub(super) fn new(width: u32, height: u32) -> Result<Self, TimelineError> {
        let failed = |why: String| TimelineError::Picture(why);
        let font = Face::parse(notosans::REGULAR_TTF, 0).map_err(|error| failed(error.to_string()))?;
        let mut pixels =
            Pixmap::new(width, height).ok_or_else(|| failed(format!("{width} x {height} pixels are too many")))?;
        pixels.fill(tiny_skia::Color::WHITE);
        Ok(Self { pixels, font })
    }

    /// Mixes `colour` into an upright rectangle. Edges between two pixels are blended; what is narrower than a pixel stays visible.
    pub(super) fn rectangle(&mut self, [left, top, right, bottom]: [f32; 4], colour: RgbColour, opacity: f32) {
        let (width, height) = (self.pixels.width() as usize, self.pixels.height() as usize);
        let place = |value: f32, most: usize| value.clamp(0.0, most as f32);
        let (left, right) = (place(left, width), place(right, width));
        let (top, bottom) = (place(top, height), place(bottom, height));
        let right = right.max(left + 0.6).min(width as f32);
        for row in top.round() as usize..(bottom.round() as usize).min(height) {
            for column in left.floor() as usize..(right.ceil() as usize).min(width) {
                let inside = right.min(column as f32 + 1.0) - left.max(column as f32);
                self.mix(row * width + column, colour, inside.clamp(0.0, 1.0) * opacity);
            }
        }
    }

    fn mix(&mut self, pixel: usize, colour: RgbColour, share: f32) {
        let data = &mut self.pixels.data_mut()[pixel * 4..pixel * 4 + 3];
        for (below, above) in data.iter_mut().zip(colour) {
            *below = (f32::from(*below) + (f32::from(above) - f32::from(*below)) * share).round() as u8;
        }
    }

    /// A line of text on its base line; a turn of 90 degrees to the left if it is `upright`.
    pub(super) fn text(&mut self, (x, y): (f32, f32), text: &str, size: f32, anchor: TextAnchor, upright: bool) {
        let scale = size / f32::from(self.font.units_per_em());
        let advance = |letter: char| {
            let glyph = self.font.glyph_index(letter);
            let width =
                glyph.and_then(|glyph| self.font.glyph_hor_advance(glyph)).unwrap_or(self.font.units_per_em() / 2);
            f32::from(width)
        };
        let length: f32 = text.chars().map(advance).sum();
        let back = match anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => length / 2.0,
            TextAnchor::End => length,
        };
        let turn = if upright { -90.0 } else { 0.0 };
        let place = Transform::from_translate(x, y).pre_rotate(turn).pre_scale(scale, -scale).pre_translate(-back, 0.0);
        let mut ink = Paint::default();
        ink.set_color_rgba8(20, 20, 20, 255);
        let mut at = 0.0;
        for letter in text.chars() {
            let mut outline = Outline(PathBuilder::new());
            let drawn = self.font.glyph_index(letter).and_then(|glyph| self.font.outline_glyph(glyph, &mut outline));
            if let Some(path) = drawn.and_then(|_| outline.0.finish()) {
                self.pixels.fill_path(&path, &ink, FillRule::Winding, place.pre_translate(at, 0.0), None);
            }
            at += advance(letter);
        }
    }

    pub(super) fn png(&self) -> Result<Vec<u8>, TimelineError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.pixels.width(), self.pixels.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let failed = |error: png::EncodingError| TimelineError::Picture(error.to_string());
        // Everything is opaque.
        let rgb: Vec<u8> =
            self.pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }
}

/// The outline of a letter, in the units of its font.
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
