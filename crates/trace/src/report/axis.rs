//! Where values stand along an axis, which of them are named there, and how.

use aiperf_table::grouped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    /// Powers of two; there is no place for zero.
    Doubling,
}

/// What the numbers of an axis are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Plain,
    /// Shares, shown as percent.
    Share,
    Mebibytes,
}

/// Names along an axis of powers of two.
const MOST_TICKS: f64 = 9.0;

impl Scale {
    pub(super) fn shows(self, value: f64) -> bool {
        self == Self::Linear || value > 0.0
    }

    pub(super) fn place(self, value: f64) -> f64 {
        if self == Self::Doubling { value.log2() } else { value }
    }

    pub(super) fn value(self, place: f64) -> f64 {
        if self == Self::Doubling { place.exp2() } else { place }
    }

    /// Values to name between two places.
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

impl Unit {
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

/// Two decimals at most, and commas between thousands.
fn short(value: f64) -> String {
    grouped(value).trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (unit, value, shown) in [
            (Unit::Plain, 32_768.0, "32,768"),
            (Unit::Plain, 0.25, "0.25"),
            (Unit::Plain, 2_500_000.0, "2.5 M"),
            (Unit::Share, 0.4, "40 %"),
            (Unit::Share, 0.025, "2.5 %"),
            (Unit::Mebibytes, 0.25, "256 KiB"),
            (Unit::Mebibytes, 64.0, "64 MiB"),
            (Unit::Mebibytes, 4096.0, "4 GiB"),
            (Unit::Mebibytes, 2_097_152.0, "2 TiB"),
        ] {
            assert_eq!(unit.show(value), shown);
        }
    }

    #[test]
    fn a_few_round_values_are_named() {
        assert_eq!(Scale::Linear.ticks(0.0, 3537.0), [0.0, 1000.0, 2000.0, 3000.0]);
        assert_eq!(Scale::Doubling.ticks(0.0, 17.4), [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0]);
        assert_eq!(Scale::Doubling.ticks(-2.0, 1.0), [0.25, 0.5, 1.0, 2.0]);
        assert!((step(0.37) - 0.1).abs() < 1e-12);
    }
}
