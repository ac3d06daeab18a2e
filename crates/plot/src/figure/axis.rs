//! An axis: its label, where it begins and ends, and which numbers stand along it.

/// One axis of a chart.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows, with statistic and unit.
    pub label: String,
    pub bounds: Bounds,
    pub scale: AxisScale,
    pub ticks: TickLabels,
}

/// Where an axis begins and ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// From zero to somewhat beyond the largest value.
    FromZero,
    /// From somewhat below the smallest value to somewhat beyond the largest.
    Data,
    Fixed(f64, f64),
    /// From one value to another, with marks beyond them that are not shown.
    Part(f64, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AxisScale {
    #[default]
    Linear,
    Log,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TickLabels {
    /// Round numbers.
    Numbers,
    /// These texts at these values.
    Named(Vec<(f64, String)>),
}

/// Free space beyond the data, as a share of its extent.
const MARGIN: f64 = 0.04;

impl Axis {
    pub fn new(label: impl Into<String>, bounds: Bounds) -> Self {
        Self { label: label.into(), bounds, scale: AxisScale::Linear, ticks: TickLabels::Numbers }
    }

    /// Whether there are values beyond the ends of the axis.
    pub(crate) fn is_part(&self) -> bool {
        matches!(self.bounds, Bounds::Part(..))
    }

    /// First and last value that the axis shows for data of this extent.
    pub(crate) fn limits(&self, data: Option<(f64, f64)>) -> (f64, f64) {
        let (low, high) = data.unwrap_or((0.0, 1.0));
        if let Bounds::Fixed(from, to) | Bounds::Part(from, to) = self.bounds {
            return (from, to);
        }
        if self.scale == AxisScale::Log {
            let low = if low > 0.0 { low } else { (high / 1e3).max(f64::MIN_POSITIVE) };
            let high = high.max(low * 1.000_001);
            let margin = (high / low).powf(MARGIN).max(1.05);
            return (low / margin, high * margin);
        }
        let spread = high - low;
        let margin = if spread > 0.0 { spread * MARGIN } else { high.abs().max(1.0) * MARGIN };
        match self.bounds {
            Bounds::FromZero if low >= 0.0 => (0.0, if high > 0.0 { high * (1.0 + MARGIN) } else { 1.0 }),
            Bounds::FromZero if high <= 0.0 => (low * (1.0 + MARGIN), 0.0),
            _ => (low - margin, high + margin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_from_zero_keeps_zero_and_leaves_room_at_the_other_end() {
        let axis = Axis::new("x", Bounds::FromZero);
        assert_eq!(axis.limits(Some((5.0, 100.0))), (0.0, 104.0));
        assert_eq!(axis.limits(Some((-100.0, -5.0))), (-104.0, 0.0));
        assert_eq!(axis.limits(Some((0.0, 0.0))), (0.0, 1.0));
        let (low, high) = axis.limits(Some((-10.0, 90.0)));
        assert!(low < -10.0 && high > 90.0);
    }

    #[test]
    fn a_logarithmic_axis_stays_above_zero() {
        let axis = Axis { scale: AxisScale::Log, ..Axis::new("x", Bounds::FromZero) };
        let (low, high) = axis.limits(Some((0.0, 1000.0)));
        assert!(low > 0.0 && high > 1000.0);
    }

    #[test]
    fn one_value_alone_gets_room_on_both_sides() {
        let (low, high) = Axis::new("x", Bounds::Data).limits(Some((7.0, 7.0)));
        assert!(low < 7.0 && high > 7.0);
    }
}
