//! The lists of a search: its dimensions, objectives, constraints and tiers.

use aiperf_config::{ConstraintOp, OutcomeConstraint, SearchDimension, SearchObjective, SlaTier};

use super::super::path;
use super::super::sla_filters::{self, number};
use crate::FileError;
use crate::body::unknown_key;
use crate::names::snake;
use crate::yaml::{Entry, Node, NodeValue};

/// Statistics that may be optimized.
const STATS: [&str; 5] = ["avg", "p50", "p90", "p95", "p99"];

/// One entry of a list, with its keys checked.
struct CheckedItem<'a> {
    node: &'a Node,
    path: String,
}

impl<'a> CheckedItem<'a> {
    fn field(&self, name: &str) -> Option<&'a Node> {
        let entry = self.node.entries().iter().find(|entry| snake(&entry.key) == name)?;
        Some(&entry.value).filter(|node| node.value != NodeValue::Null)
    }

    fn wrong(&self, problem: impl Into<String>) -> FileError {
        FileError::at(self.node.position, self.path.as_str(), problem)
    }

    fn required(&self, name: &str) -> Result<&'a Node, FileError> {
        self.field(name).ok_or_else(|| self.wrong(format!("needs `{name}`")))
    }

    fn word(&self, name: &str) -> Result<String, FileError> {
        let node = self.required(name)?;
        node.word().ok_or_else(|| self.wrong(format!("{name} must be text, not {}", node.kind())))
    }

    fn number(&self, name: &str) -> Result<f64, FileError> {
        number(self.required(name)?, &format!("{}.{name}", self.path))
    }

    /// One of two words, the first of which is usual.
    fn is_second(&self, name: &str, words: [&str; 2]) -> Result<bool, FileError> {
        let Some(node) = self.field(name) else { return Ok(false) };
        let word = node.word().unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        match words.iter().position(|known| *known == word) {
            Some(place) => Ok(place == 1),
            None => Err(self.wrong(format!("{name} must be {} or {}, not {word:?}", words[0], words[1]))),
        }
    }
}

/// The items of a list, which have only these keys.
fn items<'a>(entry: &'a Entry, known: &'static [&'static str]) -> Result<Vec<CheckedItem<'a>>, FileError> {
    let path = format!("sweep.{}", entry.key);
    let NodeValue::List(nodes) = &entry.value.value else {
        return Err(FileError::at(entry.value.position, path, format!("must be a list of {{{}}}", known.join(", "))));
    };
    let mut items = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if !matches!(node.value, NodeValue::Map(_)) {
            return Err(FileError::at(node.position, path, format!("must be a map of {}", known.join(", "))));
        }
        for key in node.entries() {
            if !known.contains(&snake(&key.key).as_str()) {
                return Err(unknown_key(key, &format!("{path}.{}", key.key), known.iter().copied()));
            }
        }
        items.push(CheckedItem { node, path });
    }
    Ok(items)
}

fn at_least_one<T>(entry: &Entry, values: Vec<T>) -> Result<Vec<T>, FileError> {
    if values.is_empty() { Err(super::wrong(entry, "must not be empty".to_owned())) } else { Ok(values) }
}

pub(super) fn space(entry: &Entry) -> Result<Vec<SearchDimension>, FileError> {
    let dimension = |item: CheckedItem<'_>| {
        Ok(SearchDimension {
            path: path::whole(&item.word("path")?, item.node.position)?,
            lo: item.number("lo")?,
            hi: item.number("hi")?,
            is_whole: item.is_second("kind", ["real", "int"])?,
            is_log: item.is_second("prior", ["uniform", "log-uniform"])?,
        })
    };
    let items = items(entry, &["path", "lo", "hi", "kind", "prior"])?;
    at_least_one(entry, items.into_iter().map(dimension).collect::<Result<_, FileError>>()?)
}

pub(super) fn objectives(entry: &Entry) -> Result<Vec<SearchObjective>, FileError> {
    let items = items(entry, &["metric", "stat", "direction", "threshold"])?;
    let several = items.len() > 1;
    let objective = |item: CheckedItem<'_>| {
        let stat = if item.field("stat").is_some() { item.word("stat")? } else { "avg".to_owned() };
        if !STATS.contains(&stat.as_str()) {
            return Err(item.wrong(format!("stat must be one of {}, not {stat:?}", STATS.join(", "))));
        }
        item.required("direction")?;
        let threshold = item.field("threshold").map(|_| item.number("threshold")).transpose()?;
        if threshold.is_some() && !several {
            return Err(
                item.wrong("threshold is for several objectives: it is the corner of their front; leave it out")
            );
        }
        let maximize = !item.is_second("direction", ["maximize", "minimize"])?;
        Ok(SearchObjective { metric: item.word("metric")?, stat, maximize, threshold })
    };
    at_least_one(entry, items.into_iter().map(objective).collect::<Result<_, FileError>>()?)
}

pub(super) fn constraints(entry: &Entry) -> Result<Vec<OutcomeConstraint>, FileError> {
    let constraint = |item: CheckedItem<'_>| {
        let sign = item.word("op")?;
        let op = ConstraintOp::ALL.into_iter().find(|op| op.sign() == sign);
        let op = op.ok_or_else(|| item.wrong(format!("op must be \"<=\", \">=\" or \"==\", not {sign:?}")))?;
        Ok(OutcomeConstraint { metric: item.word("metric")?, op, bound: item.number("bound")? })
    };
    items(entry, &["metric", "op", "bound"])?.into_iter().map(constraint).collect()
}

/// Tiers in the order of their rank; those without one come in the order in which they stand.
pub(super) fn tiers(entry: &Entry) -> Result<Vec<SlaTier>, FileError> {
    let mut tiers = Vec::new();
    for (place, item) in items(entry, &["label", "filters", "ordering_rank"])?.into_iter().enumerate() {
        let label = if item.field("label").is_some() { item.word("label")? } else { format!("tier_{}", place + 1) };
        let filters = sla_filters::read(item.required("filters")?, &format!("{}.filters", item.path))?;
        if filters.is_empty() {
            return Err(item.wrong("filters must not be empty"));
        }
        let rank = item.field("ordering_rank").map(|_| item.number("ordering_rank")).transpose()?;
        tiers.push(SlaTier { label, filters, rank: rank.map_or(place as i64, |rank| rank as i64) });
    }
    tiers.sort_by_key(|tier| tier.rank);
    Ok(tiers)
}
