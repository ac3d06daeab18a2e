//! The round trip of the network: given, measured, or of no interest.

use std::time::Duration;

use aiperf_address::Scheme;
use aiperf_config::{EndpointConfig, NetworkLatency, RttProbing, Target};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

pub(super) fn resolve(
    raw: &RawOptions,
    endpoint: &EndpointConfig,
    probing: RttProbing,
) -> Result<Option<NetworkLatency>, ConfigError> {
    let (automatic, mean) = (OptionId::NetworkLatencyAutomatic, OptionId::NetworkLatencyMean);
    let interval = OptionId::NetworkLatencyPingInterval;
    let measure = raw.flag(automatic)?;
    if measure && raw.is_given(mean) {
        return Err(raw.conflict(automatic, mean, "the round trip is either measured or given"));
    }
    if raw.is_given(interval) && !measure {
        return Err(raw.needs(interval, automatic, "without it nothing is measured"));
    }
    if measure {
        if let Some(Target::Url(url)) = endpoint.targets.iter().find(|target| is_unix(target)) {
            return Err(ConfigError::BadValue {
                flag: raw.spelling(OptionId::Url),
                value: url.as_str().to_owned(),
                expected: format!("{} needs a network, which a Unix socket has not", raw.spelling(automatic)),
            });
        }
        let interval = raw.seconds(interval)?.unwrap_or(probing.interval);
        return Ok(Some(NetworkLatency::Measured(RttProbing { interval, ..probing })));
    }
    let Some(millis) = raw.float(mean)? else { return Ok(None) };
    let given = Duration::try_from_secs_f64(millis * 1e-3);
    let given = given.map_err(|_| raw.bad(mean, &millis.to_string(), "it is too long"))?;
    Ok(Some(NetworkLatency::Given(given)))
}

fn is_unix(target: &Target) -> bool {
    matches!(target, Target::Url(url) if url.scheme() == Scheme::Unix)
}
