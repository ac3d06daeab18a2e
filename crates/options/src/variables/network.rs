//! How the round trip of the network is measured (`AIPERF_NETWORK_LATENCY_*`) and how the metrics pages of servers are fetched
//! (`AIPERF_SERVER_METRICS_*`).

use aiperf_config::{RttProbing, Scraping};

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

    pub(super) fn scraping(&self) -> Result<Scraping, ConfigError> {
        let default = Scraping::default();
        let seconds =
            |name: &str, default, low, high| self.seconds(&format!("AIPERF_SERVER_METRICS_{name}"), default, low, high);
        Ok(Scraping {
            interval: seconds("COLLECTION_INTERVAL", default.interval, 0.001, 300.0)?,
            flush: seconds("COLLECTION_FLUSH_PERIOD", default.flush, 0.0, 30.0)?,
            timeout: seconds("SCRAPE_TIMEOUT", default.timeout, 0.1, 600.0)?,
            reachability_timeout: seconds("REACHABILITY_TIMEOUT", default.reachability_timeout, 1.0, 300.0)?,
        })
    }
}
