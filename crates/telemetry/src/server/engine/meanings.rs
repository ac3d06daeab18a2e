//! What the series of one endpoint mean for operators. A page may have several names for one metric, and one series may belong to
//! two metrics.

use super::aliases::{ALIASES, Part};
use super::{Engine, EngineMetric};
use crate::prometheus::{KnownSeries, PageReader, SampleRole, SeriesId};

/// A place in the list of aliases.
type Place = u16;

/// Grows with the series of the endpoint.
#[derive(Debug)]
pub(crate) struct Meanings {
    /// For each series the names that it goes by; empty for almost all.
    names: Vec<Box<[Place]>>,
    /// The name of each metric that counts: of all on the page the one that comes first in the list.
    chosen: [Option<Place>; EngineMetric::ALL.len()],
}

impl Default for Meanings {
    fn default() -> Self {
        Self { names: Vec::new(), chosen: [None; EngineMetric::ALL.len()] }
    }
}

impl Meanings {
    /// Takes in the next series of the endpoint.
    pub(crate) fn learn(&mut self, reader: &PageReader, series: &KnownSeries) {
        let family = &reader.families()[series.family.0 as usize].name;
        let names: Box<[Place]> = ALIASES
            .iter()
            .zip(0..)
            .filter(|(alias, _)| has_value(alias.part, &series.role) && alias.covers(family, &series.labels))
            .map(|(_, place)| place)
            .collect();
        for place in &names {
            let chosen = &mut self.chosen[ALIASES[usize::from(*place)].metric as usize];
            *chosen = Some(chosen.map_or(*place, |known| known.min(*place)));
        }
        self.names.push(names);
    }

    /// Passes over the next series of the endpoint, whose family no engine is known to have.
    pub(crate) fn skip(&mut self) {
        self.names.push(Box::default());
    }

    /// The engine that has a series of this name, if one is known.
    pub(crate) fn engines(&self, series: SeriesId) -> Option<Engine> {
        self.names[series.0 as usize].first().map(|place| ALIASES[usize::from(*place)].engine)
    }

    /// The metrics that this series is a part of.
    pub(crate) fn of(&self, series: SeriesId) -> impl Iterator<Item = EngineMetric> {
        let names = self.names[series.0 as usize].iter();
        names
            .map(|place| (ALIASES[usize::from(*place)].metric, *place))
            .filter(|(metric, place)| self.chosen[*metric as usize] == Some(*place))
            .map(|(metric, _)| metric)
    }
}

/// Whether a sample in this role is the value of a metric of this kind.
fn has_value(part: Part, role: &SampleRole) -> bool {
    match part {
        Part::Value => *role == SampleRole::Value,
        Part::Histogram | Part::Sum => *role == SampleRole::Sum,
    }
}
