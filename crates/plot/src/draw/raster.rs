//! Paints a chart into pixels.

use std::collections::HashMap;

use tiny_skia::{FillRule, LineCap, LineJoin, Mask, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

use super::canvas::{Canvas, DASH, Paint, Pen, Shape, Step, TextAlign, TextStyle, outline, rectangle};
use super::size::PictureSize;
use super::typeface::Typeface;

/// Bytes of a pixel: red, green, blue and opacity.
const PIXEL_BYTES: usize = 4;

pub(super) struct RasterCanvas {
    pixels: Pixmap,
    scale: f32,
    /// Only what lies within is painted.
    clip: Option<ClipArea>,
    /// Outlines of letters that were drawn before: regular and bold.
    outlines: [HashMap<char, Option<Path>>; 2],
}

/// The part of the picture that is painted.
struct ClipArea {
    mask: Mask,
    /// Left, top, right and bottom in pixels.
    frame: [f32; 4],
}

impl RasterCanvas {
    #[expect(clippy::expect_used, reason = "a picture has a least size, which is above zero")]
    pub(super) fn new(size: PictureSize, scale: f32) -> Self {
        let pixels = |length: f32| (length * scale).round().max(1.0) as u32;
        let pixels = Pixmap::new(pixels(size.width()), pixels(size.height())).expect("a picture has a size");
        Self { pixels, scale, clip: None, outlines: Default::default() }
    }

    pub(super) fn width(&self) -> usize {
        self.pixels.width() as usize
    }

    pub(super) fn height(&self) -> usize {
        self.pixels.height() as usize
    }

    /// Three bytes for each pixel: the paper is opaque, so that nothing is lost with the opacity.
    pub(super) fn rgb(&self) -> Vec<u8> {
        self.pixels.data().chunks_exact(PIXEL_BYTES).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    pub(super) fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.pixels.width(), self.pixels.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        // Writing into memory does not fail.
        if let Ok(mut writer) = encoder.write_header() {
            let _ = writer.write_image_data(&self.rgb());
        }
        bytes
    }

    fn path(path: &[Step]) -> Option<Path> {
        let mut builder = PathBuilder::new();
        for step in path {
            match step {
                Step::Move(x, y) => builder.move_to(*x, *y),
                Step::Line(x, y) => builder.line_to(*x, *y),
                Step::Curve([(x1, y1), (x2, y2), (x, y)]) => builder.cubic_to(*x1, *y1, *x2, *y2, *x, *y),
                Step::Close => builder.close(),
            }
        }
        builder.finish()
    }

    fn scaled(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }

    /// A circle, blended by hand: charts have many of them.
    fn circle(&mut self, (x, y): (f32, f32), radius: f32, paint: Paint) {
        let (width, height) = (self.width(), self.height());
        let (x, y, radius) = (x * self.scale, y * self.scale, radius * self.scale);
        let reach = radius + 1.0;
        let from = |centre: f32| (centre - reach).floor().max(0.0) as usize;
        let to = |centre: f32, most: usize| ((centre + reach).ceil().max(0.0) as usize).min(most);
        let [left, top, right, bottom] =
            self.clip.as_ref().map_or([0.0, 0.0, width as f32, height as f32], |clip| clip.frame);
        let data = self.pixels.data_mut();
        for row in from(y).max(top as usize)..to(y, height).min(bottom as usize) {
            for column in from(x).max(left as usize)..to(x, width).min(right as usize) {
                let (right, down) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let cover = (radius + 0.5 - right.hypot(down)).clamp(0.0, 1.0) * paint.opacity;
                if cover > 0.0 {
                    let at = (row * width + column) * PIXEL_BYTES;
                    for (channel, colour) in paint.rgb.into_iter().enumerate() {
                        let below = f32::from(data[at + channel]);
                        data[at + channel] = (below + (f32::from(colour) - below) * cover).round() as u8;
                    }
                }
            }
        }
    }
}

fn brush(paint: Paint) -> tiny_skia::Paint<'static> {
    let mut brush = tiny_skia::Paint::default();
    let [red, green, blue] = paint.rgb;
    brush.set_color_rgba8(red, green, blue, (paint.opacity * 255.0).round() as u8);
    brush.anti_alias = true;
    brush
}

impl Canvas for RasterCanvas {
    fn begin_group(&mut self, _class: &str, _name: &str, _series: &str) {}

    fn end_group(&mut self) {}

    fn begin_clip(&mut self, frame: [f32; 4]) {
        let [left, top, right, bottom] = frame;
        let mask = Mask::new(self.pixels.width(), self.pixels.height());
        let path = Self::path(&rectangle(left, top, right, bottom));
        if let (Some(mut mask), Some(path)) = (mask, path) {
            mask.fill_path(&path, FillRule::Winding, true, self.scaled());
            self.clip = Some(ClipArea { mask, frame: frame.map(|place| (place * self.scale).round().max(0.0)) });
        }
    }

    fn end_clip(&mut self) {
        self.clip = None;
    }

    fn fill(&mut self, path: &[Step], paint: Paint) {
        if let Some(path) = Self::path(path) {
            let mask = self.clip.as_ref().map(|clip| &clip.mask);
            let scaled = Transform::from_scale(self.scale, self.scale);
            self.pixels.fill_path(&path, &brush(paint), FillRule::Winding, scaled, mask);
        }
    }

    fn stroke(&mut self, path: &[Step], pen: Pen) {
        let dash = pen.is_dashed.then(|| StrokeDash::new(DASH.to_vec(), 0.0)).flatten();
        let stroke =
            Stroke { width: pen.width, line_cap: LineCap::Butt, line_join: LineJoin::Round, dash, ..Stroke::default() };
        if let Some(path) = Self::path(path) {
            let mask = self.clip.as_ref().map(|clip| &clip.mask);
            let scaled = Transform::from_scale(self.scale, self.scale);
            self.pixels.stroke_path(&path, &brush(pen.paint), &stroke, scaled, mask);
        }
    }

    fn dots(&mut self, centres: &[(f32, f32)], radius: f32, shape: Shape, paint: Paint) {
        for centre in centres {
            if shape == Shape::Circle {
                self.circle(*centre, radius, paint);
            } else {
                self.fill(&outline(shape, *centre, radius), paint);
            }
        }
    }

    fn text(&mut self, (x, y): (f32, f32), text: &str, style: TextStyle) {
        let face = Typeface::get(style.is_bold);
        let width = face.width(text, style.size);
        let back = match style.align {
            TextAlign::Start => 0.0,
            TextAlign::Middle => width / 2.0,
            TextAlign::End => width,
        };
        let place = self
            .scaled()
            .pre_concat(Transform::from_translate(x, y))
            .pre_concat(Transform::from_rotate(style.turn))
            .pre_translate(-back, 0.0)
            .pre_scale(style.size, style.size);
        let brush = brush(style.paint);
        let mask = self.clip.as_ref().map(|clip| &clip.mask);
        let (pixels, outlines) = (&mut self.pixels, &mut self.outlines[usize::from(style.is_bold)]);
        face.each_outline(text, outlines, |path, at| {
            pixels.fill_path(path, &brush, FillRule::Winding, place.pre_translate(at, 0.0), mask);
        });
    }
}
