//! Whether NVIDIA's Python package `aiperf` is in the environment that this program was installed into.

use std::fs;
use std::path::{Path, PathBuf};

/// pip writes down each package in a folder with this name: `aiperf-0.13.0.dist-info`.
const START: &str = "aiperf-";
const END: &str = ".dist-info";

/// Its version. `program`: the path of this program, in the folder for commands of the environment.
pub(crate) fn version_next_to(program: &Path) -> Option<String> {
    let environment = program.parent()?.parent()?;
    package_folders(environment).iter().flat_map(|folder| names_in(folder)).find_map(|name| {
        let version = name.strip_prefix(START)?.strip_suffix(END)?;
        Some(version.to_owned())
    })
}

/// Where an environment has its packages: `lib/python3.12/site-packages`; `dist-packages` in Debian, `Lib\site-packages` in Windows.
fn package_folders(environment: &Path) -> Vec<PathBuf> {
    let lib = environment.join("lib");
    let versions = names_in(&lib).into_iter().filter(|name| name.starts_with("python3")).map(|name| lib.join(name));
    let parents = versions.chain([environment.join("Lib")]);
    parents.flat_map(|parent| [parent.join("site-packages"), parent.join("dist-packages")]).collect()
}

/// Nothing for a folder that does not exist or cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_found_where_pip_writes_it_down() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("bin/aiperf-rs");
        assert_eq!(version_next_to(&program), None);
        let packages = root.path().join("lib/python3.12/site-packages");
        fs::create_dir_all(packages.join("aiperf_rs-0.1.0.dist-info")).unwrap();
        fs::create_dir_all(packages.join("aiperf")).unwrap();
        assert_eq!(version_next_to(&program), None);
        fs::create_dir_all(packages.join("aiperf-0.13.0.dist-info")).unwrap();
        assert_eq!(version_next_to(&program).as_deref(), Some("0.13.0"));
    }
}
