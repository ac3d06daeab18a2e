//! Texts next to points, moved so that they do not cover each other.

use super::canvas::{Canvas, TextAlign, TextStyle, rectangle};
use super::chart::PlotArea;
use super::theme::Theme;
use super::typeface::Typeface;
use crate::figure::AxisSide;

const SIZE: f32 = 14.0;
const AWAY: f32 = 9.0;

/// Left, top, right and bottom of a text.
type Frame = [f32; 4];

/// A text that finds no free place is left out: the table of points has it.
pub(super) fn draw(texts: &[(f32, f32, &str)], area: &PlotArea, theme: Theme, canvas: &mut dyn Canvas) {
    let face = Typeface::get(false);
    let ((left, right), (bottom, top)) = (area.x.ends(), area.y(AxisSide::Left).ends());
    let mut taken: Vec<Frame> = texts.iter().map(|(x, y, _)| [x - 5.0, y - 5.0, x + 5.0, y + 5.0]).collect();
    for (x, y, text) in texts {
        let width = face.width(text, SIZE);
        let places = [
            (x - width / 2.0, y - AWAY),
            (x + AWAY, y + SIZE * 0.36),
            (x - AWAY - width, y + SIZE * 0.36),
            (x - width / 2.0, y + AWAY + SIZE * 0.8),
        ];
        let frame = |(x, y): (f32, f32)| [x, y - SIZE * 0.8, x + width, y + 2.0];
        let is_free = |place: &&(f32, f32)| {
            let own = frame(**place);
            let inside = own[0] >= left && own[2] <= right + 24.0 && own[1] >= top - SIZE && own[3] <= bottom;
            inside && !taken.iter().any(|other| overlap(&own, other))
        };
        if let Some(place) = places.iter().find(is_free) {
            let [left, top, right, bottom] = frame(*place);
            taken.push([left, top, right, bottom]);
            // Lines behind the text are dimmed.
            canvas.fill(&rectangle(left - 1.0, top, right + 1.0, bottom), theme.paper().faded(0.75));
            canvas.text(*place, text, TextStyle::new(SIZE, theme.text(), TextAlign::Start));
        }
    }
}

fn overlap(one: &Frame, other: &Frame) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}
