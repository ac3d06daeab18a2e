//! Warnings about responses. Each is given once per run: what one response lacks, most of them lack.

use std::sync::atomic::{AtomicBool, Ordering};

/// Which warnings this run has given.
#[derive(Debug, Default)]
pub(crate) struct ResponseWarnings {
    pub(crate) chat_template: WarnOnce,
    pub(crate) spec_decode: WarnOnce,
    pub(crate) reasoning_tokens: WarnOnce,
    pub(crate) missing_counts: WarnOnce,
    pub(crate) late_events: WarnOnce,
}

/// Logs a warning the first time only.
#[derive(Debug, Default)]
pub(crate) struct WarnOnce(AtomicBool);

impl WarnOnce {
    pub(crate) fn warn(&self, message: impl FnOnce() -> String) {
        if !self.0.swap(true, Ordering::Relaxed) {
            log::warn!("{}", message());
        }
    }
}
