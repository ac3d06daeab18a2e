//! The bracket around a limit: the highest value that passed and the lowest one that failed. Values are whole numbers.

/// A range, and what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bracket {
    lo: f64,
    hi: f64,
    pub(super) passed: Option<f64>,
    pub(super) failed: Option<f64>,
    /// Width as a share of the upper end that is narrow enough.
    precision: f64,
}

/// What the bracket asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BracketStep {
    /// No value failed yet: try a higher one.
    Raise(f64),
    /// Values that passed and failed are known; the gap between them is too wide.
    Narrow { passed: f64, failed: f64 },
    /// The gap is narrow enough.
    Narrowed,
    /// The lowest value failed.
    NoPass,
    /// The highest value passed.
    NoFailure,
}

impl Bracket {
    pub(super) const fn new(lo: f64, hi: f64, precision: f64) -> Self {
        Self { lo, hi, passed: None, failed: None, precision }
    }

    pub(super) fn step(&self) -> BracketStep {
        match (self.passed, self.failed) {
            (None, Some(failed)) if failed <= self.lo => BracketStep::NoPass,
            // Also if verdicts that changed took the only pass away: it begins again at the bottom.
            (None, _) => BracketStep::Raise(self.lo),
            (Some(passed), None) if passed >= self.hi => BracketStep::NoFailure,
            // The last probe is exactly the highest value.
            (Some(passed), None) => BracketStep::Raise((passed * 2.0).max(passed + 1.0).min(self.hi)),
            (Some(passed), Some(failed)) if self.is_narrow(failed - passed, failed) => BracketStep::Narrowed,
            (Some(passed), Some(failed)) => BracketStep::Narrow { passed, failed },
        }
    }

    pub(super) fn is_narrow(&self, gap: f64, upper: f64) -> bool {
        gap <= 1.0 || gap / upper < self.precision
    }

    /// Takes the verdict of a value into account.
    pub(super) fn learn(&mut self, value: f64, passes: bool) {
        if passes {
            self.passed = Some(self.passed.map_or(value, |passed| passed.max(value)));
            self.failed = self.failed.filter(|failed| *failed > value);
        } else {
            self.failed = Some(self.failed.map_or(value, |failed| failed.min(value)));
            self.passed = self.passed.filter(|passed| *passed < value);
        }
    }
}

/// The whole number in the middle.
pub(super) fn middle(passed: f64, failed: f64) -> f64 {
    f64::midpoint(passed, failed).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubling_ends_exactly_at_the_highest_value() {
        let mut bracket = Bracket::new(1.0, 100.0, 0.05);
        let mut asked = Vec::new();
        while let BracketStep::Raise(value) = bracket.step() {
            asked.push(value);
            bracket.learn(value, true);
        }
        assert_eq!(asked, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0]);
        assert_eq!(bracket.step(), BracketStep::NoFailure);
    }

    #[test]
    fn a_bracket_is_narrow_at_one_step_or_at_its_precision() {
        let with =
            |passed, failed| Bracket { passed: Some(passed), failed: Some(failed), ..Bracket::new(1.0, 1000.0, 0.05) };
        assert_eq!(with(7.0, 8.0).step(), BracketStep::Narrowed);
        assert_eq!(with(6.0, 8.0).step(), BracketStep::Narrow { passed: 6.0, failed: 8.0 });
        assert_eq!(with(96.0, 100.0).step(), BracketStep::Narrowed);
        assert_eq!(with(95.0, 100.0).step(), BracketStep::Narrow { passed: 95.0, failed: 100.0 });
    }
}
