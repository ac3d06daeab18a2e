//! HTTP Trace: the steps of each connection.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ExportHttpTrace,
        &["export-http-trace"],
        ValueKind::Flag,
        "Add the times of each connection step to the per-request records.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ShowTraceTiming,
        &["show-trace-timing"],
        ValueKind::Flag,
        "Show the connection timing metrics in the console table.",
    )
    .supported(),
];
