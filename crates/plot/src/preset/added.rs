//! A preset that does not stand in the configuration: plugin packs add them.

use super::document::{PresetDocument, WrittenPreset};
use crate::RunMode;

/// A preset with its name, for plots of one run or of several.
#[derive(Debug, Clone)]
pub struct AddedPreset {
    pub mode: RunMode,
    pub name: String,
    pub preset: WrittenPreset,
}

impl AddedPreset {
    /// Adds the preset to a configuration, unless that has one of the same name.
    pub fn add_to(&self, document: &mut PresetDocument) {
        let plots = match self.mode {
            RunMode::Single => &mut document.visualization.single_run_plots,
            RunMode::Multi => &mut document.visualization.multi_run_plots,
        };
        plots.entry(self.name.clone()).or_insert_with(|| self.preset.clone());
    }
}
