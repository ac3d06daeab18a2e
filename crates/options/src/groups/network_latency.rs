//! The round trip of the network: given, measured, or of no interest.

use std::time::Duration;

use aiperf_address::Scheme;
use aiperf_config::{EndpointConfig, NetworkLatency, RttProbing, Target};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Network Latency: the round trip of the network.
pub(crate) const NETWORK_LATENCY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::NetworkLatencyAutomatic,
        &["network-latency-automatic"],
        ValueKind::Flag,
        "Measure the network round trip during the run, and add metrics that leave it out.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyMean,
        &["network-latency-mean"],
        ValueKind::Float,
        "Known network round trip, which additional metrics leave out.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyPingInterval,
        &["network-latency-ping-interval"],
        ValueKind::Float,
        "Pause between two measurements of the network round trip.",
    )
    .above(0.0)
    .unit("s")
    .default("1")
    .supported(),
];

pub(super) fn resolve(
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    probing: RttProbing,
) -> Result<Option<NetworkLatency>, ConfigError> {
    let (automatic, mean) = (OptionId::NetworkLatencyAutomatic, OptionId::NetworkLatencyMean);
    let interval = OptionId::NetworkLatencyPingInterval;
    let measure = raw.flag(automatic)?;
    if measure && raw.is_given(mean) {
        return Err(raw.conflict(automatic, mean, "the round-trip time is either measured or given"));
    }
    if raw.is_given(interval) && !measure {
        return Err(raw.needs(interval, automatic, "without it the round-trip time is not measured"));
    }
    if measure {
        if let Some(Target::Url(url)) = endpoint.targets.iter().find(|target| is_unix(target)) {
            return Err(ConfigError::BadValue {
                flag: raw.spelling(OptionId::Url),
                value: url.as_str().to_owned(),
                expected: format!("{} needs a network; a Unix socket has none", raw.spelling(automatic)),
            });
        }
        let interval = raw.seconds(interval)?.unwrap_or(probing.interval);
        return Ok(Some(NetworkLatency::Measured(RttProbing { interval, ..probing })));
    }
    let Some(millis) = raw.float(mean)? else { return Ok(None) };
    let given = Duration::try_from_secs_f64(millis * 1e-3);
    let given = given.map_err(|_| raw.bad(mean, &millis.to_string(), "the time is too long"))?;
    Ok(Some(NetworkLatency::Given(given)))
}

fn is_unix(target: &Target) -> bool {
    matches!(target, Target::Url(url) if url.scheme() == Scheme::Unix)
}
