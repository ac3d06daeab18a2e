//! The runs of a sweep: each sets some values of the file to others.

mod direction_numbers;
mod grid;
mod latin_hypercube;
mod name;
mod numpy_random;
mod path;
mod post_process;
mod sample;
mod scenarios;
mod section;
mod sla_filters;
mod sobol;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub(crate) use path::whole_path;
pub(crate) use section::SweepSection;

use crate::yaml::Node;

/// One run of a sweep, or the only one of a file without a sweep.
#[derive(Debug, Clone)]
pub struct Variation {
    pub index: usize,
    /// Name of its folder; empty without a sweep.
    pub dir_name: String,
    /// `base` without a sweep.
    pub label: String,
    /// What it sets, by path.
    pub values: Map<String, Value>,
    /// The file with these values.
    pub(crate) root: Node,
}
