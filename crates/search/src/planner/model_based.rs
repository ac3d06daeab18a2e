//! `bayesian` and `optuna`: random points first, then those that a model of the measurements promises most of.

use aiperf_config::{Acquisition as AcquisitionName, ConstraintMode, PlannerKind, Sampler, SearchSpec, Terminator};
use aiperf_seed::{Seed, Stream};

use super::{Ask, EndReason, Planner};
use crate::model::acquisition::{Acquisition, MeasuredPlaces};
use crate::model::{maximize, parzen, terminator};
use crate::{Outcome, SearchPoint, convergence, pareto, space};

/// Points before a terminator is asked.
const BEFORE_TERMINATOR: usize = 10;

#[derive(Debug)]
pub(super) struct ModelBased {
    spec: SearchSpec,
    seed: u64,
    points: Vec<SearchPoint>,
    outcomes: Vec<Outcome>,
}

impl ModelBased {
    pub(super) fn new(spec: &SearchSpec, seed: u64) -> Self {
        Self { spec: spec.clone(), seed, points: Vec::new(), outcomes: Vec::new() }
    }

    /// Each point has a stream of its own, so that a replayed search goes on with the same draws.
    fn stream(&self, purpose: &str) -> Stream {
        Seed::fixed(self.seed).stream(&format!("search.{purpose}.{}", self.points.len()))
    }

    fn sampler(&self) -> Sampler {
        match self.spec.planner {
            PlannerKind::Bayesian => Sampler::Botorch,
            _ => self.spec.sampler,
        }
    }

    /// Whether the acquisition averages over noise.
    fn is_noisy(&self) -> bool {
        self.spec.acquisition.map_or(self.sampler() == Sampler::Botorch, AcquisitionName::is_noisy)
    }

    fn terminator(&self) -> Option<EndReason> {
        let kind = self.spec.terminator?;
        if self.points.len() < BEFORE_TERMINATOR.max(self.spec.initial_points + 1) || self.spec.objectives.len() != 1 {
            return None;
        }
        let measured = MeasuredPoints::of(&self.spec, &self.points, &self.outcomes)?;
        let gains: Vec<f64> = measured.gains.iter().map(|gains| gains[0]).collect();
        let mut stream = self.stream("terminator");
        match kind {
            Terminator::Regret => terminator::has_no_regret(&measured.places, &gains, &mut stream)
                .then_some(EndReason::PosteriorRegretBound),
            Terminator::Emmr => {
                terminator::has_small_model_regret(&measured.places, &gains, &mut stream).then_some(EndReason::Emmr)
            }
        }
    }

    fn propose(&self) -> SearchPoint {
        let dimensions = self.spec.space.len();
        let mut stream = self.stream("point");
        let random = |stream: &mut Stream| (0..dimensions).map(|_| stream.unit()).collect::<Vec<f64>>();
        let measured = MeasuredPoints::of(&self.spec, &self.points, &self.outcomes);
        let places = match measured.filter(|_| self.points.len() >= self.spec.initial_points) {
            None => (0..64).map(|_| random(&mut stream)).collect(),
            Some(measured) => self.by_model(&measured, &mut stream),
        };
        let points: Vec<SearchPoint> = places.iter().map(|place| space::point_at(&self.spec.space, place)).collect();
        // A whole number that was tried already teaches little, as long as others are left.
        let has_others = space::size(&self.spec.space).is_none_or(|size| size > self.points.len() as f64);
        let is_new = |point: &&SearchPoint| !has_others || !self.points.contains(point);
        points
            .iter()
            .find(is_new)
            .or(points.first())
            .cloned()
            .unwrap_or_else(|| space::point_at(&self.spec.space, &vec![0.5; dimensions]))
    }

    fn by_model(&self, measured: &MeasuredPoints, stream: &mut Stream) -> Vec<Vec<f64>> {
        let dimensions = self.spec.space.len();
        if self.sampler() == Sampler::Tpe {
            let order = measured.order();
            let (good, others) = order.split_at(parzen::good_count(order.len()));
            let places =
                |indices: &[usize]| indices.iter().map(|index| measured.places[*index].clone()).collect::<Vec<_>>();
            return parzen::propose(&places(good), &places(others), dimensions, stream);
        }
        let thresholds: Vec<Option<f64>> = self
            .spec
            .objectives
            .iter()
            .map(|objective| objective.threshold.map(|value| if objective.maximize { value } else { -value }))
            .collect();
        let (gains, violations, is_feasible) = match self.spec.constraint_mode {
            ConstraintMode::Eic => (measured.gains.clone(), measured.violations.clone(), measured.is_feasible.clone()),
            ConstraintMode::Penalty => {
                (measured.penalized(), vec![Vec::new(); measured.places.len()], vec![true; measured.places.len()])
            }
        };
        let evidence = MeasuredPlaces {
            places: &measured.places,
            gains: &gains,
            is_feasible: &is_feasible,
            violations: &violations,
            thresholds: &thresholds,
        };
        let Some(acquisition) = Acquisition::new(&evidence, self.is_noisy(), stream) else {
            return vec![(0..dimensions).map(|_| stream.unit()).collect()];
        };
        // The score is that of the point which would be measured: whole numbers are steps.
        let score = |place: &[f64]| {
            let point = space::point_at(&self.spec.space, place);
            acquisition.score(&space::place(&self.spec.space, &point))
        };
        maximize::best_places(dimensions, &measured.places, stream, &score)
            .into_iter()
            .map(|(place, _)| place)
            .collect()
    }
}

impl Planner for ModelBased {
    fn ask(&mut self) -> Ask {
        let end = convergence::end(&self.spec, &self.outcomes).or_else(|| self.terminator());
        end.map_or_else(|| Ask::Probe(self.propose()), Ask::End)
    }

    fn tell(&mut self, point: &SearchPoint, outcome: &Outcome) {
        self.points.push(point.clone());
        self.outcomes.push(outcome.clone());
    }
}

/// The points whose objectives and limits were measured.
#[derive(Debug)]
struct MeasuredPoints {
    places: Vec<Vec<f64>>,
    gains: Vec<Vec<f64>>,
    is_feasible: Vec<bool>,
    violations: Vec<Vec<f64>>,
}

impl MeasuredPoints {
    /// `None` if there is no such point.
    fn of(spec: &SearchSpec, points: &[SearchPoint], outcomes: &[Outcome]) -> Option<Self> {
        let mut measured =
            Self { places: Vec::new(), gains: Vec::new(), is_feasible: Vec::new(), violations: Vec::new() };
        for (point, outcome) in points.iter().zip(outcomes) {
            let (Some(values), Some(violations)) = (outcome.all_objectives(), outcome.violations(spec)) else {
                continue;
            };
            measured.places.push(space::place(&spec.space, point));
            measured.gains.push(pareto::gains(spec, &values));
            measured.is_feasible.push(outcome.is_feasible);
            measured.violations.push(violations);
        }
        (!measured.places.is_empty()).then_some(measured)
    }

    /// Objectives, with the worst that was measured for points that break a limit.
    fn penalized(&self) -> Vec<Vec<f64>> {
        let objectives = self.gains.first().map_or(0, Vec::len);
        let worst: Vec<f64> = (0..objectives)
            .map(|index| self.gains.iter().map(|gains| gains[index]).fold(f64::INFINITY, f64::min))
            .collect();
        let one = |(gains, feasible): (&Vec<f64>, &bool)| if *feasible { gains.clone() } else { worst.clone() };
        self.gains.iter().zip(&self.is_feasible).map(one).collect()
    }

    /// The indices of points from the best to the worst: feasible ones by their front, then the others by their violations.
    fn order(&self) -> Vec<usize> {
        let ranks = pareto::ranks(&self.gains);
        let violation = |index: usize| self.violations[index].iter().map(|value| value.max(0.0)).sum::<f64>();
        let mut order: Vec<usize> = (0..self.gains.len()).collect();
        order.sort_by(|a, b| {
            let feasible = self.is_feasible[*b].cmp(&self.is_feasible[*a]);
            let within = if self.is_feasible[*a] {
                ranks[*a].cmp(&ranks[*b]).then(self.gains[*b][0].total_cmp(&self.gains[*a][0]))
            } else {
                violation(*a).total_cmp(&violation(*b))
            };
            feasible.then(within)
        });
        order
    }
}
