//! What plugin packs add to the names that options accept. The packs are read by `aiperf-plugin`; options and runs know only this.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aiperf_grading::AnswerGrader;
use aiperf_protocol::EndpointKind;

use crate::{FileFormat, PublicSet};

/// Everything that the packs of this process add.
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    /// The folders of `--plugin-dir`, as they were typed.
    pub folders: Vec<String>,
    /// Declared endpoint types, for `--endpoint-type`.
    pub endpoints: Vec<EndpointKind>,
    /// For `--public-dataset`.
    pub public_sets: Vec<&'static PublicSet>,
    /// For `--search-recipe`.
    pub recipes: Vec<OptionSet>,
    /// For `--goodput`: a name and the limits that it stands for.
    pub slo_sets: Vec<(String, String)>,
    /// For `--accuracy-grader`.
    pub graders: Vec<PluginGrader>,
    /// Programs of all categories.
    pub processes: Vec<PluginProcess>,
    /// For `--custom-dataset-type`.
    pub loaders: Option<Arc<dyn DataLoaders>>,
}

/// Options that have a name together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionSet {
    pub name: String,
    /// Names without dashes, and values.
    pub options: Vec<(String, Vec<String>)>,
}

/// A program of a plugin pack, which speaks JSON Lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginProcess {
    pub category: &'static str,
    pub name: String,
    pub command: ProcessCommand,
}

/// How a program of a plugin pack is started, and its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessCommand {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// The folder of the pack, in which the program runs.
    pub folder: PathBuf,
    /// Time limit for each answer.
    pub timeout: Duration,
    pub max_line_bytes: usize,
    pub max_output_mb: usize,
    pub max_memory_mb: usize,
    /// How often a program that ended is started again.
    pub restarts: usize,
}

/// A grader of a plugin pack, which is started when a run needs it.
pub trait GraderSource: Debug + Send + Sync {
    fn name(&self) -> &str;

    /// Makes the grader, and checks that it can work; else says why not.
    fn start(&self) -> Result<Box<dyn AnswerGrader>, String>;
}

/// A grader of a plugin pack. Two of them are equal if they have the same name: a pack set has no name twice.
#[derive(Debug, Clone)]
pub struct PluginGrader(pub Arc<dyn GraderSource>);

impl PartialEq for PluginGrader {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for PluginGrader {}

/// Programs that make data sets.
pub trait DataLoaders: Debug + Send + Sync {
    /// Their names.
    fn names(&self) -> Vec<String>;

    /// Has one of them write its rows to a file. `input` is the value of `--input-file`.
    fn load(&self, name: &str, input: Option<&str>) -> Result<LoadedRows, String>;
}

/// The rows of a loader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedRows {
    pub path: PathBuf,
    pub format: FileFormat,
}

impl Extensions {
    /// A declared endpoint type by its name.
    pub fn endpoint(&self, name: &str) -> Option<EndpointKind> {
        self.endpoints.iter().copied().find(|kind| same_name(kind.facts().name, name))
    }

    pub fn public_set(&self, name: &str) -> Option<&'static PublicSet> {
        self.public_sets.iter().copied().find(|set| same_name(set.name, name))
    }

    pub fn recipe(&self, name: &str) -> Option<&OptionSet> {
        self.recipes.iter().find(|recipe| same_name(&recipe.name, name))
    }

    /// The grader with this name.
    pub fn grader(&self, name: &str) -> Option<&PluginGrader> {
        self.graders.iter().find(|grader| same_name(grader.0.name(), name))
    }

    /// The programs of a category.
    pub fn processes_of(&self, category: &str) -> impl Iterator<Item = &PluginProcess> {
        self.processes.iter().filter(move |process| process.category == category)
    }

    /// The program of a category with this name.
    pub fn process(&self, category: &str, name: &str) -> Option<&PluginProcess> {
        self.processes_of(category).find(|process| same_name(&process.name, name))
    }

    /// The limits of a set of objectives.
    pub fn slo_set(&self, name: &str) -> Option<&str> {
        self.slo_sets.iter().find(|(known, _)| same_name(known, name)).map(|(_, limits)| limits.as_str())
    }

    /// The loader with this name, as it spells itself.
    pub fn loader(&self, name: &str) -> Option<(&dyn DataLoaders, String)> {
        let loaders = self.loaders.as_deref()?;
        let found = loaders.names().into_iter().find(|known| same_name(known, name))?;
        Some((loaders, found))
    }
}

/// Whether two names are the same: upper and lower case, `-` and `_` do not count.
pub fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    plain(one) == plain(other)
}
