//! UI: what is shown during a run.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::UiType,
    &["ui-type", "ui"],
    ValueKind::Choice(&["dashboard", "none", "simple"]),
    "What to show during the run: one progress line (`simple`), nothing (`none`), or a full screen (`dashboard`, not yet available).",
)
.called("ui")
.default("simple on a terminal, else none")
.supported()];
