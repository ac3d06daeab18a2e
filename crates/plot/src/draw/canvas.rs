//! What both kinds of picture can do: filled and stroked paths, dots and text.

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paint {
    pub(super) rgb: [u8; 3],
    pub(super) opacity: f32,
}

impl Paint {
    pub(super) const fn of(rgb: u32) -> Self {
        Self { rgb: [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8], opacity: 1.0 }
    }

    pub(super) fn faded(self, opacity: f32) -> Self {
        Self { opacity: self.opacity * opacity, ..self }
    }

    pub(super) fn hex(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// How a path is stroked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pen {
    pub(super) paint: Paint,
    pub(super) width: f32,
    pub(super) is_dashed: bool,
}

impl Pen {
    pub(super) fn solid(paint: Paint, width: f32) -> Self {
        Self { paint, width, is_dashed: false }
    }
}

/// Lines of a dash and of the gap after it.
pub(super) const DASH: [f32; 2] = [7.0, 5.0];

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Move(f32, f32),
    Line(f32, f32),
    /// Two control points and the end.
    Curve([(f32, f32); 3]),
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Shape {
    /// Shapes differ as well as colours, for readers to whom the colours look alike.
    pub(super) fn of_group(index: usize) -> Self {
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][index % 4]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextAlign {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextStyle {
    pub(super) size: f32,
    pub(super) is_bold: bool,
    pub(super) paint: Paint,
    pub(super) align: TextAlign,
    /// Degrees, clockwise.
    pub(super) turn: f32,
}

impl TextStyle {
    pub(super) fn new(size: f32, paint: Paint, align: TextAlign) -> Self {
        Self { size, is_bold: false, paint, align, turn: 0.0 }
    }
}

pub(super) trait Canvas {
    /// What follows belongs together until `end_group`. Groups with the same `series` show the same data.
    fn begin_group(&mut self, class: &str, name: &str, series: &str);
    fn end_group(&mut self);
    /// What follows is hidden outside of left, top, right and bottom, until `end_clip`.
    fn begin_clip(&mut self, frame: [f32; 4]);
    fn end_clip(&mut self);
    fn fill(&mut self, path: &[Step], paint: Paint);
    fn stroke(&mut self, path: &[Step], pen: Pen);
    /// Marks of one size; each centre in pixels.
    fn dots(&mut self, centres: &[(f32, f32)], radius: f32, shape: Shape, paint: Paint);
    /// `at` is on the base line.
    fn text(&mut self, at: (f32, f32), text: &str, style: TextStyle);
}

pub(super) fn rectangle(left: f32, top: f32, right: f32, bottom: f32) -> [Step; 5] {
    [Step::Move(left, top), Step::Line(right, top), Step::Line(right, bottom), Step::Line(left, bottom), Step::Close]
}

/// The outline of a shape around a centre.
pub(super) fn outline(shape: Shape, (x, y): (f32, f32), radius: f32) -> Vec<Step> {
    match shape {
        Shape::Circle => ellipse((x, y), (radius, radius)).to_vec(),
        Shape::Square => {
            let half = radius * 0.89;
            rectangle(x - half, y - half, x + half, y + half).to_vec()
        }
        Shape::Triangle => {
            let (wide, high) = (radius * 1.17, radius * 1.25);
            vec![
                Step::Move(x, y - high),
                Step::Line(x + wide, y + high * 0.7),
                Step::Line(x - wide, y + high * 0.7),
                Step::Close,
            ]
        }
        Shape::Diamond => {
            let half = radius * 1.25;
            vec![
                Step::Move(x, y - half),
                Step::Line(x + half, y),
                Step::Line(x, y + half),
                Step::Line(x - half, y),
                Step::Close,
            ]
        }
    }
}

/// Distance of control points that makes four curves a circle.
const ROUND: f32 = 0.552_285;

pub(super) fn ellipse((x, y): (f32, f32), (wide, high): (f32, f32)) -> [Step; 6] {
    let (near, far) = (wide * ROUND, high * ROUND);
    [
        Step::Move(x + wide, y),
        Step::Curve([(x + wide, y + far), (x + near, y + high), (x, y + high)]),
        Step::Curve([(x - near, y + high), (x - wide, y + far), (x - wide, y)]),
        Step::Curve([(x - wide, y - far), (x - near, y - high), (x, y - high)]),
        Step::Curve([(x + near, y - high), (x + wide, y - far), (x + wide, y)]),
        Step::Close,
    ]
}
