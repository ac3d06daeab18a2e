//! The runs of a sweep: each sets some values of the file to others.

mod adaptive_search;
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
pub(crate) mod sla_filters;
mod sobol;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub(crate) use path::whole_path;
pub(crate) use section::{SweepSection, SweepSettings};

use crate::FileError;
use crate::yaml::Node;

/// The run in which these paths have these values.
pub(crate) fn variation_at(root: &Node, values: &Map<String, Value>) -> Result<Variation, FileError> {
    let mut root = root.clone();
    for (path, value) in values {
        let position = root.position;
        path::set(&mut root, path, value, position)?;
    }
    Ok(Variation { index: 0, dir_name: String::new(), label: name::label(values), values: values.clone(), root })
}

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
