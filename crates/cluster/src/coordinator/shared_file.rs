//! Files that options name, stored on the bus under the hash of their content.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::ClusterError;
use crate::bus::Bus;
use crate::message::SharedFile;
use crate::names::FILES;

/// Stores a file, or all files of a folder; `named` is how an option names it.
pub fn share(bus: &dyn Bus, named: &str, path: &Path) -> Result<Vec<SharedFile>, ClusterError> {
    let mut files = Vec::new();
    if path.is_dir() {
        add_folder(bus, named, path, "", &mut files)?;
    } else {
        files.push(add_file(bus, named, String::new(), path)?);
    }
    Ok(files)
}

fn add_folder(
    bus: &dyn Bus,
    named: &str,
    folder: &Path,
    within: &str,
    files: &mut Vec<SharedFile>,
) -> Result<(), ClusterError> {
    let entries = fs::read_dir(folder).map_err(ClusterError::file(folder))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let inside = if within.is_empty() { name } else { format!("{within}/{name}") };
        if path.is_dir() {
            add_folder(bus, named, &path, &inside, files)?;
        } else {
            files.push(add_file(bus, named, inside, &path)?);
        }
    }
    Ok(())
}

fn add_file(bus: &dyn Bus, named: &str, within: String, path: &Path) -> Result<SharedFile, ClusterError> {
    let hash = hash_of(path)?;
    bus.store_file(FILES, &hash, path)?;
    Ok(SharedFile { named: named.to_owned(), within, hash })
}

/// SHA-256 of the content of a file, in hexadecimal digits.
pub(crate) fn hash_of(path: &Path) -> Result<String, ClusterError> {
    let mut file = File::open(path).map_err(ClusterError::file(path))?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer).map_err(ClusterError::file(path))?;
        if read == 0 {
            return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat());
        }
        hasher.update(&buffer[..read]);
    }
}
