//! GPU Telemetry: readings of the GPUs.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(crate) const GPU_TELEMETRY_NOT_COLLECTED: &str =
    "GPU telemetry is not collected yet, and its files are not written";

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::GpuTelemetry,
        &["gpu-telemetry"],
        ValueKind::Text,
        "Sources of GPU telemetry: `pynvml`, `amdsmi`, DCGM URLs, or a CSV file of metrics.",
    )
    .several(Tokens::Any)
    .default("DCGM on ports 9400 and 9401 of this machine")
    .ignored(GPU_TELEMETRY_NOT_COLLECTED),
    OptionSpec::new(OptionId::NoGpuTelemetry, &["no-gpu-telemetry"], ValueKind::Flag, "Do not collect GPU telemetry.")
        .supported(),
];
