//! Which program the command `aiperf` starts: NVIDIA's package has a command of the same name.

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::nvidias_package;
use crate::finding::{Check, Finding};

const COMMAND: &str = "aiperf";
/// Scripts that start this program name it; see `packaging/wheel.py`.
const STARTS_THIS_PROGRAM: &[u8] = b"aiperf-rs";
/// The script that pip writes for NVIDIA's package imports it.
const STARTS_NVIDIAS_PROGRAM: &[u8] = b"from aiperf.";
/// Scripts are shorter.
const LONGEST_SCRIPT: u64 = 4096;

/// `program`: this program; `path`: the value of `PATH`.
pub(crate) fn check(program: &Path, path: &str) -> Option<Finding> {
    let candidates = env::split_paths(path).map(|folder| folder.join(COMMAND)).filter(|file| file.is_file());
    let mut found: Vec<(PathBuf, Starts)> = candidates.map(|file| (file.clone(), started_by(&file, program))).collect();
    found.dedup_by_key(|(file, _)| fs::canonicalize(&*file).unwrap_or_else(|_| file.clone()));
    let (first, starts) = found.first()?;
    let shown = first.display();
    let other = found.iter().find(|(_, starts)| *starts != Starts::This);
    Some(match (starts, other) {
        (Starts::This, None) => match nvidias_package::version_next_to(program) {
            None => Finding::ok(Check::Command, format!("aiperf is {shown}")),
            Some(version) => {
                let seen = format!(
                    "aiperf is {shown}; NVIDIA's package aiperf {version} is installed in the same environment"
                );
                let meaning = "This program has replaced NVIDIA's command. The package that is installed last owns `aiperf`, and removing one \
                               removes the command of both. Use one environment for each.";
                Finding::note(Check::Command, seen, meaning)
            }
        },
        (Starts::This, Some((other, starts))) => {
            let seen = format!("aiperf is {shown}; {} is {}", other.display(), starts.words());
            Finding::note(Check::Command, seen, "Scripts with another PATH may start the other program.")
        }
        (starts, _) => {
            let seen = format!("aiperf is {shown}, which is {}; this program is {}", starts.words(), program.display());
            let meaning = "Benchmarks that call `aiperf` run the other program. Call this one by its path or as `aiperf-rs`, or put its folder \
                           first in PATH.";
            Finding::note(Check::Command, seen, meaning)
        }
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Starts {
    This,
    Nvidias,
    Another,
}

impl Starts {
    fn words(self) -> &'static str {
        match self {
            Self::This => "this program",
            Self::Nvidias => "NVIDIA's AIPerf",
            Self::Another => "another program",
        }
    }
}

fn started_by(file: &Path, program: &Path) -> Starts {
    let same = |a: &Path, b: &Path| fs::canonicalize(a).ok().zip(fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b);
    let mut text = Vec::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST_SCRIPT).read_to_end(&mut text));
    let names =
        |words: &[u8]| read.is_ok() && text.starts_with(b"#!") && text.windows(words.len()).any(|at| at == words);
    if same(file, program) {
        Starts::This
    // Asked first: the first line of a script may have the other name too, as a part of the path of its interpreter.
    } else if names(STARTS_NVIDIAS_PROGRAM) {
        Starts::Nvidias
    } else if names(STARTS_THIS_PROGRAM) {
        Starts::This
    } else {
        Starts::Another
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::finding::Rank;

    /// Folders of a PATH, each with a file `aiperf`.
    fn path_of(contents: &[&str]) -> (TempDir, String) {
        let root = tempfile::tempdir().unwrap();
        let folders: Vec<PathBuf> = (0..contents.len()).map(|number| root.path().join(number.to_string())).collect();
        for (folder, content) in folders.iter().zip(contents) {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(COMMAND), content).unwrap();
        }
        let path = env::join_paths(&folders).unwrap().into_string().unwrap();
        (root, path)
    }

    #[test]
    fn the_program_itself_and_a_script_that_starts_it_are_this_program() {
        let (root, path) = path_of(&["program", "#!/bin/sh\nexec ./aiperf-rs\n"]);
        let finding = check(&root.path().join("0/aiperf"), &path).unwrap();
        assert_eq!(finding.rank, Rank::Ok, "{finding:?}");
    }

    #[test]
    fn nvidias_command_in_front_of_this_one_is_noted() {
        let nvidia = "#!/home/user/aiperf-rs/.venv/bin/python\nfrom aiperf.cli import app\n";
        let (root, path) = path_of(&[nvidia, "program"]);
        let finding = check(&root.path().join("1/aiperf"), &path).unwrap();
        assert_eq!(finding.rank, Rank::Note);
        assert!(finding.seen.contains("NVIDIA's AIPerf"), "{finding:?}");
        let (root, path) = path_of(&["program", nvidia]);
        let finding = check(&root.path().join("0/aiperf"), &path).unwrap();
        assert!(finding.meaning.contains("another PATH"), "{finding:?}");
    }

    #[test]
    fn nvidias_package_in_the_same_environment_is_noted_if_this_program_owns_the_command() {
        let (root, path) = path_of(&["program"]);
        fs::create_dir_all(root.path().join("lib/python3.12/site-packages/aiperf-0.13.0.dist-info")).unwrap();
        let finding = check(&root.path().join("0/aiperf"), &path).unwrap();
        assert_eq!(finding.rank, Rank::Note);
        assert!(finding.seen.contains("NVIDIA's package aiperf 0.13.0"), "{finding:?}");
        assert!(finding.meaning.contains("one environment for each"), "{finding:?}");
    }

    #[test]
    fn nothing_is_said_if_the_command_is_not_in_the_path() {
        assert_eq!(check(Path::new("/opt/aiperf"), "/does/not/exist"), None);
    }
}
