//! Scenarios: files of YAML with a list of them each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::body::ScriptedBody;
use crate::command::Action;
use crate::expectation::Expectation;
use crate::step::ServerScript;

/// The secret that every run is given, and that must be in none of its files. `${key}` in a scenario stands for it.
pub(crate) const KEY: &str = "sk-lab-hush4711f00";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Unique; letters, digits and underscores.
    pub(crate) name: String,
    /// What is broken, for whoever reads the file.
    #[allow(dead_code)]
    pub(crate) about: String,
    /// Belongs to the fast subset.
    #[serde(default)]
    pub(crate) fast: bool,
    #[serde(default)]
    pub(crate) needs: Vec<Need>,
    /// Nothing else runs meanwhile: it takes much memory or measures time.
    #[serde(default)]
    pub(crate) alone: bool,
    #[serde(default)]
    pub(crate) server: ServerScript,
    /// A second server, at `${other}`.
    #[serde(default)]
    pub(crate) other: Option<ServerScript>,
    /// Files in the folder in which the program runs.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, ScriptedBody>,
    /// Size of a disk at `disk/`, as tmpfs takes it.
    #[serde(default)]
    pub(crate) disk: Option<String>,
    /// Options of the one run, in addition to the usual ones; `!--name` leaves a usual one out.
    #[serde(default)]
    pub(crate) flags: String,
    /// Expected result of the single run.
    #[serde(default)]
    pub(crate) expect: Option<Expectation>,
    /// Commands, instead of a single run.
    #[serde(default)]
    pub(crate) commands: Vec<Action>,
    /// The family, which is the name of the file.
    #[serde(skip)]
    pub(crate) family: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Need {
    /// The user may mount file systems.
    Mount,
}

/// All scenarios of a folder, in the order of the files and of their entries.
pub(crate) fn load(folder: &Path) -> anyhow::Result<Vec<Scenario>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = text.replace("${key}", KEY);
        let scenarios: Vec<Scenario> =
            serde_saphyr::from_str(&text).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let family = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for scenario in scenarios {
            if scenario.expect.is_some() != scenario.commands.is_empty() {
                bail!("{}: {}: give either `expect` or `commands`", path.display(), scenario.name);
            }
            all.push(Scenario { family: family.clone(), ..scenario });
        }
    }
    Ok(all)
}

/// The same name twice would make one of two failures look like the other.
pub(crate) fn check_names(scenarios: &[Scenario]) -> anyhow::Result<()> {
    let mut names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => bail!("two scenarios are named {}", pair[0]),
        None => Ok(()),
    }
}
