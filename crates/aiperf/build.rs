//! Tells the program which commit and which profile it is built from. Everything here may be missing: a source archive has
//! no repository, and a packager may name the commit in `AIPERF_COMMIT`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Enough digits to stay unique, as git abbreviates in large repositories.
const DIGITS: usize = 12;
/// Filled in by `git archive` (see `.gitattributes`).
const ARCHIVED_COMMIT: &str = "../../packaging/commit.txt";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ARCHIVED_COMMIT}");
    println!("cargo::rerun-if-env-changed=AIPERF_COMMIT");
    let profile = profile();
    let commit = named_commit().or_else(archived_commit).or_else(|| repository_commit(&profile));
    println!("cargo::rustc-env=PROGRAM_PROFILE={profile}");
    println!("cargo::rustc-env=PROGRAM_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=PROGRAM_COMMIT={}", commit.unwrap_or_default());
    if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|library| library == "musl") {
        offer_empty_libdl();
    }
}

/// A dependency asks for `libdl`. The C library musl has its functions itself and an empty `libdl`, which a linker that knows only
/// the files of the Rust compiler does not find.
fn offer_empty_libdl() {
    let Some(folder) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    // Where it cannot be written, the linker says what is missing.
    if fs::write(folder.join("libdl.a"), "!<arch>\n").is_ok() {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}

/// The folder of the build is named after the profile: `target/dist/build/aiperf-.../out`. Cargo's own variable knows only
/// `debug` and `release`.
fn profile() -> String {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let folder = out.ancestors().nth(3).and_then(Path::file_name);
    folder.map_or_else(|| env::var("PROFILE").unwrap_or_default(), |name| name.to_string_lossy().into_owned())
}

fn named_commit() -> Option<String> {
    env::var("AIPERF_COMMIT").ok().filter(|commit| !commit.is_empty())
}

fn archived_commit() -> Option<String> {
    let text = fs::read_to_string(ARCHIVED_COMMIT).ok()?;
    let commit = text.trim();
    commit.chars().all(|digit| digit.is_ascii_hexdigit()).then(|| commit.chars().take(DIGITS).collect())
}

/// A development build has no commit: every commit would build it again, and its code is rarely that of a commit.
fn repository_commit(profile: &str) -> Option<String> {
    if profile == "debug" {
        return None;
    }
    for file in ["HEAD", "logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=..");
    let commit = git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
    Some(if changes.is_empty() { commit } else { format!("{commit}-modified") })
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
