//! How many samples it would take to tell, by the formulas that the bounds themselves come from: a forecast says what the bounds
//! of that many samples would be.

use aiperf_stats::distribution::{normal_quantile, student_t_quantile};
use aiperf_stats::{Level, share};

use crate::side::known::{Growth, Known};
use crate::verdict::bounds::{Bounds, Question};
use crate::verdict::change::{ChangeSpread, MeasuredChange, Reach, Working};
use crate::{Direction, Share};

/// Planned for more than the 95% that are promised, because the spread is itself only estimated.
const POWER: f64 = 0.99;
/// More runs than that nobody makes.
const MOST_RUNS: u64 = 10_000;
const MOST_REQUESTS: u64 = 1_000_000_000;

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
    /// `find`: to call a change of the size that shall be detected. `equal`: to call none if there is none, or of a gate, to
    /// pass.
    Needs { find: u64, equal: u64, unit: SampleUnit },
    /// Below this nothing can be said, not even how many it would take.
    AtLeast(u64),
}

/// What is asked of a verdict.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    pub(crate) threshold: Share,
    pub(crate) detect: Share,
    pub(crate) direction: Direction,
    pub(crate) bounds: Bounds,
}

/// A quantile of the distribution that bounds come from, by its chance.
type Quantile<'a> = &'a dyn Fn(f64) -> f64;

/// What bounds would be, and how much the difference itself would vary.
struct Outlook {
    reach: Reach,
    error: f64,
}

/// Requests, when each side is one run. `floor`: below that there are no bounds.
pub(crate) fn requests(measured: &MeasuredChange, aim: &Aim, floor: u64) -> Option<Forecast> {
    let ChangeSpread::Sides(a, b) = &measured.spread else { return None };
    let exact = match (measured.working, a.growth, b.growth) {
        (Working::Linear(whole), Growth::Share { worth: of_a, unit }, Growth::Share { worth: of_b, .. })
            if (whole - unit).abs() < f64::EPSILON =>
        {
            Some(Shares::pooled((a, b), of_a.min(of_b), unit)?)
        }
        _ => None,
    };
    let outlook = |requests: f64, rise: f64| match &exact {
        Some(shares) => Some(shares.outlook(requests, rise, aim)),
        None => outlook(measured.working, (a, b), requests, aim),
    };
    let difference = |share: Share| match exact {
        Some(_) => share.get(),
        None => measured.working.difference(share.get()),
    };
    let (threshold, detect) = (difference(aim.threshold), difference(aim.detect));
    let find = least(MOST_REQUESTS, |requests| {
        outlook(requests as f64, detect).is_some_and(|outlook| aim.finds(&outlook, threshold, detect, &normal_quantile))
    })?;
    let equal = least(MOST_REQUESTS, |requests| {
        outlook(requests as f64, 0.0).is_some_and(|outlook| aim.shows_none(&outlook, threshold, &normal_quantile))
    })?;
    let needs = |requests: u64| requests.max(floor);
    Some(Forecast::Needs { find: needs(find), equal: needs(equal), unit: SampleUnit::Requests })
}

/// Runs, when either side has several.
pub(crate) fn runs(measured: &MeasuredChange, aim: &Aim) -> Option<Forecast> {
    let ChangeSpread::Runs(variance) = measured.spread else { return None };
    let difference = |share: Share| measured.working.difference(share.get());
    let (threshold, detect) = (difference(aim.threshold), difference(aim.detect));
    let with = |runs: u64, will_do: &dyn Fn(&Outlook, Quantile<'_>) -> bool| {
        let freedom = 2.0 * runs as f64 - 2.0;
        let quantile = |chance: f64| student_t_quantile(chance, freedom);
        let error = (variance / runs as f64).sqrt();
        let reach = |level: Level| quantile(1.0 - level.tail()) * error;
        let reach = Reach { below: reach(aim.bounds.low), above: reach(aim.bounds.high) };
        runs > 1 && will_do(&Outlook { reach, error }, &quantile)
    };
    let finds = |outlook: &Outlook, quantile: Quantile<'_>| aim.finds(outlook, threshold, detect, quantile);
    let shows_none = |outlook: &Outlook, quantile: Quantile<'_>| aim.shows_none(outlook, threshold, quantile);
    let find = least(MOST_RUNS, |runs| with(runs, &finds))?;
    let equal = least(MOST_RUNS, |runs| with(runs, &shows_none))?;
    Some(Forecast::Needs { find, equal, unit: SampleUnit::Runs })
}

impl Aim {
    /// Whether the bound would leave out zero, and the change come out above the threshold.
    fn finds(&self, outlook: &Outlook, threshold: f64, detect: f64, quantile: Quantile<'_>) -> bool {
        let slack = quantile(POWER) * outlook.error;
        detect >= self.towards_zero(outlook.reach) + slack && detect - threshold >= slack
    }

    /// Whether the bound that counts would lie within the threshold.
    fn shows_none(&self, outlook: &Outlook, threshold: f64, quantile: Quantile<'_>) -> bool {
        match self.bounds.question {
            // Both ends of the interval must.
            Question::Changed => {
                let slack = quantile(f64::midpoint(POWER, 1.0)) * outlook.error;
                outlook.reach.below.max(outlook.reach.above) + slack <= threshold
            }
            Question::Worse => {
                let away = match self.direction {
                    Direction::MoreIsBetter => outlook.reach.below,
                    _ => outlook.reach.above,
                };
                away + quantile(POWER) * outlook.error <= threshold
            }
        }
    }

    /// The distance between a change for the worse and the bound that makes sure of it.
    fn towards_zero(&self, reach: Reach) -> f64 {
        match (self.bounds.question, self.direction) {
            (Question::Worse, Direction::MoreIsBetter) => reach.above,
            (Question::Worse, _) => reach.below,
            (Question::Changed, _) => reach.below.max(reach.above),
        }
    }
}

/// The bounds at hand, closer by what more requests bring.
fn outlook(working: Working, (a, b): (&Known, &Known), requests: f64, aim: &Aim) -> Option<Outlook> {
    let reach = working.reach((a, a.shrinks_to(requests)?), (b, b.shrinks_to(requests)?));
    if !reach.below.is_finite() || !reach.above.is_finite() {
        return None;
    }
    let errors = |reach: f64, level: Level| reach / normal_quantile(1.0 - level.tail());
    let error = f64::midpoint(errors(reach.below, aim.bounds.low), errors(reach.above, aim.bounds.high));
    Some(Outlook { reach, error })
}

/// Shares that are alike on both sides, from both taken together.
struct Shares {
    share: f64,
    /// Independent requests for each one.
    worth: f64,
}

impl Shares {
    fn pooled((a, b): (&Known, &Known), worth: f64, unit: f64) -> Option<Self> {
        let (n_a, n_b) = (a.requests? as f64, b.requests? as f64);
        Some(Self { share: (a.value * n_a + b.value * n_b) / (n_a + n_b) / unit, worth })
    }

    /// When the share of the candidate is larger by `rise`.
    fn outlook(&self, requests: f64, rise: f64, aim: &Aim) -> Outlook {
        let independent = (requests * self.worth).max(1.0);
        let (a, b) = (self.share, (self.share + rise).min(1.0));
        let (low, high) = (aim.bounds.low, aim.bounds.high);
        let reach = Reach {
            below: (b - share(b, independent, low).low).hypot(share(a, independent, low).high - a),
            above: (share(b, independent, high).high - b).hypot(a - share(a, independent, high).low),
        };
        Outlook { reach, error: ((a * (1.0 - a) + b * (1.0 - b)) / independent).sqrt() }
    }
}

/// The smallest number that will do; more never do worse.
fn least(most: u64, will_do: impl Fn(u64) -> bool) -> Option<u64> {
    if !will_do(most) {
        return None;
    }
    let (mut too_few, mut enough) = (0, most);
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
    use crate::verdict::change::{Scale, between, between_runs};

    /// A side of 1,000 requests whose logarithm has this variance for each.
    fn known(variance: f64, end_share: f64, level: Level) -> Known {
        let reach = normal_quantile(1.0 - level.tail()) * (variance / 1000.0).sqrt();
        Known {
            value: 100.0,
            low: 100.0 * (-reach).exp(),
            high: 100.0 * reach.exp(),
            requests: Some(1000),
            floor: None,
            growth: Growth::Root { end_share },
        }
    }

    fn aim(bounds: Bounds) -> Aim {
        let (threshold, detect) = (Share::of_percent(2.5), Share::of_percent(5.0));
        Aim { threshold, detect, direction: Direction::LessIsBetter, bounds }
    }

    fn needs(forecast: Option<Forecast>) -> (u64, u64) {
        match forecast {
            Some(Forecast::Needs { find, equal, .. }) => (find, equal),
            other => panic!("{other:?}"),
        }
    }

    fn of(variance: f64, end_share: f64, aim: &Aim) -> (u64, u64) {
        let side = known(variance, end_share, Level::P95);
        needs(requests(&between(&side, &side, Scale::Relative).unwrap(), aim, 0))
    }

    #[test]
    fn the_textbook_formula_comes_out() {
        // n = 2 sigma² (z + z')² / d², with d = ln 1.05.
        let low = Aim { threshold: Share::of_percent(1.0), ..aim(Bounds::both(Level::P95)) };
        let (find, equal) = of(0.09, 0.0, &low);
        let wanted = 0.18 * ((1.959_964 + 2.326_348) / 1.05_f64.ln()).powi(2);
        assert!(find.abs_diff(wanted.ceil() as u64) <= 1, "{find} {wanted}");
        assert!(equal > find);
    }

    #[test]
    fn twice_the_variance_needs_twice_the_requests_and_a_floor_stays_one() {
        let aim = aim(Bounds::both(Level::P95));
        assert!(of(2.0, 0.0, &aim).0.abs_diff(2 * of(1.0, 0.0, &aim).0) <= 2);
        let side = known(1e-9, 0.0, Level::P95);
        let measured = between(&side, &side, Scale::Relative).unwrap();
        assert_eq!(needs(requests(&measured, &aim, 368)), (368, 368));
    }

    #[test]
    fn what_the_ends_of_a_run_add_goes_away_sooner() {
        let aim = aim(Bounds::both(Level::P95));
        let (all_root, all_ends) = (of(1.0, 0.0, &aim), of(1.0, 1.0, &aim));
        // Ten times the requests shrink the one by ten, the other by a hundred.
        assert!(all_ends.1 < all_root.1, "{all_ends:?} {all_root:?}");
        let wanted = (all_root.1 as f64 / 1000.0).sqrt() * 1000.0;
        assert!((all_ends.1 as f64 / wanted - 1.0).abs() < 0.01, "{all_ends:?} {wanted}");
    }

    #[test]
    fn a_forecast_of_no_errors_is_the_number_that_passes() {
        let sure = Question::Worse.sure(Level::P95, 1);
        let bounds = Bounds::of(Question::Worse, Direction::LessIsBetter, Level::P95, sure);
        let points = Aim { threshold: Share::of_percent(1.0), detect: Share::of_percent(2.0), ..aim(bounds) };
        let side = |requests: u64| {
            let high = 100.0 * share(0.0, requests as f64, sure).high;
            let growth = Growth::Share { worth: 1.0, unit: 100.0 };
            Known { value: 0.0, low: 0.0, high, requests: Some(requests), floor: None, growth }
        };
        for requests_now in [100, 400, 2000] {
            let measured = between(&side(requests_now), &side(requests_now), Scale::Points).unwrap();
            let (_, pass) = needs(requests(&measured, &points, 0));
            assert_eq!(pass, 299, "whatever the pilot had");
            assert_eq!(measured.change.high <= 0.01, requests_now >= pass, "and the bound agrees");
        }
    }

    #[test]
    fn a_gate_needs_fewer_requests_to_pass_than_a_comparison_to_show_equality() {
        let sure = Question::Worse.sure(Level::P95, 1);
        let gate = aim(Bounds::of(Question::Worse, Direction::LessIsBetter, Level::P95, sure));
        let side = known(0.09, 0.0, sure);
        let (_, pass) = needs(requests(&between(&side, &side, Scale::Relative).unwrap(), &gate, 0));
        let wanted = 0.18 * ((1.644_854 + 2.326_348) / 1.025_f64.ln()).powi(2);
        assert!(pass.abs_diff(wanted.ceil() as u64) <= 1, "{pass} {wanted}");
        assert!(pass < of(0.09, 0.0, &aim(Bounds::both(Level::P95))).1);
    }

    #[test]
    fn few_runs_do_where_runs_agree() {
        let bounds = Bounds::both(Level::P95);
        let of = |spread: f64| {
            let side = [100.0 * (1.0 - spread), 100.0, 100.0 * (1.0 + spread)];
            runs(&between_runs(&side, &side, Scale::Relative, &bounds).unwrap(), &aim(bounds))
        };
        let Some(Forecast::Needs { find, equal, unit }) = of(0.01) else { panic!() };
        assert_eq!(unit, SampleUnit::Runs);
        assert!((3..=6).contains(&find) && (4..=15).contains(&equal), "{find} {equal}");
        assert_eq!(of(0.99), None);
    }
}
