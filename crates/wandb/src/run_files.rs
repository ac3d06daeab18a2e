//! The files of a benchmark within the folder of its offline run. They are linked, so that they take no room twice and the folder
//! can be moved to another machine before it is uploaded.

use std::fs;
use std::path::Path;

use crate::error::WandbError;

/// Folders of the artifact folder that do not belong to the run.
const NOT_OF_THE_RUN: [&str; 4] = ["previous", "wandb", "mlruns", "logs"];

/// Links the files of `from` into `to`; where links are not possible they are copied. Returns their paths relative to `to`.
pub(crate) fn link_files(from: &Path, to: &Path) -> Result<Vec<String>, WandbError> {
    let mut names = Vec::new();
    link_folder(from, to, "", &mut names)?;
    names.sort();
    Ok(names)
}

fn link_folder(from: &Path, to: &Path, prefix: &str, names: &mut Vec<String>) -> Result<(), WandbError> {
    for entry in fs::read_dir(from).map_err(WandbError::at(from))?.filter_map(Result::ok) {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
        // Hidden files are locks and marks for programs.
        if name.starts_with('.') {
            continue;
        }
        let there = to.join(&name);
        if kind.is_dir() && !(prefix.is_empty() && NOT_OF_THE_RUN.contains(&name.as_str())) {
            link_folder(&entry.path(), &there, &format!("{prefix}{name}/"), names)?;
        } else if kind.is_file() {
            fs::create_dir_all(to).map_err(WandbError::at(to))?;
            if fs::hard_link(entry.path(), &there).is_err() {
                fs::copy(entry.path(), &there).map_err(WandbError::at(&there))?;
            }
            names.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
