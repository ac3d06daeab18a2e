//! How many samples it would take to tell.

use aiperf_stats::Level;
use aiperf_stats::distribution::{normal_quantile, student_t_quantile};

use crate::Share;
use crate::change::{Measured, Working};

/// Planned for more than the 95% that are promised, because the spread is itself only estimated.
const POWER: f64 = 0.99;
/// More runs than that nobody makes.
const MOST_RUNS: u64 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleUnit {
    Requests,
    Runs,
}

impl SampleUnit {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Runs => "runs",
        }
    }
}

/// Samples that each side needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forecast {
    /// `find`: to call a change of the size that shall be detected; `equal`: to call none where there is none.
    Needs { find: u64, equal: u64, unit: SampleUnit },
    /// Below this nothing can be said, not even how many it would take.
    AtLeast(u64),
}

/// What is asked of a verdict.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    pub(crate) threshold: Share,
    pub(crate) detect: Share,
    pub(crate) level: Level,
}

/// Requests, when each side is one run. `floor`: below that there are no bounds.
pub(crate) fn requests(measured: &Measured, aim: &Aim, floor: u64) -> Option<Forecast> {
    let variance = measured.variance?;
    let surely = normal_quantile(1.0 - aim.level.tail());
    let needed = |error: f64| ((variance / (error * error)).ceil() as u64).max(floor).max(1);
    let errors = allowed(measured.working, aim, surely, &normal_quantile);
    Some(Forecast::Needs { find: needed(errors.0), equal: needed(errors.1), unit: SampleUnit::Requests })
}

/// Runs, when either side has several.
pub(crate) fn runs(measured: &Measured, aim: &Aim) -> Option<Forecast> {
    let variance = measured.variance?;
    let errors = |runs: u64| {
        let freedom = 2.0 * runs as f64 - 2.0;
        let quantile = |chance: f64| student_t_quantile(chance, freedom);
        allowed(measured.working, aim, quantile(1.0 - aim.level.tail()), &quantile)
    };
    let enough = |runs: u64, error: f64| (variance / runs as f64).sqrt() <= error;
    let find = least(|runs| enough(runs, errors(runs).0))?;
    let equal = least(|runs| enough(runs, errors(runs).1))?;
    Some(Forecast::Needs { find, equal, unit: SampleUnit::Runs })
}

/// The largest standard errors of the difference with which a change is found, and with which none is shown to be none.
fn allowed(working: Working, aim: &Aim, surely: f64, quantile: &dyn Fn(f64) -> f64) -> (f64, f64) {
    let (threshold, detect) = (working.difference(aim.threshold.get()), working.difference(aim.detect.get()));
    let likely = quantile(POWER);
    // The interval must leave out zero, and the change must come out above the threshold.
    let find = (detect / (surely + likely)).min((detect - threshold) / likely);
    // Both ends of the interval must lie within the threshold.
    let equal = threshold / (surely + quantile(f64::midpoint(POWER, 1.0)));
    (find, equal)
}

/// The smallest number of runs from two on that will do; more never do worse.
fn least(will_do: impl Fn(u64) -> bool) -> Option<u64> {
    if !will_do(MOST_RUNS) {
        return None;
    }
    let (mut too_few, mut enough) = (1, MOST_RUNS);
    while enough - too_few > 1 {
        let middle = u64::midpoint(too_few, enough);
        if will_do(middle) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{Change, Scale};

    fn measured(variance: f64) -> Measured {
        let change = Change { scale: Scale::Relative, absolute: 0.0, share: 0.0, low: -0.1, high: 0.1 };
        Measured { change, working: Working::Log, variance: Some(variance) }
    }

    fn aim() -> Aim {
        Aim { threshold: Share::of_percent(2.5), detect: Share::of_percent(5.0), level: Level::P95 }
    }

    #[test]
    fn the_textbook_formula_comes_out() {
        // n = 2 sigma² (z + z')² / d², with d = ln 1.05.
        let low = Aim { threshold: Share::of_percent(1.0), ..aim() };
        let Some(Forecast::Needs { find, equal, .. }) = requests(&measured(2.0 * 0.09), &low, 0) else { panic!() };
        let wanted = 0.18 * ((1.959_964 + 2.326_348) / 1.05_f64.ln()).powi(2);
        assert_eq!(find, wanted.ceil() as u64);
        assert!(equal > find);
    }

    #[test]
    fn twice_the_variance_needs_twice_the_requests() {
        let of = |variance| match requests(&measured(variance), &aim(), 0) {
            Some(Forecast::Needs { find, .. }) => find,
            other => panic!("{other:?}"),
        };
        assert!(of(2.0).abs_diff(2 * of(1.0)) <= 2);
        assert_eq!(
            requests(&measured(1e-9), &aim(), 368).unwrap(),
            Forecast::Needs { find: 368, equal: 368, unit: SampleUnit::Requests }
        );
    }

    #[test]
    fn few_runs_do_where_runs_agree() {
        let Some(Forecast::Needs { find, equal, unit }) = runs(&measured(2.0 * 0.01_f64.powi(2)), &aim()) else {
            panic!()
        };
        assert_eq!(unit, SampleUnit::Runs);
        assert!((3..=6).contains(&find) && (4..=15).contains(&equal), "{find} {equal}");
        assert_eq!(runs(&measured(1e6), &aim()), None);
    }
}
