//! Runs that a command line of GenAI-Perf asks for, each as a command line of `aiperf profile`.

use std::path::PathBuf;

/// Runs in order.
#[derive(Debug, PartialEq)]
pub struct PlannedRuns {
    pub runs: Vec<PlannedRun>,
    /// Folder of the checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// The table of all runs, where it is wanted.
    pub table: Option<PathBuf>,
}

/// A run as it is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    pub name: String,
    pub model: String,
    /// The kind of load and its size.
    pub stimulus: (String, f64),
    /// The command line of ours, program name included.
    pub words: Vec<String>,
    /// Our names of options, and those that were typed for them.
    pub renamed: Vec<(&'static str, String)>,
}

impl PlannedRun {
    /// The value that an option has among the words.
    pub fn value(&self, option: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('='))
    }

    /// What was typed for an option of ours.
    pub fn typed(&self, ours: &str) -> Option<String> {
        self.renamed.iter().find(|(known, _)| *known == ours).map(|(_, typed)| typed.clone())
    }

    /// A warning that begins with an option of ours begins with the typed one instead.
    pub fn name_what_was_typed(&self, warning: &mut String) {
        let (ours, rest) = warning.split_once(' ').unwrap_or((warning, ""));
        if let Some(typed) = self.typed(ours) {
            *warning = format!("{typed} {rest}");
        }
    }
}
