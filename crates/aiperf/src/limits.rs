//! Limits of the system that would end the process instead of being reported.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;

/// A file that may not grow any further (`RLIMIT_FSIZE`) is then an error of the write, like a full disk; without a handler the
/// signal ends the process.
pub(crate) fn report_full_files() -> anyhow::Result<()> {
    let noticed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed).map(drop).context("SIGXFSZ cannot be caught")
}
