//! Cache Bust: markers against prefix caches.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::CacheBust,
    &["cache-bust"],
    ValueKind::Choice(&[
        "none",
        "system_prefix",
        "system_suffix",
        "first_turn_prefix",
        "first_turn_suffix",
        "warmup_isolation_system",
        "warmup_isolation_first_turn",
    ]),
    "Where to put a marker that defeats the server's prefix cache: a new one for each session, or one for the whole warmup.",
)
.default("none")
.supported()];
