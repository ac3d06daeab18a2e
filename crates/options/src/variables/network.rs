//! How the round trip of the network is measured: `AIPERF_NETWORK_LATENCY_*`.

use aiperf_config::RttProbing;

use super::Variables;
use crate::ConfigError;

impl Variables<'_> {
    pub(super) fn rtt_probing(&self) -> Result<RttProbing, ConfigError> {
        let default = RttProbing::default();
        Ok(RttProbing {
            interval: self.seconds("AIPERF_NETWORK_LATENCY_DEFAULT_PROBE_INTERVAL", default.interval, 0.001, 300.0)?,
            min_samples: self.int("AIPERF_NETWORK_LATENCY_MIN_SAMPLES", default.min_samples, 1, 100_000)?,
            connect_timeout: self.seconds(
                "AIPERF_NETWORK_LATENCY_CONNECT_TIMEOUT",
                default.connect_timeout,
                0.001,
                300.0,
            )?,
            top_up: self.seconds("AIPERF_NETWORK_LATENCY_COMPLETE_TOPUP_TIMEOUT", default.top_up, 0.0, 30.0)?,
        })
    }
}
