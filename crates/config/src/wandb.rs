//! The Weights & Biases run that a benchmark is stored in.

use serde_json::{Value, json};

use crate::section::Section;

/// A benchmark is written as an offline run of Weights & Biases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WandbConfig {
    pub project: String,
    /// `--wandb-entity`; `None`: the default of whoever uploads the run.
    pub entity: Option<String>,
    pub run_name: Option<String>,
    /// `--wandb-tag`, in the order given.
    pub tags: Vec<String>,
}

/// The section of the configuration that files show.
pub(crate) fn section(wandb: Option<&WandbConfig>) -> Value {
    let Some(wandb) = wandb else { return json!({}) };
    let mut section = Section::default();
    section.put("project", wandb.project.as_str());
    section.put_some("entity", wandb.entity.as_deref());
    section.put_some("run_name", wandb.run_name.as_deref());
    if !wandb.tags.is_empty() {
        section.put("tags", wandb.tags.clone());
    }
    section.finish()
}
