//! Service: logging and threads.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::LogLevel,
        &["log-level"],
        ValueKind::Choice(&["TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "SUCCESS", "ERROR", "CRITICAL"]),
        "Least severe messages to log.",
    )
    .default("INFO")
    .supported(),
    OptionSpec::new(
        OptionId::Verbose,
        &["verbose"],
        ValueKind::Flag,
        "Log at DEBUG, and show the simple progress line.",
    )
    .short("v")
    .supported(),
    OptionSpec::new(
        OptionId::ExtraVerbose,
        &["extra-verbose"],
        ValueKind::Flag,
        "Log at TRACE, and show the simple progress line.",
    )
    .short("vv")
    .supported(),
    OptionSpec::new(
        OptionId::RecordProcessorServiceCount,
        &["record-processor-service-count", "record-processors"],
        ValueKind::Int,
        "Threads that parse answers and count tokens.",
    )
    .called("record-processors")
    .at_least(1.0)
    .default("sized to the machine")
    .supported(),
    OptionSpec::new(
        OptionId::ApiPort,
        &["api-port"],
        ValueKind::Int,
        "Serve a live HTTP and WebSocket interface on this port.",
    )
    .at_least(1.0)
    .at_most(65535.0),
    OptionSpec::new(OptionId::ApiHost, &["api-host"], ValueKind::Text, "Address of that interface.")
        .default("127.0.0.1"),
    OptionSpec::new(
        OptionId::StatsInterval,
        &["stats-interval"],
        ValueKind::Float,
        "Pause between two live statistics; 0 writes none to the log.",
    )
    .at_least(0.0)
    .at_most(1000.0)
    .unit("s")
    .default("5 with the dashboard, else 30")
    .ignored("live statistics are not written to the log"),
];
