//! GPU telemetry, which is not collected yet.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};
use crate::{ConfigError, RawOptions};

const GPU_TELEMETRY_NOT_COLLECTED: &str = "GPU telemetry is not collected yet, and its files are not written";

/// GPU Telemetry: readings of the GPUs.
pub(crate) const GPU_TELEMETRY: &[OptionSpec] = &[
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

/// GPU telemetry is never collected: switching it off changes nothing, and switching it on has no effect.
pub(super) fn resolve(raw: &RawOptions, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
    let id = OptionId::NoGpuTelemetry;
    if raw.is_given(id) && !raw.flag(id)? {
        warnings.push(format!("{}=false has no effect: {GPU_TELEMETRY_NOT_COLLECTED}", raw.spelling(id)));
    }
    Ok(())
}
