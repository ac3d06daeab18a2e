//! Finds the files of a split of a data set. A repository lists them in the head of its README or names them by split; for
//! all others the hub has a Parquet conversion on a separate branch.

mod card;
mod pattern;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use card::CardConfig;
use pattern::{matches, split_of};

use crate::HubError;
use crate::hub::Hub;
use crate::identity::{FilePath, RepositoryId, Revision};
use crate::listing::{Listing, RemoteFile};

/// The formats that can be read row by row.
const READABLE: [&str; 4] = ["parquet", "jsonl", "ndjson", "json"];
/// The branch with the hub's own Parquet conversion.
const CONVERTED: &str = "refs/convert/parquet";
/// A longer README is not read.
const MOST_CARD_BYTES: u64 = 16 << 20;

impl Hub {
    /// The files of a split in their order; at least one.
    pub fn data_files(
        &self,
        id: &RepositoryId,
        revision: &Revision,
        subset: Option<&str>,
        split: &str,
    ) -> Result<Vec<RemoteFile>, HubError> {
        let listing = self.list(id, revision)?;
        let configs = self.card(&listing)?;
        let own = if configs.is_empty() {
            by_name(&listing, subset, split)
        } else {
            match config(&configs, subset) {
                Some(config) => by_card(&listing, config, split),
                None => Vec::new(),
            }
        };
        if !own.is_empty() && own.iter().all(is_readable) {
            return Ok(own);
        }
        match self.list(id, &Revision::parse(CONVERTED)?) {
            Ok(converted) => converted_files(&converted, id, subset, split),
            // There is no conversion, so the error is about the repository itself.
            Err(_) if !own.is_empty() || !configs.is_empty() || self.environment.offline => {
                Err(missing(id, &listing, &configs, subset, split))
            }
            Err(error) => Err(error),
        }
    }

    fn card(&self, listing: &Listing) -> Result<Vec<CardConfig>, HubError> {
        let readme = listing.files.iter().find(|file| file.path.as_str() == "README.md");
        let Some(readme) = readme.filter(|file| file.size.unwrap_or(0) <= MOST_CARD_BYTES) else {
            return Ok(Vec::new());
        };
        let text = std::fs::read(self.fetch(readme)?).map_err(|error| self.cache_error(&error))?;
        Ok(card::configs(&String::from_utf8_lossy(&text)))
    }
}

/// The files of a split in a folder that is a copy of a repository; none if there are none.
pub fn local_data_files(folder: &Path, subset: Option<&str>, split: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    collect(folder, "", &mut paths)?;
    paths.sort();
    let unnamed = || Ok::<_, HubError>((RepositoryId::dataset("local")?, Revision::parse("local")?));
    let (id, commit) = unnamed().map_err(io::Error::other)?;
    let file = |path: &String| {
        let path = FilePath::parse(path).ok()?;
        Some(RemoteFile { path, size: None, id: id.clone(), commit: commit.clone() })
    };
    let listing = Listing { files: paths.iter().filter_map(file).collect() };
    let readme = std::fs::read(folder.join("README.md")).unwrap_or_default();
    let configs = card::configs(&String::from_utf8_lossy(&readme));
    let mut found = match config(&configs, subset) {
        Some(config) => by_card(&listing, config, split),
        None => Vec::new(),
    };
    if found.is_empty() {
        found = by_name(&listing, subset, split);
    }
    Ok(found.into_iter().map(|file| folder.join(file.path.as_str())).collect())
}

/// The paths of all files, from the folder, without hidden ones.
fn collect(folder: &Path, below: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if name.starts_with('.') {
            continue;
        }
        if entry.path().is_dir() {
            collect(folder, &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

fn is_readable(file: &RemoteFile) -> bool {
    READABLE.contains(&file.path.extension().as_str())
}

fn config<'c>(configs: &'c [CardConfig], subset: Option<&str>) -> Option<&'c CardConfig> {
    match subset {
        Some(subset) => configs.iter().find(|config| config.name == subset),
        None => match configs {
            [only] => Some(only),
            several => several
                .iter()
                .find(|config| config.is_default)
                .or_else(|| several.iter().find(|config| config.name == "default")),
        },
    }
}

fn by_card(listing: &Listing, config: &CardConfig, split: &str) -> Vec<RemoteFile> {
    let patterns: Vec<&str> = config.patterns(split).collect();
    let named = |file: &&RemoteFile| patterns.iter().any(|pattern| matches(pattern, file.path.as_str()));
    listing.files.iter().filter(named).cloned().collect()
}

/// Finds files by names such as `main/test-00000-of-00001.parquet`. Files whose names contain no split are the train split.
fn by_name(listing: &Listing, subset: Option<&str>, split: &str) -> Vec<RemoteFile> {
    let in_subset = |path: &FilePath| {
        let mut folders: Vec<&str> = path.as_str().split('/').collect();
        folders.pop();
        subset.is_none_or(|subset| folders.contains(&subset))
    };
    let data: Vec<&RemoteFile> =
        listing.files.iter().filter(|file| is_readable(file) && in_subset(&file.path)).collect();
    let wanted = pattern::canonical(split);
    let of_split = |file: &&&RemoteFile| split_of(file.path.as_str()) == Some(wanted);
    let mut named: Vec<RemoteFile> = data.iter().filter(of_split).copied().cloned().collect();
    // A repository that has both `dev` and `validation` means different rows by them.
    if named.iter().any(|file| pattern::names_split(file.path.as_str(), split)) {
        named.retain(|file| pattern::names_split(file.path.as_str(), split));
    }
    let anonymous = data.iter().all(|file| split_of(file.path.as_str()).is_none());
    if named.is_empty() && anonymous && wanted == "train" { data.into_iter().cloned().collect() } else { named }
}

/// Finds converted files: `SUBSET/SPLIT/0000.parquet`. Very large sets are converted in part.
fn converted_files(
    listing: &Listing,
    id: &RepositoryId,
    subset: Option<&str>,
    split: &str,
) -> Result<Vec<RemoteFile>, HubError> {
    let parts = |file: &RemoteFile| -> Option<(String, String)> {
        let mut parts = file.path.as_str().split('/');
        let (subset, split, name) = (parts.next()?, parts.next()?, parts.next()?);
        let split = split.strip_prefix("partial-").unwrap_or(split);
        name.ends_with(".parquet").then(|| (subset.to_owned(), split.to_owned()))
    };
    let subsets: BTreeSet<String> = listing.files.iter().filter_map(|file| Some(parts(file)?.0)).collect();
    let known = || subsets.iter().cloned().collect::<Vec<_>>().join(", ");
    let repository = id.to_string();
    let chosen = match subset {
        Some(subset) if subsets.contains(subset) => subset.to_owned(),
        Some(subset) => return Err(HubError::NoSuchSubset { repository, subset: subset.to_owned(), known: known() }),
        None if subsets.contains("default") => "default".to_owned(),
        None => match subsets.iter().collect::<Vec<_>>()[..] {
            [only] => only.clone(),
            _ => return Err(HubError::SubsetNeeded { repository, known: known() }),
        },
    };
    let of = |file: &&RemoteFile| parts(file).is_some_and(|part| part == (chosen.clone(), split.to_owned()));
    let files: Vec<RemoteFile> = listing.files.iter().filter(of).cloned().collect();
    if files.is_empty() {
        let splits: BTreeSet<String> = listing.files.iter().filter_map(|file| Some(parts(file)?.1)).collect();
        let known = format!("; it has {}", splits.into_iter().collect::<Vec<_>>().join(", "));
        return Err(HubError::NoSuchSplit { repository, split: split.to_owned(), known });
    }
    Ok(files)
}

fn missing(
    id: &RepositoryId,
    listing: &Listing,
    configs: &[CardConfig],
    subset: Option<&str>,
    split: &str,
) -> HubError {
    let repository = id.to_string();
    let known = configs.iter().map(|config| config.name.as_str()).collect::<Vec<_>>().join(", ");
    match (config(configs, subset), subset) {
        (None, Some(subset)) if !configs.is_empty() => {
            HubError::NoSuchSubset { repository, subset: subset.to_owned(), known }
        }
        (None, None) if !configs.is_empty() => HubError::SubsetNeeded { repository, known },
        _ => {
            let files = listing.files.iter().take(8).map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
            let known = format!(" in a readable format, and the hub has no Parquet conversion; its files are {files}");
            HubError::NoSuchSplit { repository, split: split.to_owned(), known }
        }
    }
}
