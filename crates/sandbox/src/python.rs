//! The Python that runs programs, and the folders it needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::SandboxError;

/// Folders of a Linux system that hold programs and libraries. They are visible in a sandbox, read-only.
const SYSTEM_FOLDERS: [&str; 6] = ["/usr", "/lib", "/lib64", "/lib32", "/bin", "/nix/store"];

/// A Python interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    interpreter: PathBuf,
    folders: Vec<PathBuf>,
}

impl Python {
    /// Asks the program `name`, such as `python3`, where its interpreter and its library are.
    pub fn find(name: &str) -> Result<Self, SandboxError> {
        // The interpreter itself, not the script of pyenv or the link of a virtual environment that leads to it. `sys.executable` is
        // empty if PATH is not set.
        let question = "import os, sys\nfor path in ('/proc/self/exe', sys.base_prefix, sys.base_exec_prefix): print(os.path.realpath(path))";
        let no_python = |reason: String| SandboxError::NoPython(format!("{name}: {reason}"));
        let answer =
            Command::new(name).args(["-I", "-c", question]).output().map_err(|error| no_python(error.to_string()))?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let mut lines = text.lines().map(PathBuf::from);
        let (Some(interpreter), true) = (lines.next(), answer.status.success()) else {
            return Err(no_python(String::from_utf8_lossy(&answer.stderr).trim().to_owned()));
        };
        let mut folders: Vec<PathBuf> =
            SYSTEM_FOLDERS.iter().map(PathBuf::from).filter(|folder| folder.exists()).collect();
        for prefix in lines {
            let seen = folders.iter().any(|folder| prefix.starts_with(folder));
            if !seen && prefix != Path::new("/") {
                folders.push(prefix);
            }
        }
        Ok(Self { interpreter, folders })
    }

    pub fn interpreter(&self) -> &Path {
        &self.interpreter
    }

    /// What is visible in a sandbox.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}
