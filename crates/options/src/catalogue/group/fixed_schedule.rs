//! Fixed Schedule: replay at recorded times.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::FixedSchedule,
        &["fixed-schedule"],
        ValueKind::Flag,
        "Send each request at the timestamp of its row in the input file. This is the default for traces.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NoFixedSchedule,
        &["no-fixed-schedule"],
        ValueKind::Flag,
        "Do not replay a trace by its timestamps; use the load options instead.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleAutoOffset,
        &["fixed-schedule-auto-offset"],
        ValueKind::Flag,
        "Shift the schedule so that its first request is sent at once.",
    )
    .default("true, false with a start offset")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleStartOffset,
        &["fixed-schedule-start-offset"],
        ValueKind::Int,
        "Skip the requests of the schedule before this time.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::FixedScheduleEndOffset,
        &["fixed-schedule-end-offset"],
        ValueKind::Int,
        "Skip the requests of the schedule after this time.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
];
