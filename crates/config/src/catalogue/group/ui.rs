//! UI: what is shown during a run.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::UiType,
    &["ui-type", "ui"],
    ValueKind::Choice(&["dashboard", "none", "simple"]),
    "What is shown while the run goes on: a full screen (not built so far), one progress line, or nothing.",
)
.called("ui")
.default("simple on a terminal, else none")
.supported()];
