//! Where the configuration comes from.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::PresetDocument;
use super::file::BUILT_IN_YAML;
use crate::PlotError;

/// The file that a run leaves in its folder.
pub const FOLDER_CONFIG: &str = ".aiperf-plot-config.yaml";
/// The file of the user, below the home folder.
pub const USER_CONFIG: &str = ".aiperf/plot_config.yaml";

/// Which configuration is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigOrigin {
    File(PathBuf),
    BuiltIn,
}

/// The named file, or that of a given folder, or that of the user, or the built-in presets.
pub fn load_presets(
    named: Option<&Path>,
    folders: &[PathBuf],
    home: Option<&Path>,
) -> Result<(ConfigOrigin, PresetDocument), PlotError> {
    let of_folder = || folders.iter().map(|folder| folder.join(FOLDER_CONFIG)).find(|path| path.is_file());
    let of_user = || home.map(|home| home.join(USER_CONFIG)).filter(|path| path.is_file());
    let Some(path) = named.map(Path::to_owned).or_else(of_folder).or_else(of_user) else {
        let file = PresetDocument::parse(BUILT_IN_YAML);
        let file = file.map_err(|problem| PlotError::Config { file: "built in".to_owned(), problem })?;
        return Ok((ConfigOrigin::BuiltIn, file));
    };
    let text = fs::read_to_string(&path).map_err(|source| PlotError::Read { path: path.clone(), source })?;
    let file = PresetDocument::parse(&text).and_then(|document| document.clone().check().map(|_| document));
    let file = file.map_err(|problem| PlotError::Config { file: path.display().to_string(), problem })?;
    Ok((ConfigOrigin::File(path), file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_file_comes_before_those_of_folders_and_of_the_user() {
        let dir = tempfile::tempdir().unwrap();
        let (home, runs) = (dir.path().join("home"), dir.path().join("runs"));
        fs::create_dir_all(home.join(".aiperf")).unwrap();
        fs::create_dir_all(&runs).unwrap();
        let origin = |named: Option<&Path>| {
            load_presets(named, std::slice::from_ref(&runs), Some(&home)).map(|(origin, _)| origin)
        };
        assert_eq!(origin(None).unwrap(), ConfigOrigin::BuiltIn);
        fs::write(home.join(USER_CONFIG), BUILT_IN_YAML).unwrap();
        assert_eq!(origin(None).unwrap(), ConfigOrigin::File(home.join(USER_CONFIG)));
        fs::write(runs.join(FOLDER_CONFIG), BUILT_IN_YAML).unwrap();
        assert_eq!(origin(None).unwrap(), ConfigOrigin::File(runs.join(FOLDER_CONFIG)));
        let named = dir.path().join("mine.yaml");
        assert!(matches!(origin(Some(&named)), Err(PlotError::Read { .. })));
        fs::write(&named, "visualization: 5").unwrap();
        assert!(origin(Some(&named)).unwrap_err().to_string().contains("mine.yaml"));
    }
}
