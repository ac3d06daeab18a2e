//! What is drawn into a chart: layers of marks, each with its colour and its entry of the legend.

/// Marks that share a colour and an entry of the legend.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Its entry of the legend; layers without one are explained by others.
    pub legend: Option<String>,
    pub side: AxisSide,
    pub ink: Ink,
    pub marks: Marks,
}

/// Which vertical axis a layer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AxisSide {
    #[default]
    Left,
    Right,
}

/// What a colour stands for; the theme says which colour that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// The colour of a group of data, by its place.
    Group(usize),
    /// A run that others are compared with.
    Reference,
    /// The first run that is compared with a baseline.
    Candidate,
    /// Something bad.
    Alert,
    /// What belongs to the whole run.
    Neutral,
    Prefill,
    Decode,
}

impl Ink {
    /// A name that all marks of this ink share, as SVG files have it.
    pub fn series(self) -> String {
        match self {
            Self::Group(index) => format!("group-{index}"),
            Self::Reference => "reference".to_owned(),
            Self::Candidate => "candidate".to_owned(),
            Self::Alert => "alert".to_owned(),
            Self::Neutral => "neutral".to_owned(),
            Self::Prefill => "prefill".to_owned(),
            Self::Decode => "decode".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineShape {
    #[default]
    Straight,
    /// Each value holds until the next one.
    Step,
    /// Each value held since the one before.
    StepBefore,
    /// A smooth curve through the points.
    Smooth,
}

/// Uncertainty of one point, along each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorBar {
    pub x: f64,
    pub y: f64,
    pub x_range: Option<(f64, f64)>,
    pub y_range: Option<(f64, f64)>,
}

/// An ellipse whose axes are those of the chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Oval {
    pub centre: (f64, f64),
    pub radii: (f64, f64),
}

/// A rectangle of a heat map; `share` of the fullest one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatCell {
    pub x: (f64, f64),
    pub y: (f64, f64),
    pub share: f64,
}

#[derive(Debug, Clone)]
pub enum Marks {
    Line {
        points: Vec<(f64, f64)>,
        shape: LineShape,
        width: f32,
        is_dashed: bool,
    },
    Dots {
        points: Vec<(f64, f64)>,
        size: f32,
        opacity: f32,
    },
    /// From the points down to zero.
    Area {
        points: Vec<(f64, f64)>,
        shape: LineShape,
        opacity: f32,
    },
    /// At each x, from low to high.
    Band {
        points: Vec<(f64, f64, f64)>,
        opacity: f32,
    },
    /// From the first to the second x, up to y.
    Bars {
        bars: Vec<(f64, f64, f64)>,
        opacity: f32,
    },
    Errors {
        bars: Vec<ErrorBar>,
    },
    Ovals {
        ovals: Vec<Oval>,
        is_dashed: bool,
    },
    /// Horizontal, from the first to the second x at y.
    Strokes {
        strokes: Vec<(f64, f64, f64)>,
        width: f32,
    },
    /// A horizontal line across the chart.
    Level {
        y: f64,
        is_dashed: bool,
    },
    /// A horizontal band across the chart.
    Range {
        low: f64,
        high: f64,
    },
    Heat {
        cells: Vec<HeatCell>,
    },
    /// Next to points.
    Texts {
        texts: Vec<(f64, f64, String)>,
    },
}

impl Marks {
    /// Calls `visit` with points that enclose the marks. Marks across the chart have no x.
    pub(crate) fn each_corner(&self, visit: &mut dyn FnMut(f64, f64)) {
        match self {
            Self::Line { points, .. } | Self::Dots { points, .. } => points.iter().for_each(|(x, y)| visit(*x, *y)),
            Self::Area { points, .. } => points.iter().for_each(|(x, y)| {
                visit(*x, *y);
                visit(*x, 0.0);
            }),
            Self::Band { points, .. } => points.iter().for_each(|(x, low, high)| {
                visit(*x, *low);
                visit(*x, *high);
            }),
            Self::Bars { bars, .. } => bars.iter().for_each(|(from, to, y)| {
                visit(*from, 0.0);
                visit(*to, *y);
            }),
            Self::Errors { bars } => bars.iter().for_each(|bar| {
                let (left, right) = bar.x_range.unwrap_or((bar.x, bar.x));
                let (low, high) = bar.y_range.unwrap_or((bar.y, bar.y));
                visit(left, low);
                visit(right, high);
            }),
            Self::Ovals { ovals, .. } => ovals.iter().for_each(|Oval { centre: (x, y), radii: (wide, high) }| {
                visit(x - wide, y - high);
                visit(x + wide, y + high);
            }),
            Self::Strokes { strokes, .. } => strokes.iter().for_each(|(from, to, y)| {
                visit(*from, *y);
                visit(*to, *y);
            }),
            Self::Level { y, .. } => visit(f64::NAN, *y),
            Self::Range { low, high } => {
                visit(f64::NAN, *low);
                visit(f64::NAN, *high);
            }
            Self::Heat { cells } => cells.iter().for_each(|cell| {
                visit(cell.x.0, cell.y.0);
                visit(cell.x.1, cell.y.1);
            }),
            Self::Texts { texts } => texts.iter().for_each(|(x, y, _)| visit(*x, *y)),
        }
    }

    /// The kind of marks, as SVG files name it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Line { .. } => "line",
            Self::Dots { .. } => "dots",
            Self::Area { .. } => "area",
            Self::Band { .. } => "band",
            Self::Bars { .. } => "bars",
            Self::Errors { .. } => "error-bars",
            Self::Ovals { .. } => "ovals",
            Self::Strokes { .. } => "strokes",
            Self::Level { .. } => "level",
            Self::Range { .. } => "range",
            Self::Heat { .. } => "heat",
            Self::Texts { .. } => "texts",
        }
    }
}

impl Layer {
    pub fn new(ink: Ink, marks: Marks) -> Self {
        Self { legend: None, side: AxisSide::Left, ink, marks }
    }

    #[must_use]
    pub fn legend(mut self, text: impl Into<String>) -> Self {
        self.legend = Some(text.into());
        self
    }

    #[must_use]
    pub fn right(mut self) -> Self {
        self.side = AxisSide::Right;
        self
    }
}
