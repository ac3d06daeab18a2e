//! A chart before it is drawn: axes, layers of marks, and the table of its points.

mod axis;
mod layer;
mod point_table;
mod ticks;

use std::path::PathBuf;

pub use axis::{Axis, AxisScale, Bounds, TickLabels};
pub use layer::{AxisSide, ErrorBar, HeatCell, Ink, Layer, LineShape, Marks, Oval};
pub use point_table::{PointCell, PointTable};
pub(crate) use ticks::value_text;
pub use ticks::{Tick, nice_ticks, number_text};

/// One chart.
#[derive(Debug, Clone)]
pub struct Figure {
    pub title: String,
    /// What is shown, of which run: one line under the title.
    pub subtitle: String,
    pub x: Axis,
    pub y: Axis,
    /// The axis on the right, for layers of [`AxisSide::Right`].
    pub y2: Option<Axis>,
    /// Drawn in this order.
    pub layers: Vec<Layer>,
    /// Lines under the chart.
    pub notes: Vec<String>,
    /// Everything that the marks show, unrounded.
    pub points: PointTable,
    /// In a chart of several runs: the folders that each row of the table comes from.
    pub sources: Vec<Vec<PathBuf>>,
}

impl Figure {
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            x,
            y,
            y2: None,
            layers: Vec::new(),
            notes: Vec::new(),
            points: PointTable::default(),
            sources: Vec::new(),
        }
    }

    /// Smallest and largest x of all marks, and of all y of one side.
    pub(crate) fn extents(&self, side: AxisSide) -> (Extent, Extent) {
        let (mut x, mut y) = (Spread::default(), Spread::default());
        for layer in &self.layers {
            let own = layer.side == side;
            layer.marks.each_corner(&mut |at_x, at_y| {
                x.add(at_x);
                if own {
                    y.add(at_y);
                }
            });
        }
        (x.range(), y.range())
    }

    /// Whether there is anything to see.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// Smallest and largest value, if there is one.
pub(crate) type Extent = Option<(f64, f64)>;

/// Smallest and largest of the finite values seen.
#[derive(Debug, Default)]
struct Spread(Option<(f64, f64)>);

impl Spread {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.0 = Some(self.0.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        }
    }

    fn range(&self) -> Option<(f64, f64)> {
        self.0
    }
}
