//! Scripts with pandas and jq that were written for the reference's files: they give the same result for a recorded run of the reference and for
//! a run of this program with the same flags.

use std::path::{Path, PathBuf};
use std::process::Command;

use aiperf_test_tools::available;

use crate::support::{Program, sim};

/// As the recorded run was made: `tests/fixtures/reference_run`.
const FLAGS: &str = "--endpoint-type chat --model sim-model --tokenizer builtin --random-seed 7 --isl 32 --osl 8 --streaming \
                     --concurrency 2 --request-count 12 --warmup-request-count 2 --export-level raw --slice-duration 0.4 \
                     --export-outputs-json";

/// A Python with pandas, if jq is there too. `AIPERF_TEST_PYTHON` names the Python to use.
fn python() -> Option<String> {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    available(&[&["jq", "--version"], &[&python, "-c", "import pandas"]]).then_some(python)
}

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/reader_scripts");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    scripts.sort();
    scripts
}

/// What a script prints about a folder.
fn said(python: &str, script: &Path, folder: &Path) -> String {
    let is_python = script.extension().is_some_and(|end| end == "py");
    let mut command = if is_python { Command::new(python) } else { Command::new("sh") };
    let output = command.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(folder).output().unwrap();
    let failed =
        || format!("{} on {}: {}", script.display(), folder.display(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}", failed());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn scripts_written_for_the_reference_read_our_files_unchanged() {
    let Some(python) = python() else { return };
    let sim = sim("ttft=50&itl=10&error_every=7");
    let ours = Program::profile(FLAGS).with("--url").word(sim.url()).succeed();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference_run");
    let scripts = scripts();
    assert!(scripts.len() >= 4, "{scripts:?}");
    for script in scripts {
        let expected = said(&python, &script, &recorded);
        assert!(expected.lines().count() > 5, "{expected}");
        assert_eq!(said(&python, &script, &ours.path("")), expected, "{}", script.display());
    }
}
