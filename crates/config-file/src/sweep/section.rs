//! `sweep`: which runs there are, and what goes for all of them.

use aiperf_config::{PostProcess, SearchSpec, SearchTuning, SlaFilter, Sweep};
use aiperf_options::catalogue::OptionId;
use aiperf_options::{CAPACITY_RECIPE, RawOptions};
use serde_json::{Map, Value};

use super::sample::Sampling;
use super::{Variation, adaptive_search, grid, name, path, post_process, sample, scenarios, sla_filters};
use crate::FileError;
use crate::body::{duration_seconds, one_value, read_section, truth_value, unknown_key};
use crate::field::CAPACITY;
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

/// Most runs of one sweep.
const MAX_RUNS: usize = 1 << 20;

/// The kind of a sweep with its own fields.
#[derive(Debug, Clone)]
enum Kind {
    None,
    Grid(Node),
    Zip(Node),
    Scenarios(Node),
    Sobol(Sampling),
    LatinHypercube(Sampling),
    /// Read when the environment is known.
    AdaptiveSearch(Node),
    /// One run that searches for its load.
    Capacity(Node),
}

/// The section of a file, read.
#[derive(Debug, Clone)]
pub(crate) struct SweepSection {
    kind: Kind,
    pub(crate) common: SweepSettings,
}

/// What goes for all kinds of sweeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SweepSettings {
    /// Seconds between two cells.
    pub(crate) cooldown: Option<String>,
    pub(crate) iteration_order: Option<String>,
    pub(crate) same_seed: Option<bool>,
    pub(crate) sla_filters: Vec<SlaFilter>,
    pub(crate) post_process: Option<PostProcess>,
}

impl SweepSettings {
    /// Adds the options that these settings stand for.
    pub(crate) fn put_into(&self, options: &mut RawOptions, file: &str) {
        let mut put = |id: OptionId, field: &str, value: Option<String>| {
            if let Some(value) = value {
                options.set(id, format!("sweep.{field} ({file})"), vec![value]);
            }
        };
        put(OptionId::ParameterSweepCooldownSeconds, "cooldownSeconds", self.cooldown.clone());
        put(OptionId::ParameterSweepMode, "iterationOrder", self.iteration_order.clone());
        put(OptionId::ParameterSweepSameSeed, "sameSeed", self.same_seed.map(|on| on.to_string()));
    }

    /// Gives a sweep what no option stands for.
    pub(crate) fn complete(&self, sweep: Sweep) -> Sweep {
        Sweep { sla_filters: self.sla_filters.clone(), post_process: self.post_process.clone(), ..sweep }
    }
}

const COMMON: [&str; 7] =
    ["type", "cooldown_seconds", "iteration_order", "same_seed", "sla_filters", "post_process", "recipe_name"];

impl SweepSection {
    pub(crate) fn read(node: Option<&Node>) -> Result<Self, FileError> {
        let Some(node) = node else { return Ok(Self { kind: Kind::None, common: SweepSettings::default() }) };
        let wrong = |problem: String| FileError::at(node.position, "sweep", problem);
        if !matches!(node.value, NodeValue::Map(_)) {
            return Err(wrong(format!("must be a map of keys, not {}", node.kind())));
        }
        let Some(kind) = node.get("type").and_then(Node::word) else {
            return Err(wrong(
                "needs a type: grid, zip, scenarios, sobol, latin_hypercube, adaptive_search or capacity".to_owned(),
            ));
        };
        if kind == "capacity" {
            return Ok(Self { kind: Kind::Capacity(without_type(node)), common: SweepSettings::default() });
        }
        let own: &'static [&'static str] = match kind.as_str() {
            "grid" | "zip" => &["parameters"],
            "scenarios" => &["runs"],
            "sobol" => &["samples", "seed", "dimensions", "scramble", "label_format"],
            "latin_hypercube" => &["samples", "seed", "dimensions", "optimization", "label_format"],
            "adaptive_search" => &adaptive_search::FIELDS,
            other => {
                return Err(wrong(format!(
                    "{other:?} is not a type; choose grid, zip, scenarios, sobol, latin_hypercube, adaptive_search or capacity"
                )));
            }
        };
        let common = common(node, own)?;
        let field = |name: &str| {
            let found = node.entries().iter().find(|entry| snake(&entry.key) == name).map(|entry| entry.value.clone());
            found.ok_or_else(|| FileError::at(node.position, "sweep", format!("a {kind} sweep needs `{name}`")))
        };
        let kind = match kind.as_str() {
            "grid" => Kind::Grid(field("parameters")?),
            "zip" => Kind::Zip(field("parameters")?),
            "scenarios" => Kind::Scenarios(field("runs")?),
            "sobol" => Kind::Sobol(Sampling::read(node)?),
            "adaptive_search" => Kind::AdaptiveSearch(node.clone()),
            _ => Kind::LatinHypercube(Sampling::read(node)?),
        };
        Ok(Self { kind, common })
    }

    /// The name that the reference has for the kind; `None` without a sweep.
    pub(crate) const fn type_name(&self) -> Option<&'static str> {
        match self.kind {
            // A search for a capacity is one run.
            Kind::None | Kind::Capacity(_) => None,
            Kind::Grid(_) => Some("GridSweep"),
            Kind::Zip(_) => Some("ZipSweep"),
            Kind::Scenarios(_) => Some("ScenarioSweep"),
            Kind::Sobol(_) => Some("SobolSweep"),
            Kind::LatinHypercube(_) => Some("LatinHypercubeSweep"),
            Kind::AdaptiveSearch(_) => Some("AdaptiveSearchSweep"),
        }
    }

    /// The search, if it is one.
    pub(crate) fn search(&self, tuning: &SearchTuning) -> Result<Option<SearchSpec>, FileError> {
        match &self.kind {
            Kind::AdaptiveSearch(node) => adaptive_search::read(node, tuning).map(Some),
            _ => Ok(None),
        }
    }

    /// The options of a search for a capacity, if it is one; `file` is the name of the file.
    pub(crate) fn capacity(&self, file: &str) -> Result<Option<RawOptions>, FileError> {
        let Kind::Capacity(node) = &self.kind else { return Ok(None) };
        let mut options = read_section(file, node, "sweep", CAPACITY)?;
        options.set(OptionId::SearchRecipe, format!("sweep.type ({file})"), vec![CAPACITY_RECIPE.to_owned()]);
        Ok(Some(options))
    }

    pub(crate) fn variations(&self, root: &Node) -> Result<Vec<Variation>, FileError> {
        // Each variation has a copy of the file. The values of all others are not part of it.
        let root = &without_sweep(root);
        match &self.kind {
            // The points of a search are not known yet.
            Kind::None | Kind::AdaptiveSearch(_) | Kind::Capacity(_) => Ok(vec![Variation {
                index: 0,
                dir_name: String::new(),
                label: "base".to_owned(),
                values: Map::new(),
                root: root.clone(),
            }]),
            Kind::Grid(parameters) => named(root, grid::product(parameters, MAX_RUNS)?, parameters),
            Kind::Zip(parameters) => named(root, grid::zip(parameters)?, parameters),
            Kind::Scenarios(runs) => scenarios::variations(root, runs),
            Kind::Sobol(sampling) => sample::variations(root, sampling, "sobol", super::sobol::points),
            Kind::LatinHypercube(sampling) => {
                sample::variations(root, sampling, "latin_hypercube", super::latin_hypercube::points)
            }
        }
    }
}

/// The fields of a kind of its own.
fn without_type(node: &Node) -> Node {
    let others = node.entries().iter().filter(|entry| entry.key != "type").cloned().collect();
    Node { value: NodeValue::Map(others), position: node.position }
}

fn without_sweep(root: &Node) -> Node {
    let others = root.entries().iter().filter(|entry| entry.key != "sweep").cloned().collect();
    Node { value: NodeValue::Map(others), position: root.position }
}

/// Variations that are named after their values.
fn named(root: &Node, cells: Vec<Map<String, Value>>, parameters: &Node) -> Result<Vec<Variation>, FileError> {
    let position = parameters.position;
    let vary = |(index, values): (usize, Map<String, Value>)| {
        let mut root = root.clone();
        for (path, value) in &values {
            path::set(&mut root, path, value, position)?;
        }
        Ok(Variation { index, dir_name: name::folder(&values, index), label: name::label(&values), values, root })
    };
    cells.into_iter().enumerate().map(vary).collect()
}

fn common(node: &Node, own: &'static [&'static str]) -> Result<SweepSettings, FileError> {
    let mut settings = SweepSettings::default();
    for entry in node.entries() {
        let path = format!("sweep.{}", entry.key);
        let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
        match snake(&entry.key).as_str() {
            "cooldown_seconds" => settings.cooldown = Some(duration_seconds(&entry.value).map_err(wrong)?),
            "iteration_order" => settings.iteration_order = Some(one_value(&entry.value).map_err(wrong)?),
            "same_seed" => settings.same_seed = Some(truth_value(&entry.value).map_err(wrong)?),
            "sla_filters" => settings.sla_filters = sla_filters::read(&entry.value, &path)?,
            "type" | "recipe_name" | "post_process" => {}
            name if own.contains(&name) => {}
            _ => return Err(unknown_key(entry, &path, COMMON.iter().chain(own).copied())),
        }
    }
    // The limits of the sweep come first, wherever they stand.
    let post_process = node.entries().iter().find(|entry| snake(&entry.key) == "post_process");
    if let Some(entry) = post_process {
        settings.post_process = post_process::read(&entry.value, &settings.sla_filters)?;
    }
    Ok(settings)
}
