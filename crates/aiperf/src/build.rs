//! Which program this is: its version, and what it was built from.

use aiperf_report::ProgramBuild;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What this program was built from, for the summary.
pub(crate) fn program_build() -> ProgramBuild {
    let commit = env!("PROGRAM_COMMIT");
    ProgramBuild {
        commit: (!commit.is_empty()).then(|| commit.to_owned()),
        profile: env!("PROGRAM_PROFILE").to_owned(),
        target: env!("PROGRAM_TARGET").to_owned(),
    }
}

/// The answer to `--version`. The version is its first word, for scripts.
pub(crate) fn version_line() -> String {
    let ProgramBuild { commit, profile, target } = program_build();
    let built: Vec<String> = commit.into_iter().chain([profile, target]).collect();
    format!("{VERSION} ({})", built.join(", "))
}
