//! UI: what is shown during a run.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::UiType,
    &["ui-type", "ui"],
    ValueKind::Choice(&["dashboard", "none", "simple"]),
    "What to show during the run: one progress line (`simple`) or nothing (`none`). `dashboard` is not yet available and shows the progress line.",
)
.called("ui")
.default("simple on a terminal, else none")
.supported()];
