//! Calls to the servers around a run. Naming a path or a limit switches the call on.

use std::time::Duration;

use aiperf_config::{ResetKvCache, ServerProfiler};
use aiperf_redact as redact;

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const DEFAULT_HOOK_TIMEOUT: Duration = Duration::from_secs(30);
const DEFAULT_RESET_RETRY: Duration = Duration::from_secs(60);
const DEFAULT_RESET_PATH: &str = "/reset_prefix_cache";
const DEFAULT_START_PATH: &str = "/start_profile";
const DEFAULT_STOP_PATH: &str = "/stop_profile";

pub(super) fn reset_kv_cache(raw: &RawOptions) -> Result<Option<ResetKvCache>, ConfigError> {
    let timeout = raw.seconds(OptionId::ResetKvCacheTimeoutSeconds)?;
    let max_retry = raw.seconds(OptionId::ResetKvCacheMaxRetrySeconds)?;
    let path = path(raw, OptionId::ResetKvCachePath)?;
    let detail = timeout.is_some() || max_retry.is_some() || path.is_some();
    let wanted = switch(raw, OptionId::ResetKvCache, detail)?;
    Ok(wanted.then(|| ResetKvCache {
        path: path.unwrap_or_else(|| DEFAULT_RESET_PATH.to_owned()),
        timeout: timeout.unwrap_or(DEFAULT_HOOK_TIMEOUT),
        max_retry: max_retry.unwrap_or(DEFAULT_RESET_RETRY),
    }))
}

pub(super) fn server_profiler(raw: &RawOptions) -> Result<Option<ServerProfiler>, ConfigError> {
    let timeout: Option<Duration> = raw.seconds(OptionId::ServerProfilerTimeoutSeconds)?;
    let start_path = path(raw, OptionId::ServerProfilerStartPath)?;
    let stop_path = path(raw, OptionId::ServerProfilerStopPath)?;
    let detail = timeout.is_some() || start_path.is_some() || stop_path.is_some();
    let wanted = switch(raw, OptionId::ServerProfiler, detail)?;
    Ok(wanted.then(|| ServerProfiler {
        start_path: start_path.unwrap_or_else(|| DEFAULT_START_PATH.to_owned()),
        stop_path: stop_path.unwrap_or_else(|| DEFAULT_STOP_PATH.to_owned()),
        timeout: timeout.unwrap_or(DEFAULT_HOOK_TIMEOUT),
    }))
}

fn switch(raw: &RawOptions, id: OptionId, detail: bool) -> Result<bool, ConfigError> {
    if raw.is_given(id) && !raw.flag(id)? && detail {
        return Err(raw.bad(id, "false", "its other options turn it on; leave them out, or leave this out"));
    }
    Ok(raw.flag(id)? || detail)
}

fn path(raw: &RawOptions, id: OptionId) -> Result<Option<String>, ConfigError> {
    let Some(path) = raw.text(id) else { return Ok(None) };
    if !path.starts_with('/') || path.starts_with("//") {
        return Err(raw.bad(
            id,
            &redact::shown_url(path),
            "a path begins with one `/`; it takes the place of the path of --url",
        ));
    }
    if path.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(raw.bad(id, &redact::shown_url(path), "must be a path without blanks"));
    }
    Ok(Some(path.to_owned()))
}
