//! How the marks of a series look.

use serde::{Deserialize, Serialize};

use crate::figure::LineShape;

/// `primary_style` and `secondary_style` of a preset.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlotStyle {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<StyleMode>,
    pub(crate) line_shape: LineShapeName,
    pub(crate) fill: FillName,
    pub line_width: f32,
    pub marker_size: f32,
    pub marker_opacity: f32,
    pub fill_opacity: f32,
}

impl Default for PlotStyle {
    fn default() -> Self {
        Self {
            mode: None,
            line_shape: LineShapeName::Linear,
            fill: FillName::None,
            line_width: 2.0,
            marker_size: 8.0,
            marker_opacity: 1.0,
            fill_opacity: 0.3,
        }
    }
}

/// Which marks a series has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub enum StyleMode {
    #[serde(rename = "lines")]
    Lines,
    #[serde(rename = "markers")]
    Markers,
    #[serde(rename = "lines+markers", alias = "markers+lines")]
    LinesAndMarkers,
}

impl StyleMode {
    pub(crate) fn has_lines(self) -> bool {
        self != Self::Markers
    }

    pub(crate) fn has_markers(self) -> bool {
        self != Self::Lines
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineShapeName {
    Linear,
    Spline,
    #[serde(alias = "hvh")]
    Hv,
    #[serde(alias = "vhv")]
    Vh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FillName {
    None,
    #[serde(alias = "tonexty", alias = "toself")]
    Tozeroy,
}

impl PlotStyle {
    pub(crate) fn shape(&self) -> LineShape {
        match self.line_shape {
            LineShapeName::Linear => LineShape::Straight,
            LineShapeName::Spline => LineShape::Smooth,
            LineShapeName::Hv => LineShape::Step,
            LineShapeName::Vh => LineShape::StepBefore,
        }
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.fill == FillName::Tozeroy
    }

    /// The same style with lines that are steps.
    #[must_use]
    pub(crate) fn stepped(self) -> Self {
        Self { line_shape: LineShapeName::Hv, ..self }
    }
}
