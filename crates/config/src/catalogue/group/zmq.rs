//! ZMQ Communication: the message bus of the reference.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ZmqHost,
        &["zmq-host"],
        ValueKind::Text,
        "Host for messages between the reference's processes.",
    )
    .default("127.0.0.1"),
    OptionSpec::new(
        OptionId::ZmqIpcPath,
        &["zmq-ipc-path"],
        ValueKind::Path,
        "Folder for sockets between the reference's processes.",
    ),
    OptionSpec::new(
        OptionId::ZmqDualBind,
        &["zmq-dual-bind"],
        ValueKind::Flag,
        "Use both kinds of socket between the reference's processes.",
    ),
];
