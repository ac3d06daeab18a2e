//! UI: what is shown during a run.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::UiType,
    &["ui-type", "ui"],
    ValueKind::Choice(&["dashboard", "none", "simple"]),
    "What is shown during the run: one progress line (simple) or nothing (none); dashboard is not available yet and shows the simple line.",
)
.called("ui")
.default("simple on a terminal, else none")
.supported()];
