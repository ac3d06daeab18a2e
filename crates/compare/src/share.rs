//! A share as people write it: `2%`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Of the baseline's value; of a metric that is a percentage itself, in percentage points. More than 0, less than 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0:?} is not a percentage between 0% and 100%, such as 2.5%")]
pub struct ShareError(String);

impl Share {
    /// `None` unless it lies between 0 and 1.
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    pub(crate) const fn of_percent(percent: f64) -> Self {
        Self(percent / 100.0)
    }

    pub const fn get(self) -> f64 {
        self.0
    }

    /// Twice as much; of a large one, half of what is left.
    pub(crate) fn doubled(self) -> Self {
        Self((self.0 * 2.0).min(f64::midpoint(self.0, 1.0)))
    }
}

impl FromStr for Share {
    type Err = ShareError;

    fn from_str(text: &str) -> Result<Self, ShareError> {
        let percent = text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
        percent.and_then(|percent| Self::new(percent / 100.0)).ok_or_else(|| ShareError(text.to_owned()))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Six digits hide what binary fractions add.
        let percent = format!("{:.6}", self.0 * 100.0);
        write!(f, "{}%", percent.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_share_is_written_in_percent() {
        assert_eq!("2.5%".parse(), Ok(Share(0.025)));
        assert_eq!(" 10 %".parse(), Ok(Share(0.1)));
        for bad in ["0.02", "2", "0%", "100%", "-1%", "nan%", "inf%", "%", "", "two%"] {
            assert!(bad.parse::<Share>().is_err(), "{bad}");
        }
        assert_eq!(Share(0.07).to_string(), "7%");
        assert_eq!((Share(0.025).doubled(), Share(0.9).doubled()), (Share(0.05), Share(0.95)));
        assert_eq!(Share::of_percent(2.5).to_string(), "2.5%");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_what_is_shown_reads_back(text in ".{0,12}", percent in 0.001_f64..99.9) {
            let _ = text.parse::<Share>();
            let shown = Share::of_percent(percent).to_string();
            let back: Share = shown.parse().unwrap();
            prop_assert!((back.get() - percent / 100.0).abs() < 1e-7);
        }
    }
}
