//! What `packaging/` makes: the commands of the wheel, and the script of the GitHub Action.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aiperf_test_tools::available;
use tempfile::TempDir;

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A wheel of a program that is a line of text, unpacked. The folder `scripts` has the commands, as pip installs them.
fn unpacked_wheel(python: &str, target: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    fs::write(&program, "a program\n").unwrap();
    let mut wheel = Command::new(python);
    wheel.arg(packaging().join("wheel.py")).arg(&program).args(["--target", target, "--out"]).arg(folder.path());
    let wheel = text(&wheel.output().unwrap());
    let unpack = "import glob, os, shutil, sys, zipfile\n\
                  wheel, folder = sys.argv[1:]\n\
                  zipfile.ZipFile(wheel).extractall(folder)\n\
                  shutil.move(glob.glob(folder + '/*.data/scripts')[0], folder)\n\
                  [os.chmod(name, 0o755) for name in glob.glob(folder + '/scripts/*')]";
    text(&Command::new(python).args(["-c", unpack, wheel.trim()]).arg(folder.path()).output().unwrap());
    folder
}

#[test]
fn the_commands_of_the_wheel_start_the_program_next_to_them() {
    if !available(&[&["python3", "--version"], &["readlink", "--version"]]) {
        return;
    }
    let folder = unpacked_wheel("python3", "x86_64-unknown-linux-musl");
    let scripts = folder.path().join("scripts");
    assert_eq!(fs::read_to_string(scripts.join("aiperf-rs")).unwrap(), "a program\n");
    fs::remove_file(scripts.join("aiperf-rs")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_aiperf"), scripts.join("aiperf-rs")).unwrap();
    // pipx and uv put links to the commands into another folder.
    let link = folder.path().join("linked");
    std::os::unix::fs::symlink(scripts.join("aiperf"), &link).unwrap();
    for command in [scripts.join("aiperf"), link] {
        let version = text(&Command::new(command).arg("--version").output().unwrap());
        assert!(version.starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    }
    let help = text(&Command::new(scripts.join("genai-perf")).arg("--help").output().unwrap());
    assert!(help.contains("process-export-files"), "{help}");
    assert!(folder.path().join("aiperf_rs/py.typed").exists());
}

#[test]
fn a_wheel_for_windows_has_the_program_and_entry_points() {
    if !available(&[&["python3", "--version"]]) {
        return;
    }
    let folder = unpacked_wheel("python3", "x86_64-pc-windows-gnu");
    assert!(folder.path().join("scripts/aiperf-rs.exe").exists());
    assert!(!folder.path().join("scripts/aiperf").exists());
    let info = folder.path().join(concat!("aiperf_rs-", env!("CARGO_PKG_VERSION"), ".dist-info"));
    assert!(fs::read_to_string(info.join("entry_points.txt")).unwrap().contains("genai-perf = "));
    assert!(fs::read_to_string(info.join("WHEEL")).unwrap().contains("Tag: py3-none-win_amd64"));
}

/// NVIDIA's package as pip installs it: what is written down about it, and its command.
const INSTALL_NVIDIAS_PACKAGE: &str = "import pathlib, sysconfig\n\
     info = pathlib.Path(sysconfig.get_path('purelib'), 'aiperf-0.13.0.dist-info')\n\
     info.mkdir(exist_ok=True)\n\
     (info / 'METADATA').write_text('Metadata-Version: 2.1\\nName: aiperf\\nVersion: 0.13.0\\n')\n\
     command = pathlib.Path(sysconfig.get_path('scripts'), 'aiperf')\n\
     command.write_text('#!/opt/aiperf-rs/bin/python\\nimport sys\\nfrom aiperf.cli import app\\nsys.exit(app())\\n')";
const INSTALL_THIS_PACKAGE: &str = "import shutil, sys, sysconfig\n\
     shutil.copytree(sys.argv[1] + '/aiperf_rs', sysconfig.get_path('purelib') + '/aiperf_rs', dirs_exist_ok=True)\n\
     shutil.copytree(sys.argv[1] + '/scripts', sysconfig.get_path('scripts'), dirs_exist_ok=True)";
/// pip removes the files of a package by their names, whoever has written them last.
const REMOVE_NVIDIAS_PACKAGE: &str = "import pathlib, shutil, sysconfig\n\
     shutil.rmtree(sysconfig.get_path('purelib') + '/aiperf-0.13.0.dist-info')\n\
     pathlib.Path(sysconfig.get_path('scripts'), 'aiperf').unlink()";

#[test]
fn the_module_says_which_package_owns_the_command_after_both_were_installed() {
    if !available(&[&["python3", "-c", "import venv"]]) {
        return;
    }
    let folder = unpacked_wheel("python3", "x86_64-unknown-linux-musl");
    let environment = folder.path().join("environment");
    text(&Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment).output().unwrap());
    let python = environment.join("bin/python");
    let step = |script: &str| text(&Command::new(&python).args(["-c", script]).arg(folder.path()).output().unwrap());
    let said = || {
        let output = Command::new(&python).args(["-c", "import aiperf_rs"]).output().unwrap();
        text(&output);
        String::from_utf8(output.stderr).unwrap()
    };
    step(INSTALL_THIS_PACKAGE);
    assert_eq!(said(), "");
    step(INSTALL_NVIDIAS_PACKAGE);
    assert!(
        said().contains("bin/aiperf starts NVIDIA's package aiperf, which is installed too. Use the command aiperf-rs"),
        "{}",
        said()
    );
    step(INSTALL_THIS_PACKAGE);
    assert!(said().contains("bin/aiperf starts aiperf-rs and replaces the command of NVIDIA's package"), "{}", said());
    step(REMOVE_NVIDIAS_PACKAGE);
    assert!(said().contains("bin/aiperf does not exist"), "{}", said());
    step(INSTALL_THIS_PACKAGE);
    assert_eq!(said(), "");
}

/// Runs the script of the action; its exit code, the job summary and the outputs.
fn action(folder: &Path, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_aiperf")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    for name in ["summary", "output"] {
        fs::write(folder.join(name), "").unwrap();
    }
    let mut command = Command::new("bash");
    command.arg(packaging().join("action/run")).current_dir(folder).env("HOME", folder);
    command.env("PATH", format!("{}:{path}", program.display()));
    command.env("GITHUB_STEP_SUMMARY", folder.join("summary")).env("GITHUB_OUTPUT", folder.join("output"));
    let ended = command.envs(variables.iter().copied()).output().unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    (ended.status.code(), read("summary"), read("output"))
}

#[test]
fn the_action_runs_a_benchmark_and_compares_it_with_a_baseline() {
    if !available(&[&["bash", "--version"], &["xargs", "--version"]]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--url sim:?ttft=1&itl=1 --request-count 8 --extra-inputs 'stop:two words'";
    let run = [("BENCHMARK_ARGUMENTS", arguments), ("BENCHMARK_FOLDER", "first")];
    let (code, summary, output) = action(folder.path(), &run);
    assert_eq!((code, output.as_str()), (Some(0), "verdict=not compared\n"), "{summary}");
    assert!(summary.contains("Request Latency"), "{summary}");
    let gate = "--on-unclear pass --metric request_latency:avg:90%";
    let second = [
        ("BENCHMARK_ARGUMENTS", arguments),
        ("BENCHMARK_FOLDER", "second"),
        ("BENCHMARK_BASELINE", "first"),
        ("BENCHMARK_GATE", gate),
    ];
    let (_, summary, output) = action(folder.path(), &second);
    assert!(summary.contains("## aiperf gate"), "{summary}");
    assert!(output.starts_with("verdict=") && !output.contains("incomplete"), "{output}");
    let failing = [
        ("BENCHMARK_ARGUMENTS", "--url localhost:1 --model m --unreachable-timeout 0.1"),
        ("BENCHMARK_FOLDER", "none"),
    ];
    let (code, summary, output) = action(folder.path(), &failing);
    assert_eq!((code, output.as_str()), (Some(1), "verdict=incomplete\n"), "{summary}");
}
