//! The probe of each server before a run.

use aiperf_config::defaults;
use aiperf_config::{Readiness, ReadinessMode};
use aiperf_protocol::EndpointKind;

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// `None` where no probe is asked for.
pub(super) fn resolve(raw: &RawOptions, kind: EndpointKind) -> Result<Option<Readiness>, ConfigError> {
    let (timeout_id, mode_id) = (OptionId::WaitForModelTimeout, OptionId::WaitForModelMode);
    let interval_id = OptionId::WaitForModelInterval;
    let timeout = raw.seconds(timeout_id)?.filter(|timeout| !timeout.is_zero());
    let interval = raw.seconds(interval_id)?;
    let mode = match raw.choice(mode_id)? {
        Some("models") => ReadinessMode::Models,
        Some("both") => ReadinessMode::Both,
        _ => ReadinessMode::Inference,
    };
    if kind.speaks_grpc() && raw.is_given(mode_id) && mode != ReadinessMode::Models {
        let expected =
            format!("the {} endpoint supports `models` only: wait until the server lists the model", kind.facts().name);
        return Err(raw.bad(mode_id, mode.name(), &expected));
    }
    let mode = if kind.speaks_grpc() { ReadinessMode::Models } else { mode };
    let Some(timeout) = timeout else {
        return match [mode_id, interval_id].into_iter().find(|id| raw.is_given(*id)) {
            None => Ok(None),
            Some(id) => {
                let needs = format!("{} above 0", raw.spelling(timeout_id));
                Err(raw.needs_text(id, &needs, "without it no server is probed"))
            }
        };
    };
    Ok(Some(Readiness { timeout, interval: interval.unwrap_or(defaults::PROBE_INTERVAL), mode }))
}
