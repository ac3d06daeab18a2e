//! All packs that a command uses: those of the user's folder, then those of the folders of `--plugin-dir`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{Extensions, PluginGrader, PluginProcess, same_name};
use aiperf_plot::AddedPreset;
use thiserror::Error;

use crate::pack::{EntryContent, Pack, PackEntry};
use crate::pack_grader::PackGrader;
use crate::process::ProcessLoaders;

/// The packs of this process, and what is wrong with those that could not be read.
#[derive(Debug, Default)]
pub struct PackSet {
    pub packs: Vec<Pack>,
    /// One line for each pack or entry that is left out, and why.
    pub problems: Vec<String>,
    folders: Vec<String>,
}

/// Why a folder of `--plugin-dir` cannot be used.
#[derive(Debug, Error)]
#[error("--plugin-dir {folder}: {reason}; name a folder with plugin packs (*.yaml, or */plugin.yaml)")]
pub struct PluginFolderError {
    folder: String,
    reason: String,
}

/// The folder for packs that every command uses.
pub fn user_folder(variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let base = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let base = base.or_else(|| set("HOME").map(|home| Path::new(home).join(".config")))?;
    Some(base.join("aiperf").join("plugins"))
}

impl PackSet {
    /// Reads all packs. Only a folder that was named and is not there is an error.
    pub fn load(user: Option<&Path>, named: &[String]) -> Result<Self, PluginFolderError> {
        let mut set = Self { folders: named.to_vec(), ..Self::default() };
        if let Some(folder) = user.filter(|folder| folder.is_dir()) {
            match pack_files(folder) {
                Ok(files) => set.read(&files),
                Err(reason) => set.problems.push(format!("{}: {reason}", folder.display())),
            }
        }
        for folder in named {
            let files =
                pack_files(Path::new(folder)).map_err(|reason| PluginFolderError { folder: folder.clone(), reason })?;
            if files.is_empty() {
                let reason = "it has no plugin pack".to_owned();
                return Err(PluginFolderError { folder: folder.clone(), reason });
            }
            set.read(&files);
        }
        Ok(set)
    }

    fn read(&mut self, files: &[PathBuf]) {
        for file in files {
            match Pack::load(file) {
                Ok(pack) => self.add(pack),
                Err(error) => self.problems.push(error.to_string()),
            }
        }
    }

    /// Adds a pack, without the entries that an earlier pack has.
    fn add(&mut self, mut pack: Pack) {
        let (packs, problems) = (&self.packs, &mut self.problems);
        pack.entries.retain(|entry| {
            let is_same =
                |other: &PackEntry| other.category.name == entry.category.name && same_name(&other.name, &entry.name);
            let Some(first) = packs.iter().find(|pack| pack.entries.iter().any(is_same)) else { return true };
            problems.push(format!(
                "{}: {}.{} is left out: {} has an entry with this name",
                pack.path.display(),
                entry.category.name,
                entry.name,
                first.path.display()
            ));
            false
        });
        self.packs.push(pack);
    }

    /// All entries, each with its pack.
    pub fn entries(&self) -> impl Iterator<Item = (&Pack, &PackEntry)> {
        self.packs.iter().flat_map(|pack| pack.entries.iter().map(move |entry| (pack, entry)))
    }

    /// The presets for `aiperf plot`.
    pub fn plots(&self) -> Vec<AddedPreset> {
        let plot =
            |entry: &PackEntry| if let EntryContent::Plot(plot) = &entry.content { Some(plot.clone()) } else { None };
        self.entries().filter_map(|(_, entry)| plot(entry)).collect()
    }

    /// What the options of a run can name. `rows` is the folder for the rows of loaders.
    pub fn extensions(&self, rows: &Path) -> Extensions {
        let mut extensions = Extensions { folders: self.folders.clone(), ..Extensions::default() };
        for (_, entry) in self.entries() {
            if let Some(grader) = PackGrader::of(entry) {
                extensions.graders.push(PluginGrader(Arc::new(grader)));
            }
            match &entry.content {
                EntryContent::Endpoint(kind) => extensions.endpoints.push(*kind),
                EntryContent::PublicSet(set) => extensions.public_sets.push(set),
                EntryContent::Recipe(recipe) => extensions.recipes.push(recipe.clone()),
                EntryContent::SloSet(limits) => extensions.slo_sets.push((entry.name.clone(), limits.clone())),
                EntryContent::Process(command) => extensions.processes.push(PluginProcess {
                    category: entry.category.name,
                    name: entry.name.clone(),
                    command: command.clone(),
                }),
                EntryContent::Plot(_) | EntryContent::Grader(_) => {}
            }
        }
        let loaders = extensions.processes_of("custom_dataset_loader");
        let loaders: Vec<_> = loaders.map(|loader| (loader.name.clone(), loader.command.clone())).collect();
        if !loaders.is_empty() {
            extensions.loaders = Some(Arc::new(ProcessLoaders::new(loaders, rows.to_owned())));
        }
        extensions
    }
}

/// The pack files of a folder, sorted: its YAML files, and `plugin.yaml` in the folders below it.
fn pack_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if path.is_dir() {
            files.extend(
                ["plugin.yaml", "plugin.yml"].map(|name| path.join(name)).into_iter().find(|file| file.is_file()),
            );
        } else if is_yaml {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
