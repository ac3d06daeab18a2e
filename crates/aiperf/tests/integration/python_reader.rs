//! The Python package of `packaging/python` reads our artifact folders and those of the reference.

use std::path::{Path, PathBuf};
use std::process::Command;

use aiperf_test_tools::available;

use crate::support::{Program, sim};

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/python")
}

/// What the script prints about a folder.
fn said(python: &str, frame: &str, folder: &Path) -> String {
    let output = Command::new(python)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONPATH", packaging())
        .arg(packaging().join("read_artifacts.py"))
        .args([frame.as_ref(), folder.as_os_str()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{frame}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_python_package_reads_our_folders_and_those_of_the_reference() {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !available(&[&[&python, "--version"]]) {
        return;
    }
    let sim = sim("error_every=7");
    let flags = "--streaming --concurrency 2 --request-count 12 --warmup-request-count 2";
    let ours = Program::against(&sim, flags).succeed();
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference_run");
    let frames: &[&str] = if available(&[&[&python, "-c", "import pandas"]]) { &["rows", "pandas"] } else { &["rows"] };
    for frame in frames {
        let expected = "columns run unit avg p99\nlatency 1\nrecords 14 of 14 requests\nerrors 2\n";
        for folder in [&recorded, &ours.path("")] {
            let text = said(&python, frame, folder);
            let (run, rest) = text.split_once('\n').unwrap();
            assert!(run.starts_with("run . ") && run.ends_with(" ms"), "{text}");
            assert_eq!(rest, expected, "{}", folder.display());
        }
    }
}

#[test]
fn a_folder_without_results_is_refused_by_name() {
    let python = std::env::var("AIPERF_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !available(&[&[&python, "--version"]]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "import sys, aiperf_rs\ntry:\n    aiperf_rs.load(sys.argv[1])\nexcept aiperf_rs.ArtifactError as error:\n    print(error)";
    let mut command = Command::new(python);
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONPATH", packaging());
    let output = command.args(["-c", script]).arg(folder.path()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(folder.path().to_str().unwrap()) && said.contains("profile_export_aiperf.json"), "{said}");
}
