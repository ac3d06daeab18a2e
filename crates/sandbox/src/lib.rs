//! Runs Python programs of unknown origin, such as the answers of a model. A program has no network, sees only a read-only copy of
//! Python and its own files, and has limits on time, CPU, memory, threads and output. If the kernel does not allow all of this, nothing
//! is run and the error says why.
//!
//! The processes of a sandbox are copies of the calling program: its `main` must call [`enter_if_asked`] before anything else.

#![forbid(unsafe_code)]

mod ending;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod program;
mod python;

pub use ending::{Ending, Finished};
pub use limits::SandboxLimits;
pub use program::SandboxProgram;
pub use python::Python;

/// Why a program was not run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error(
        "a sandbox for Python programs is not available here: {step}: {reason}. Use a Linux kernel that allows user namespaces, or run as root."
    )]
    Unavailable { step: String, reason: String },
    #[error(
        "Python programs do not run in the sandbox with {interpreter}: {reason}. Put another python3 first in PATH, such as that of the \
         system."
    )]
    UnusablePython { interpreter: String, reason: String },
    #[error("cannot find Python: {0}. Install python3.")]
    NoPython(String),
    #[error("cannot prepare a sandbox: {0}")]
    Preparation(#[from] std::io::Error),
}

/// Takes part in a sandbox if this process was started for that, and then never returns. Call it first in `main`, while the process has
/// one thread.
pub fn enter_if_asked() {
    #[cfg(target_os = "linux")]
    linux::enter_if_asked();
}

/// Runs a program and waits for its end.
pub fn run(python: &Python, program: &SandboxProgram<'_>, limits: &SandboxLimits) -> Result<Finished, SandboxError> {
    #[cfg(target_os = "linux")]
    return linux::run(python, program, limits);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (python, program, limits);
        Err(SandboxError::Unavailable {
            step: "namespaces".to_owned(),
            reason: "this operating system is not Linux".to_owned(),
        })
    }
}
