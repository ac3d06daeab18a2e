//! Saves the charts of a page to a preset file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aiperf_plot::{ConfigOrigin, PresetDocument, RunMode, WrittenPreset};
use serde::Deserialize;

use crate::board::{Board, BoardPresets};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaveRequest {
    is_single: bool,
    plots: BTreeMap<String, WrittenPreset>,
    /// Charts that are shown, in this order.
    defaults: Vec<String>,
    /// Charts that take the whole width.
    wide: Vec<String>,
    /// One of the files that the board offers.
    target: PathBuf,
    /// What the page has read before it was changed.
    revision: String,
}

/// Why nothing was saved.
#[derive(Debug)]
pub(crate) enum SaveProblem {
    /// The request makes no sense.
    Wrong(String),
    /// Somebody else has changed the presets.
    Changed,
    Failed(String),
}

impl SaveRequest {
    pub(crate) fn save(self, board: &Board) -> Result<PathBuf, SaveProblem> {
        let before = board.presets();
        if self.revision != before.revision {
            return Err(SaveProblem::Changed);
        }
        if let Some(problem) = board.problem() {
            return Err(SaveProblem::Failed(format!(
                "the preset file has a mistake that must be corrected first: {problem}"
            )));
        }
        if !board.save_targets().contains(&self.target) {
            return Err(SaveProblem::Wrong(format!("{} is not a file of this board", self.target.display())));
        }
        let mode = if self.is_single { RunMode::Single } else { RunMode::Multi };
        let mut document = before.document.clone();
        let is_other =
            |name: &String| !self.plots.contains_key(name) && !before.document.plots(mode).contains_key(name);
        let others = before.document.dashboard.wide.iter().filter(|name| is_other(name)).cloned();
        document.dashboard.wide =
            others.chain(self.wide.iter().filter(|name| self.plots.contains_key(*name)).cloned()).collect();
        document.set(mode, self.plots, self.defaults);
        let failed = |error: io::Error| SaveProblem::Failed(format!("{}: {error}", self.target.display()));
        let old = match fs::read_to_string(&self.target) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        // A preset file of another place must not lose what the board does not show.
        let own = matches!(&before.origin, ConfigOrigin::File(path) if *path == self.target);
        let base = if own { old.as_deref() } else { None };
        let text = document.text(base);
        let presets = PresetDocument::parse(&text)
            .and_then(|document| BoardPresets::new(ConfigOrigin::File(self.target.clone()), document))
            .map_err(SaveProblem::Wrong)?;
        if let (false, Some(old)) = (own, &old) {
            let spare = self.target.with_extension("yaml.old");
            fs::write(&spare, old).map_err(failed)?;
        }
        replace(&self.target, &text).map_err(failed)?;
        board.set_presets(presets);
        Ok(self.target)
    }
}

/// Readers see the old text or the new one, never a part.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A link stays a link: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let new = path.with_extension("yaml.new");
    fs::write(&new, text)?;
    fs::rename(&new, &path)
}
