//! Sweeps that sample a space: the dimensions, and how a point of the unit cube becomes values.

use serde_json::{Map, Number, Value};

use super::sobol::MAX_DIMENSIONS;
use super::{Variation, name, path};
use crate::FileError;
use crate::body::unknown_key;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

/// Fewest and most points of a sample.
const SAMPLES: std::ops::RangeInclusive<i64> = 2..=1 << 20;

/// The fields of a sampling sweep.
#[derive(Debug, Clone)]
pub(super) struct Sampling {
    pub(super) samples: usize,
    pub(super) seed: Option<u64>,
    dimensions: Vec<Dimension>,
    /// Whether Sobol points are scrambled.
    pub(super) scramble: bool,
    pub(super) optimization: Optimization,
    label: LabelFormat,
    node: Node,
}

/// What makes the points of a Latin hypercube spread better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Optimization {
    None,
    RandomCd,
    Lloyd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelFormat {
    Index,
    KeyValue,
}

#[derive(Debug, Clone)]
struct Dimension {
    path: String,
    values: Values,
}

#[derive(Debug, Clone)]
enum Values {
    Choices(Vec<Value>),
    Range { lo: f64, hi: f64, is_log: bool, is_whole: bool },
}

impl Sampling {
    pub(super) fn read(node: &Node) -> Result<Self, FileError> {
        let field = |name: &str| node.entries().iter().find(|entry| snake(&entry.key) == name);
        let wrong = |name: &str, problem: String| {
            let position = field(name).map_or(node.position, |entry| entry.value.position);
            FileError::at(position, format!("sweep.{name}"), problem)
        };
        let whole = |name: &str| match field(name).map(|entry| &entry.value.value) {
            None | Some(NodeValue::Null) => Ok(None),
            Some(NodeValue::Int(value)) => Ok(Some(*value)),
            Some(_) => Err(wrong(name, "must be a whole number".to_owned())),
        };
        let samples = whole("samples")?.filter(|samples| SAMPLES.contains(samples));
        let samples = samples.ok_or_else(|| {
            wrong("samples", format!("must be a whole number from {} to {}", SAMPLES.start(), SAMPLES.end()))
        })?;
        let seed = whole("seed")?.map(u64::try_from).transpose();
        let seed = seed.map_err(|_| wrong("seed", "must not be negative".to_owned()))?;
        let word = |name: &str| field(name).and_then(|entry| entry.value.word());
        let optimization = match word("optimization").as_deref() {
            None => Optimization::None,
            Some("random-cd") => Optimization::RandomCd,
            Some("lloyd") => Optimization::Lloyd,
            Some(other) => {
                return Err(wrong("optimization", format!("{other:?} is not known; choose random-cd, lloyd or null")));
            }
        };
        let label = match word("label_format").as_deref() {
            None | Some("index") => LabelFormat::Index,
            Some("kv") => LabelFormat::KeyValue,
            Some(other) => return Err(wrong("labelFormat", format!("{other:?} is not known; choose index or kv"))),
        };
        let scramble = match word("scramble").as_deref() {
            None | Some("true") => true,
            Some("false") => false,
            Some(other) => return Err(wrong("scramble", format!("must be true or false, not {other:?}"))),
        };
        let NodeValue::List(items) = field("dimensions").map_or(&NodeValue::Null, |entry| &entry.value.value) else {
            return Err(wrong("dimensions", "must be a list of {path, lo, hi} or {path, choices}".to_owned()));
        };
        let mut dimensions: Vec<Dimension> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let dimension = Dimension::read(item, index)?;
            if dimensions.iter().any(|other| other.path == dimension.path) {
                return Err(wrong("dimensions", format!("{} is swept twice", dimension.path)));
            }
            dimensions.push(dimension);
        }
        if dimensions.is_empty() || dimensions.len() > MAX_DIMENSIONS {
            return Err(wrong(
                "dimensions",
                format!("must have 1 to {MAX_DIMENSIONS} entries, not {}", dimensions.len()),
            ));
        }
        Ok(Self { samples: samples as usize, seed, dimensions, scramble, optimization, label, node: node.clone() })
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions.len()
    }
}

impl Dimension {
    fn read(node: &Node, index: usize) -> Result<Self, FileError> {
        let at = format!("sweep.dimensions[{index}]");
        let wrong = |problem: &str| FileError::at(node.position, at.as_str(), problem);
        for entry in node.entries() {
            let known = ["path", "lo", "hi", "scale", "kind", "choices"];
            if !known.contains(&entry.key.as_str()) {
                return Err(unknown_key(entry, &format!("{at}.{}", entry.key), known.into_iter()));
            }
        }
        let word = |key: &str| node.get(key).and_then(Node::word);
        let path = path::whole(&word("path").ok_or_else(|| wrong("needs a path"))?, node.position)?;
        if let Some(choices) = node.get("choices") {
            let NodeValue::List(items) = &choices.value else { return Err(wrong("choices must be a list of values")) };
            if items.is_empty() || node.get("lo").is_some() || node.get("hi").is_some() {
                return Err(wrong("needs either choices, or lo and hi"));
            }
            return Ok(Self { path, values: Values::Choices(items.iter().map(Node::to_json).collect()) });
        }
        let number = |key: &str| match node.get(key).map(|node| &node.value) {
            Some(NodeValue::Int(value)) => Some(*value as f64),
            Some(NodeValue::Float(value)) => Some(*value),
            _ => None,
        };
        let (Some(lo), Some(hi)) = (number("lo"), number("hi")) else {
            return Err(wrong("needs numbers lo and hi, or choices"));
        };
        let is_log = match word("scale").as_deref() {
            None | Some("linear") => false,
            Some("log") => true,
            Some(_) => return Err(wrong("scale must be linear or log")),
        };
        let is_whole = match word("kind").as_deref() {
            None | Some("real") => false,
            Some("int") => true,
            Some(_) => return Err(wrong("kind must be real or int")),
        };
        if !(lo.is_finite() && hi.is_finite() && lo < hi) {
            return Err(wrong("lo must be below hi"));
        }
        if is_log && lo <= 0.0 {
            return Err(wrong("lo must be above 0 on a log scale"));
        }
        Ok(Self { path, values: Values::Range { lo, hi, is_log, is_whole } })
    }

    /// The value at a place between 0 and 1.
    fn at(&self, place: f64) -> Value {
        match &self.values {
            Values::Choices(choices) => {
                let index = ((place * choices.len() as f64) as usize).min(choices.len() - 1);
                choices[index].clone()
            }
            Values::Range { lo, hi, is_log, is_whole } => {
                let value =
                    if *is_log { (lo.ln() + place * (hi.ln() - lo.ln())).exp() } else { lo + place * (hi - lo) };
                if *is_whole {
                    return Value::from(value.round_ties_even().clamp(*lo, *hi) as i64);
                }
                Number::from_f64(value).map_or(Value::Null, Value::Number)
            }
        }
    }
}

/// The runs at these points of the unit cube.
pub(super) fn variations(
    root: &Node,
    sampling: &Sampling,
    prefix: &str,
    points: fn(&Sampling) -> Vec<Vec<f64>>,
) -> Result<Vec<Variation>, FileError> {
    let vary = |(index, point): (usize, Vec<f64>)| {
        let places = sampling.dimensions.iter().zip(&point);
        let values: Map<String, Value> =
            places.map(|(dimension, place)| (dimension.path.clone(), dimension.at(*place))).collect();
        let mut root = root.clone();
        for (path, value) in &values {
            path::set(&mut root, path, value, sampling.node.position)?;
        }
        let label = match sampling.label {
            LabelFormat::Index => format!("{prefix}_{index:04}"),
            LabelFormat::KeyValue => name::label(&values),
        };
        Ok(Variation { index, dir_name: name::folder(&values, index), label, values, root })
    };
    points(sampling).into_iter().enumerate().map(vary).collect()
}
