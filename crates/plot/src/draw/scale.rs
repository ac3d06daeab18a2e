//! From values to places on the picture.

use crate::figure::AxisScale;

/// Maps the values of an axis to a stretch of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisMap {
    scale: AxisScale,
    low: f64,
    high: f64,
    from: f32,
    to: f32,
}

impl AxisMap {
    /// `low` lands on `from`, `high` on `to`.
    pub(super) fn new(scale: AxisScale, (low, high): (f64, f64), from: f32, to: f32) -> Self {
        Self { scale, low, high, from, to }
    }

    pub(super) fn place(&self, value: f64) -> f32 {
        let share = match self.scale {
            AxisScale::Linear => (value - self.low) / (self.high - self.low),
            AxisScale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        // Far beyond the picture is as good as infinitely far, and stays a number.
        self.from + (self.to - self.from) * (share.clamp(-10.0, 11.0) as f32)
    }

    /// Where zero is, or the end of the axis that is nearest to it.
    pub(super) fn zero(&self) -> f32 {
        match self.scale {
            AxisScale::Linear => self.place(0f64.clamp(self.low, self.high)),
            AxisScale::Log => self.from,
        }
    }

    /// Whether the value can be shown at all.
    pub(super) fn can_show(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == AxisScale::Linear || value > 0.0)
    }

    /// Whether the value lies between the ends of the axis.
    pub(super) fn has_inside(&self, value: f64) -> bool {
        self.can_show(value) && (self.low..=self.high).contains(&value)
    }

    pub(super) fn limits(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    pub(super) fn is_log(&self) -> bool {
        self.scale == AxisScale::Log
    }

    pub(super) fn ends(&self) -> (f32, f32) {
        (self.from, self.to)
    }
}
