//! ZMQ Communication: the message bus of the reference.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

/// Why these options have no effect.
const ONE_PROCESS: &str = "this program is one process, which needs no message bus";

pub(super) const OPTIONS: &[OptionSpec] = &[
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
