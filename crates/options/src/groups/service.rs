//! Service, UI, workers and ZMQ: how the program itself runs and what it shows meanwhile.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

/// Why the options of the message bus have no effect.
const ONE_PROCESS: &str = "there is one process, which needs no message bus";

/// ZMQ Communication: the message bus of the reference.
pub(crate) const ZMQ: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ZmqHost,
        &["zmq-host"],
        ValueKind::Text,
        "Host for messages between the reference's processes.",
    )
    .default("127.0.0.1")
    .ignored(ONE_PROCESS),
    OptionSpec::new(
        OptionId::ZmqIpcPath,
        &["zmq-ipc-path"],
        ValueKind::Path,
        "Folder for sockets between the reference's processes.",
    )
    .ignored(ONE_PROCESS),
    OptionSpec::new(
        OptionId::ZmqDualBind,
        &["zmq-dual-bind"],
        ValueKind::Flag,
        "Use both kinds of socket between the reference's processes.",
    )
    .ignored(ONE_PROCESS),
];

/// Workers: threads that send.
pub(crate) const WORKERS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::WorkersMax,
    &["workers-max", "max-workers"],
    ValueKind::Int,
    "Maximum number of worker threads that send requests. In a closed loop a thread gets 16 requests before the next one \
     gets any, unless the server uses TLS.",
)
.at_least(1.0)
.default("by number of processors")
.supported()];

/// UI: what is shown during a run.
pub(crate) const UI: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::UiType,
        &["ui-type", "ui"],
        ValueKind::Choice(&["dashboard", "none", "simple"]),
        "What to show during the run: the whole terminal (`dashboard`), one progress line (`simple`) or nothing \
     (`none`). Without a terminal, progress goes to the log now and then.",
    )
    .called("ui")
    .default("dashboard on a terminal, simple with -v, else none")
    .supported(),
    OptionSpec::new(
        OptionId::Quiet,
        &["quiet"],
        ValueKind::Flag,
        "Print nothing but errors: no progress, no log, no tables. Files are written as usual.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Json,
        &["json"],
        ValueKind::Flag,
        "Print the summary as JSON on stdout, and nothing else there: the contents of profile_export_aiperf.json, \
         or of the file over all runs if there are several.",
    )
    .ours()
    .supported(),
];

pub(crate) const SERVICE: &[OptionSpec] = &[
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
        "Serve a live page, an HTTP interface and a WebSocket on this port while the run lasts. 0 takes a free port. The \
         address is printed at the start.",
    )
    .at_least(0.0)
    .at_most(65535.0)
    .supported(),
    OptionSpec::new(
        OptionId::ApiHost,
        &["api-host"],
        ValueKind::Text,
        "Address or name on which --api-port listens. Any address other than a loopback address needs a token.",
    )
    .default("127.0.0.1")
    .supported(),
    OptionSpec::new(
        OptionId::ApiToken,
        &["api-token"],
        ValueKind::Text,
        "Token that clients of --api-port must send as `Authorization: Bearer TOKEN`: 8 or more letters, digits, dots, \
         dashes and underscores. The variable AIPERF_API_TOKEN keeps it out of the list of processes.",
    )
    .default("none on a loopback address, else a random one, which is printed")
    .supported()
    .ours(),
    OptionSpec::new(
        OptionId::ApiLinger,
        &["api-linger"],
        ValueKind::Float,
        "Time for which --api-port keeps serving the results after the run. Ctrl-C ends it.",
    )
    .at_least(0.0)
    .at_most(86400.0)
    .unit("s")
    .default("up to 30 while the page is open in a browser, else 0")
    .supported()
    .ours(),
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
