//! What a run reports when it is over.

pub(crate) mod advice;
pub(crate) mod ending;
pub(crate) mod joined;
pub(crate) mod server_metrics;
pub(crate) mod summarise;
