//! Limits of the system that would end the process instead of being reported.

/// A file that may not grow any further (`RLIMIT_FSIZE`) is then an error of the write, like a full disk; without a handler the
/// signal ends the process.
#[cfg(unix)]
pub(crate) fn report_full_files() -> anyhow::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use anyhow::Context;

    let noticed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed).map(drop).context("SIGXFSZ cannot be caught")
}

/// Does nothing: other systems report such a write as an error by themselves.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "it is an error where signals have to be caught")]
pub(crate) const fn report_full_files() -> anyhow::Result<()> {
    Ok(())
}
