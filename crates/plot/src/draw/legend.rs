//! The legend: one entry after the other under the title, where it covers nothing.

use super::canvas::{Canvas, Pen, Shape, Step, TextAlign, TextStyle, ellipse, rectangle};
use super::theme::{Theme, group_index};
use super::typeface::Typeface;
use crate::figure::{Figure, Layer, Marks};

const SIZE: f32 = 15.0;
const SAMPLE: f32 = 26.0;
const BETWEEN: f32 = 26.0;
const LINE: f32 = 25.0;

/// Draws the entries from `at` on; the result is where the next thing can begin.
pub(super) fn draw(figure: &Figure, theme: Theme, canvas: &mut dyn Canvas, at: (f32, f32), room: f32) -> f32 {
    let entries: Vec<(&Layer, &str)> =
        figure.layers.iter().filter_map(|layer| Some((layer, layer.legend.as_deref()?))).collect();
    if entries.is_empty() {
        return at.1;
    }
    let face = Typeface::get(false);
    let (mut x, mut y) = (at.0, at.1 + SIZE);
    canvas.begin_group("legend", "", "");
    for (layer, text) in entries {
        let width = SAMPLE + 8.0 + face.width(text, SIZE);
        if x > at.0 && x + width > at.0 + room {
            x = at.0;
            y += LINE;
        }
        canvas.begin_group("entry", text, &layer.ink.series());
        sample(layer, theme, canvas, (x, y - SIZE * 0.36));
        canvas.text((x + SAMPLE + 8.0, y), text, TextStyle::new(SIZE, theme.text(), TextAlign::Start));
        canvas.end_group();
        x += width + BETWEEN;
    }
    canvas.end_group();
    y
}

/// What the marks of a layer look like, around the middle of `SAMPLE`.
fn sample(layer: &Layer, theme: Theme, canvas: &mut dyn Canvas, (x, y): (f32, f32)) {
    let paint = theme.ink(layer.ink);
    let middle = (x + SAMPLE / 2.0, y);
    let line = [Step::Move(x, y), Step::Line(x + SAMPLE, y)];
    let block = rectangle(x, y - 7.0, x + SAMPLE, y + 7.0);
    match &layer.marks {
        Marks::Line { width, is_dashed, .. } => {
            canvas.stroke(&line, Pen { is_dashed: *is_dashed, ..Pen::solid(paint, width.max(2.0)) });
        }
        Marks::Level { is_dashed, .. } => canvas.stroke(&line, Pen { is_dashed: *is_dashed, ..Pen::solid(paint, 2.0) }),
        Marks::Strokes { .. } => canvas.stroke(&line, Pen::solid(paint, 4.0)),
        Marks::Dots { .. } => {
            canvas.dots(&[middle], 5.0, Shape::of_group(group_index(layer.ink)), paint);
        }
        Marks::Area { opacity, .. } | Marks::Band { opacity, .. } | Marks::Bars { opacity, .. } => {
            canvas.fill(&block, paint.faded(*opacity));
        }
        Marks::Range { .. } => canvas.fill(&block, paint.faded(0.16)),
        Marks::Errors { .. } => {
            let (x, y) = middle;
            canvas.stroke(
                &[
                    Step::Move(x, y - 8.0),
                    Step::Line(x, y + 8.0),
                    Step::Move(x - 5.0, y - 8.0),
                    Step::Line(x + 5.0, y - 8.0),
                    Step::Move(x - 5.0, y + 8.0),
                    Step::Line(x + 5.0, y + 8.0),
                ],
                Pen::solid(paint, 1.8),
            );
        }
        Marks::Ovals { is_dashed, .. } => {
            let path = ellipse(middle, (SAMPLE / 2.0, 7.0));
            canvas.fill(&path, paint.faded(0.15));
            canvas.stroke(&path, Pen { is_dashed: *is_dashed, ..Pen::solid(paint, 1.5) });
        }
        Marks::Heat { .. } => {
            for index in 0..4 {
                let left = x + index as f32 * SAMPLE / 4.0;
                let share = f64::from(index) / 3.0;
                canvas.fill(&rectangle(left, y - 7.0, left + SAMPLE / 4.0, y + 7.0), theme.heat(share));
            }
        }
        Marks::Texts { .. } => {}
    }
}
