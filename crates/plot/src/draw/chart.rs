//! The layout of a chart: paper, title, legend, axes with their numbers, marks, notes.

use super::canvas::{Canvas, Pen, Step, TextAlign, TextStyle, rectangle};
use super::legend;
use super::marks::draw_layer;
use super::scale::AxisMap;
use super::size::PictureSize;
use super::theme::Theme;
use super::typeface::Typeface;
use crate::figure::{Axis, AxisSide, Figure, Tick};

const TITLE_SIZE: f32 = 26.0;
const SUBTITLE_SIZE: f32 = 16.0;
const LABEL_SIZE: f32 = 17.0;
const TICK_SIZE: f32 = 15.0;
const NOTE_SIZE: f32 = 14.0;
/// Free space at the edges of the picture.
const EDGE: f32 = 32.0;
/// Between an axis and its numbers, and between those and the label.
const GAP: f32 = 10.0;
/// Length of an axis for each number along it.
const ROOM_PER_TICK_ACROSS: f32 = 130.0;
const ROOM_PER_TICK_UP: f32 = 75.0;

/// The rectangle that the marks are in, and how values become places in it.
pub(super) struct PlotArea {
    pub(super) x: AxisMap,
    left_y: AxisMap,
    right_y: AxisMap,
}

impl PlotArea {
    pub(super) fn y(&self, side: AxisSide) -> &AxisMap {
        match side {
            AxisSide::Left => &self.left_y,
            AxisSide::Right => &self.right_y,
        }
    }
}

/// Where values are in a picture that was drawn, for those who point at it.
#[derive(Debug, Clone, Copy)]
pub struct ChartArea {
    x: AxisMap,
    left_y: AxisMap,
    right_y: Option<AxisMap>,
}

impl ChartArea {
    /// The place of a point; none if it is outside of the axes.
    pub fn place(&self, x: f64, y: f64, side: AxisSide) -> Option<(f32, f32)> {
        let up = match side {
            AxisSide::Left => self.left_y,
            AxisSide::Right => self.right_y?,
        };
        (self.x.has_inside(x) && up.has_inside(y)).then(|| (self.x.place(x), up.place(y)))
    }

    /// Left, top, right and bottom of the rectangle that the marks are in.
    pub fn frame(&self) -> [f32; 4] {
        let ((left, right), (bottom, top)) = (self.x.ends(), self.left_y.ends());
        [left, top, right, bottom]
    }

    /// First and last value of the x axis and of the left axis.
    pub fn limits(&self) -> [(f64, f64); 2] {
        [self.x.limits(), self.left_y.limits()]
    }

    /// Whether the x axis and the left axis are logarithmic.
    pub fn is_log(&self) -> [bool; 2] {
        [self.x.is_log(), self.left_y.is_log()]
    }
}

pub(super) fn draw(figure: &Figure, theme: Theme, size: PictureSize, canvas: &mut dyn Canvas) -> ChartArea {
    let (width, height) = (size.width(), size.height());
    let room = width - 2.0 * EDGE;
    canvas.fill(&rectangle(0.0, 0.0, width, height), theme.paper());
    let mut top = EDGE + TITLE_SIZE * 0.8;
    let title = TextStyle { is_bold: true, ..TextStyle::new(TITLE_SIZE, theme.text(), TextAlign::Start) };
    canvas.text((EDGE, top), &shortened(&figure.title, TITLE_SIZE, true, room), title);
    if !figure.subtitle.is_empty() {
        top += SUBTITLE_SIZE * 1.7;
        let style = TextStyle::new(SUBTITLE_SIZE, theme.faint_text(), TextAlign::Start);
        canvas.text((EDGE, top), &shortened(&figure.subtitle, SUBTITLE_SIZE, false, room), style);
    }
    let top = legend::draw(figure, theme, canvas, (EDGE, top + 16.0), room) + 18.0;

    let notes = figure.notes.len() as f32 * NOTE_SIZE * 1.5;
    let bottom = height - EDGE * 0.7 - notes - LABEL_SIZE * 1.2 - TICK_SIZE - 2.0 * GAP;
    let (x_extent, left_extent) = figure.extents(AxisSide::Left);
    let (_, right_extent) = figure.extents(AxisSide::Right);
    let x_limits = figure.x.limits(x_extent);
    let left_limits = figure.y.limits(left_extent);
    let up = ((bottom - top) / ROOM_PER_TICK_UP) as usize;
    let left_ticks = figure.y.tick_marks(left_limits.0, left_limits.1, up);
    let right = figure.y2.as_ref().map(|axis| {
        let limits = axis.limits(right_extent);
        (axis, limits, axis.tick_marks(limits.0, limits.1, up))
    });
    let left = EDGE + LABEL_SIZE * 1.4 + widest(&left_ticks) + 2.0 * GAP;
    let right_room = right.as_ref().map_or(0.0, |(_, _, ticks)| LABEL_SIZE * 1.4 + widest(ticks) + 2.0 * GAP);
    let right_edge = width - EDGE - right_room;
    let left_y = AxisMap::new(figure.y.scale, left_limits, bottom, top);
    let area = PlotArea {
        x: AxisMap::new(figure.x.scale, x_limits, left, right_edge),
        left_y,
        right_y: right.as_ref().map_or(left_y, |(axis, limits, _)| AxisMap::new(axis.scale, *limits, bottom, top)),
    };
    let across = ((right_edge - left) / ROOM_PER_TICK_ACROSS) as usize;
    let x_ticks = figure.x.tick_marks(x_limits.0, x_limits.1, across);

    draw_grid(&area, &x_ticks, &left_ticks, theme, canvas);
    let is_part = figure.x.is_part() || figure.y.is_part();
    if is_part {
        canvas.begin_clip([left, top, right_edge, bottom]);
    }
    for layer in &figure.layers {
        let class = format!("layer {}", layer.marks.kind());
        canvas.begin_group(&class, layer.legend.as_deref().unwrap_or_default(), &layer.ink.series());
        draw_layer(layer, &area, theme, canvas);
        canvas.end_group();
    }
    if is_part {
        canvas.end_clip();
    }
    canvas.begin_group("axes", "", "");
    draw_x_axis(&figure.x, &area, &x_ticks, bottom, theme, canvas);
    draw_y_axis(&figure.y, &area, AxisSide::Left, &left_ticks, theme, canvas);
    if let Some((axis, _, ticks)) = &right {
        draw_y_axis(axis, &area, AxisSide::Right, ticks, theme, canvas);
    }
    canvas.end_group();
    let style = TextStyle::new(NOTE_SIZE, theme.faint_text(), TextAlign::Start);
    for (index, note) in figure.notes.iter().rev().enumerate() {
        let y = height - EDGE * 0.7 - index as f32 * NOTE_SIZE * 1.5;
        canvas.text((EDGE, y), &shortened(note, NOTE_SIZE, false, room), style);
    }
    ChartArea { x: area.x, left_y: area.left_y, right_y: right.is_some().then_some(area.right_y) }
}

fn widest(ticks: &[Tick]) -> f32 {
    let face = Typeface::get(false);
    ticks.iter().map(|tick| face.width(&tick.text, TICK_SIZE)).fold(0.0, f32::max)
}

/// A line that is longer than its room ends in dots.
fn shortened(text: &str, size: f32, is_bold: bool, room: f32) -> String {
    let face = Typeface::get(is_bold);
    if face.width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if face.width(&kept, size) > room - size {
            break;
        }
    }
    kept.pop();
    kept + "…"
}

fn draw_grid(area: &PlotArea, across: &[Tick], up: &[Tick], theme: Theme, canvas: &mut dyn Canvas) {
    let ((left, right), (bottom, top)) = (area.x.ends(), area.left_y.ends());
    let vertical = across.iter().map(|tick| area.x.place(tick.value));
    let horizontal = up.iter().map(|tick| area.left_y.place(tick.value));
    let mut path: Vec<Step> = vertical.flat_map(|x| [Step::Move(x, top), Step::Line(x, bottom)]).collect();
    path.extend(horizontal.flat_map(|y| [Step::Move(left, y), Step::Line(right, y)]));
    canvas.begin_group("grid", "", "");
    canvas.stroke(&path, Pen::solid(theme.grid(), 1.0));
    canvas.end_group();
}

fn draw_x_axis(axis: &Axis, area: &PlotArea, ticks: &[Tick], bottom: f32, theme: Theme, canvas: &mut dyn Canvas) {
    let (left, right) = area.x.ends();
    canvas.stroke(&[Step::Move(left, bottom), Step::Line(right, bottom)], Pen::solid(theme.axis(), 1.5));
    let style = TextStyle::new(TICK_SIZE, theme.faint_text(), TextAlign::Middle);
    let face = Typeface::get(false);
    let mut free_from = f32::MIN;
    for tick in ticks {
        let x = area.x.place(tick.value);
        let half = face.width(&tick.text, TICK_SIZE) / 2.0;
        if x - half >= free_from {
            canvas.text((x, bottom + GAP + TICK_SIZE), &tick.text, style);
            free_from = x + half + GAP;
        }
    }
    let label = TextStyle::new(LABEL_SIZE, theme.text(), TextAlign::Middle);
    let y = bottom + 2.0 * GAP + TICK_SIZE + LABEL_SIZE;
    canvas.text((f32::midpoint(left, right), y), &shortened(&axis.label, LABEL_SIZE, false, right - left), label);
}

fn draw_y_axis(axis: &Axis, area: &PlotArea, side: AxisSide, ticks: &[Tick], theme: Theme, canvas: &mut dyn Canvas) {
    let (left, right) = area.x.ends();
    let (bottom, top) = area.y(side).ends();
    let (at, out, align, turn) = match side {
        AxisSide::Left => (left, -1.0, TextAlign::End, -90.0),
        AxisSide::Right => (right, 1.0, TextAlign::Start, 90.0),
    };
    canvas.stroke(&[Step::Move(at, top), Step::Line(at, bottom)], Pen::solid(theme.axis(), 1.5));
    let style = TextStyle::new(TICK_SIZE, theme.faint_text(), align);
    for tick in ticks {
        let y = area.y(side).place(tick.value);
        canvas.text((at + out * GAP, y + TICK_SIZE * 0.36), &tick.text, style);
    }
    let label = TextStyle { turn, ..TextStyle::new(LABEL_SIZE, theme.text(), TextAlign::Middle) };
    let x = at + out * (2.0 * GAP + widest(ticks) + 4.0);
    canvas.text((x, f32::midpoint(top, bottom)), &shortened(&axis.label, LABEL_SIZE, false, bottom - top), label);
}
