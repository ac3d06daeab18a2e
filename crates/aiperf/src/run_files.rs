//! Files that a run leaves in its folder before it begins: the configuration that repeats it, presets of its charts, and
//! files of the user's own.

use std::fs;
use std::path::{Path, PathBuf};

use aiperf_clock::{Mono, WallAnchor};
use aiperf_config::{Config, Experiment};
use aiperf_plot::{FOLDER_CONFIG, PresetDocument};
use aiperf_report::ArtifactPaths;
use serde_json::Value;

/// First line of preset files that come from a configuration file. Others belong to the user.
const FROM_CONFIG_FILE: &str = "# From `plot` of the configuration file of this run.";

/// What is written into the folder of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunFiles {
    /// The configuration file that repeats it; empty if there is none.
    config_file: String,
    plot_presets: Option<String>,
}

impl RunFiles {
    pub(crate) fn of(experiment: &Experiment) -> anyhow::Result<Self> {
        let plot_presets = experiment.plot_presets.as_ref().map(presets).transpose()?;
        Ok(Self { config_file: experiment.file.clone(), plot_presets })
    }

    /// Writes them. The run is not worth less without them, so that a failure is a warning.
    pub(crate) fn write(&self, dir: &Path) {
        if !self.config_file.is_empty() {
            write(&ArtifactPaths::new(dir, None).config_file(), &self.config_file);
        }
        let path = dir.join(FOLDER_CONFIG);
        match &self.plot_presets {
            Some(presets) => write(&path, &format!("{FROM_CONFIG_FILE}\n{presets}")),
            // Those of an earlier run would change the charts of this one.
            None if fs::read_to_string(&path).is_ok_and(|text| text.starts_with(FROM_CONFIG_FILE)) => {
                let _ = fs::remove_file(&path);
            }
            None => {}
        }
    }
}

/// The presets as a preset file, if they can be used.
pub(crate) fn presets(value: &Value) -> anyhow::Result<String> {
    let document: PresetDocument =
        serde_json::from_value(value.clone()).map_err(|error| anyhow::anyhow!("plot: {error}"))?;
    document.clone().check().map_err(|problem| anyhow::anyhow!("plot: {problem}"))?;
    Ok(document.text(None))
}

/// Writes the user's own files of a run.
pub(crate) fn write_user_files(config: &Config, dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let epoch = WallAnchor::take().epoch(Mono::now()).0 / 1_000_000_000;
    let mut written = Vec::new();
    for (path, text) in aiperf_config_file::user_files(config, dir, epoch)? {
        write(&path, &text);
        written.push(path);
    }
    Ok(written)
}

fn write(path: &Path, text: &str) {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    if let Err(error) = made.and_then(|()| fs::write(path, text)) {
        log::warn!("{} cannot be written: {error}", path.display());
    }
}
