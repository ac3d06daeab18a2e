//! Service: logging and threads.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::LogLevel,
        &["log-level"],
        ValueKind::Choice(&["TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "SUCCESS", "ERROR", "CRITICAL"]),
        "Lowest severity of messages to log.",
    )
    .default("INFO")
    .supported(),
    OptionSpec::new(
        OptionId::Verbose,
        &["verbose"],
        ValueKind::Flag,
        "Log at DEBUG level and show the simple progress line.",
    )
    .short("v")
    .supported(),
    OptionSpec::new(
        OptionId::ExtraVerbose,
        &["extra-verbose"],
        ValueKind::Flag,
        "Log at TRACE level and show the simple progress line.",
    )
    .short("vv")
    .supported(),
    OptionSpec::new(
        OptionId::RecordProcessorServiceCount,
        &["record-processor-service-count", "record-processors"],
        ValueKind::Int,
        "Number of threads that parse responses and count tokens.",
    )
    .called("record-processors")
    .at_least(1.0)
    .default("by number of processors")
    .supported(),
    OptionSpec::new(
        OptionId::ApiPort,
        &["api-port"],
        ValueKind::Int,
        "Serve a live HTTP and WebSocket interface on this port.",
    )
    .at_least(1.0)
    .at_most(65535.0),
    OptionSpec::new(
        OptionId::ApiHost,
        &["api-host"],
        ValueKind::Text,
        "Address of the live HTTP and WebSocket interface of --api-port.",
    )
    .default("127.0.0.1"),
    OptionSpec::new(
        OptionId::StatsInterval,
        &["stats-interval"],
        ValueKind::Float,
        "Time between two progress lines in the log when stderr is not a terminal. 0 writes none.",
    )
    .at_least(0.0)
    .at_most(1000.0)
    .unit("s")
    .default("30; 5 with --ui simple")
    .supported(),
];
