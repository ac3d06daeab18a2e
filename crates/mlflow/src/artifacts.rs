//! Which files of an artifact folder are uploaded, and where to.

use std::fs;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use crate::error::MlflowError;

/// Results, pictures and pages.
const USUAL: [&str; 9] = [
    "**/*.json",
    "**/*.csv",
    "**/*.jsonl",
    "**/*.parquet",
    "**/*.png",
    "**/*.svg",
    "**/*.jpg",
    "**/*.jpeg",
    "**/*.html",
];
/// Folders that do not belong to the run: earlier results, and what other exporters wrote.
const NOT_OF_THE_RUN: [&str; 3] = ["previous", "wandb", "mlruns"];
/// Folders nested deeper are not looked into.
const DEEPEST: usize = 8;

/// A file to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SelectedFile {
    pub(crate) path: PathBuf,
    /// Relative to the artifact folder, with `/`.
    pub(crate) name: String,
}

impl SelectedFile {
    /// Where it goes among the files of the MLflow run: plots apart from results.
    pub(crate) fn place(&self) -> String {
        if self.name.starts_with("plots/") { self.name.clone() } else { format!("exports/{}", self.name) }
    }
}

/// The files of a folder that match one of the patterns, or the usual ones without patterns.
pub(crate) fn select(folder: &Path, patterns: &[String]) -> Result<Vec<SelectedFile>, MlflowError> {
    let patterns: Vec<&str> =
        if patterns.is_empty() { USUAL.to_vec() } else { patterns.iter().map(String::as_str).collect() };
    let patterns = patterns.into_iter().map(|pattern| {
        Pattern::new(pattern)
            .map_err(|error| MlflowError::Pattern { pattern: pattern.to_owned(), reason: error.msg.to_owned() })
    });
    let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
    let mut files = Vec::new();
    walk(folder, "", 0, &mut files);
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        // `.aiperf_results_ready.json` and the like are for programs.
        require_literal_leading_dot: true,
    };
    files.retain(|file| patterns.iter().any(|pattern| pattern.matches_with(&file.name, options)));
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<SelectedFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        if kind.is_file() {
            files.push(SelectedFile { path: entry.path(), name: format!("{prefix}{name}") });
        } else if kind.is_dir() && depth < DEEPEST && !(depth == 0 && NOT_OF_THE_RUN.contains(&name.as_str())) {
            walk(&entry.path(), &format!("{prefix}{name}/"), depth + 1, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_files_and_plots_have_a_folder_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.json", "b.txt", ".hidden.json", "plots/c.png", "previous/1/a.json", "logs/aiperf.log"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let chosen = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            select(folder.path(), &patterns).unwrap().iter().map(SelectedFile::place).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&[]), ["exports/a.json", "plots/c.png"]);
        assert_eq!(chosen(&["*.txt", "logs/*"]), ["exports/b.txt", "exports/logs/aiperf.log"]);
        assert!(select(folder.path(), &["[".to_owned()]).is_err());
    }
}
