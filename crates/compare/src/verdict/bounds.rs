//! How sure the two ends of an interval are. A comparison asks which way a number went and gives both ends the same chance. A
//! gate asks one question, whether a number is worse, and answers it from one side at a time:
//!
//! - It fails if some number is surely worse. Of several numbers one may look so by chance, so these bounds hold together
//!   (Bonferroni: each errs with a chance of alpha / n).
//! - It passes if each number is surely not worse by more than its threshold. That takes all of them, so each bound may err
//!   with a chance of alpha (intersection-union test; Berger, "Multiparameter hypothesis testing and acceptance sampling", 1982).

use aiperf_stats::Level;

use crate::{Direction, Selection};

/// Levels as of two-sided intervals: a bound of this level errs with a chance of `level.tail()`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) low: Level,
    pub(crate) high: Level,
    pub(crate) question: Question,
}

/// What an interval is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Which way, and how far?
    Changed,
    /// Worse by more than the threshold?
    Worse,
}

impl Question {
    pub(crate) const fn of(selection: Selection) -> Self {
        match selection {
            Selection::Wide => Self::Changed,
            Selection::Gate => Self::Worse,
        }
    }

    /// The level of the bound that a difference is read from, of `family` numbers that shall hold together at `level`.
    pub(crate) fn sure(self, level: Level, family: usize) -> Level {
        let share = (1.0 - level.get()) / family.max(1) as f64;
        level_of(match self {
            Self::Changed => 1.0 - share,
            Self::Worse => 1.0 - 2.0 * share,
        })
    }
}

impl Bounds {
    /// Both ends alike.
    #[cfg(test)]
    pub(crate) const fn both(level: Level) -> Self {
        Self { low: level, high: level, question: Question::Changed }
    }

    /// `sure`: of the bound that makes sure of a difference.
    pub(crate) fn of(question: Question, direction: Direction, level: Level, sure: Level) -> Self {
        let not_worse = Question::Worse.sure(level, 1);
        match (question, direction) {
            (Question::Changed, _) | (_, Direction::Neutral) => Self { low: sure, high: sure, question },
            (Question::Worse, Direction::LessIsBetter) => Self { low: sure, high: not_worse, question },
            (Question::Worse, Direction::MoreIsBetter) => Self { low: not_worse, high: sure, question },
        }
    }
}

/// A level of one-sided bounds may be below any that is sensible for two: nothing is lost below a tenth.
fn level_of(level: f64) -> Level {
    Level::new(level.max(0.1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_makes_sure_of_worse_and_of_not_worse_on_one_side_each() {
        let sure = Question::Worse.sure(Level::P95, 4);
        assert!((sure.tail() - 0.0125).abs() < 1e-12, "{sure:?}");
        let latency = Bounds::of(Question::Worse, Direction::LessIsBetter, Level::P95, sure);
        assert!((latency.low.tail() - 0.0125).abs() < 1e-12 && (latency.high.tail() - 0.05).abs() < 1e-12);
        let rate = Bounds::of(Question::Worse, Direction::MoreIsBetter, Level::P95, sure);
        assert_eq!((rate.low, rate.high), (latency.high, latency.low));
    }

    #[test]
    fn a_comparison_has_two_ends_of_one_level() {
        let sure = Question::Changed.sure(Level::P95, 5);
        assert!((sure.get() - 0.99).abs() < 1e-12);
        let bounds = Bounds::of(Question::Changed, Direction::LessIsBetter, Level::P95, sure);
        assert_eq!((bounds.low, bounds.high), (sure, sure));
    }
}
