//! The positions of values along an axis, and the labels of the axis.

use aiperf_table::grouped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisScale {
    Linear,
    /// Powers of two; zero cannot be shown.
    Doubling,
}

/// The unit of the numbers of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisUnit {
    Plain,
    /// Shares, shown as percent.
    Share,
    Mebibytes,
}

/// The labels of an axis of powers of two.
const MOST_TICKS: f64 = 9.0;

impl AxisScale {
    pub(super) fn shows(self, value: f64) -> bool {
        self == Self::Linear || value > 0.0
    }

    pub(super) fn place(self, value: f64) -> f64 {
        if self == Self::Doubling { value.log2() } else { value }
    }

    pub(super) fn value(self, place: f64) -> f64 {
        if self == Self::Doubling { place.exp2() } else { place }
    }

    /// The labelled values between two limits.
    pub(super) fn ticks(self, low: f64, high: f64) -> Vec<f64> {
        match self {
            Self::Doubling => {
                let every = ((high - low) / MOST_TICKS).ceil().max(1.0) as usize;
                (low.ceil() as i32..=high.floor() as i32).step_by(every).map(|power| 2_f64.powi(power)).collect()
            }
            Self::Linear => {
                let step = step(high - low);
                let first = (low / step).ceil() as i64;
                (first..).map(|tick| tick as f64 * step).take_while(|x| *x <= high * 1.000_001).take(20).collect()
            }
        }
    }
}

/// One, two or five of a power of ten, for about five steps.
pub(super) fn step(range: f64) -> f64 {
    let rough = (range / 5.0).max(1e-9);
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough).unwrap_or(power)
}

impl AxisUnit {
    pub(super) fn show(self, value: f64) -> String {
        match self {
            Self::Share => format!("{} %", short(value * 100.0)),
            Self::Mebibytes if value >= 1024.0 * 1024.0 => format!("{} TiB", short(value / 1024.0 / 1024.0)),
            Self::Mebibytes if value >= 1024.0 => format!("{} GiB", short(value / 1024.0)),
            Self::Mebibytes if value < 1.0 => format!("{} KiB", short(value * 1024.0)),
            Self::Mebibytes => format!("{} MiB", short(value)),
            Self::Plain if value >= 1e6 => format!("{} M", short(value / 1e6)),
            Self::Plain => short(value),
        }
    }
}

/// At most two decimals, and commas between thousands.
fn short(value: f64) -> String {
    grouped(value).trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (unit, value, shown) in [
            (AxisUnit::Plain, 32_768.0, "32,768"),
            (AxisUnit::Plain, 0.25, "0.25"),
            (AxisUnit::Plain, 2_500_000.0, "2.5 M"),
            (AxisUnit::Share, 0.4, "40 %"),
            (AxisUnit::Share, 0.025, "2.5 %"),
            (AxisUnit::Mebibytes, 0.25, "256 KiB"),
            (AxisUnit::Mebibytes, 64.0, "64 MiB"),
            (AxisUnit::Mebibytes, 4096.0, "4 GiB"),
            (AxisUnit::Mebibytes, 2_097_152.0, "2 TiB"),
        ] {
            assert_eq!(unit.show(value), shown);
        }
    }

    #[test]
    fn a_few_round_values_are_named() {
        assert_eq!(AxisScale::Linear.ticks(0.0, 3537.0), [0.0, 1000.0, 2000.0, 3000.0]);
        assert_eq!(
            AxisScale::Doubling.ticks(0.0, 17.4),
            [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0]
        );
        assert_eq!(AxisScale::Doubling.ticks(-2.0, 1.0), [0.25, 0.5, 1.0, 2.0]);
        assert!((step(0.37) - 0.1).abs() < 1e-12);
    }
}
