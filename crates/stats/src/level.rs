//! The confidence level of an interval.

use thiserror::Error;

/// How often, over many runs, an interval holds the truth: more than 0, less than 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

#[derive(Debug, Error, PartialEq)]
#[error("a confidence level lies between 0 and 1, {0} does not: 0.95 is usual")]
pub struct LevelError(pub f64);

impl Level {
    pub const P95: Self = Self(0.95);

    pub fn new(level: f64) -> Result<Self, LevelError> {
        if level > 0.0 && level < 1.0 { Ok(Self(level)) } else { Err(LevelError(level)) }
    }

    pub const fn get(self) -> f64 {
        self.0
    }

    /// The chance of missing the truth on one side.
    pub const fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Self::P95
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_lies_between_none_and_all() {
        assert_eq!(Level::new(0.9).map(Level::get), Ok(0.9));
        for bad in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
    }
}
