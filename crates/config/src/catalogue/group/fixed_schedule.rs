//! Fixed Schedule: replay at recorded times.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::FixedSchedule,
        &["fixed-schedule"],
        ValueKind::Flag,
        "Send each request at the time that its row of the input file says. Traces with timestamps do so by themselves.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NoFixedSchedule,
        &["no-fixed-schedule"],
        ValueKind::Flag,
        "Send a trace by the chosen load mode and ignore its timestamps.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleAutoOffset,
        &["fixed-schedule-auto-offset"],
        ValueKind::Flag,
        "Move the schedule so that its first request is due at once.",
    )
    .default("true, false with a start offset")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleStartOffset,
        &["fixed-schedule-start-offset"],
        ValueKind::Int,
        "Leave out requests before this time of the trace.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleEndOffset,
        &["fixed-schedule-end-offset"],
        ValueKind::Int,
        "Leave out requests after this time of the trace.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
];
