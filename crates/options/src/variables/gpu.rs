//! When the state of GPUs is read: `AIPERF_GPU_*`.

use std::time::Duration;

use aiperf_address::Address;
use aiperf_config::GpuCollection;

use super::Variables;
use crate::ConfigError;
use crate::groups::gpu_telemetry::page_address;

impl Variables<'_> {
    pub(super) fn gpu_collection(&self) -> Result<GpuCollection, ConfigError> {
        let default = GpuCollection::default();
        let grace = u64::try_from(default.final_grace.as_nanos()).unwrap_or(u64::MAX);
        Ok(GpuCollection {
            interval: self.seconds("AIPERF_GPU_COLLECTION_INTERVAL", default.interval, 0.01, 300.0)?,
            default_endpoints: self.read(
                "AIPERF_GPU_DEFAULT_DCGM_ENDPOINTS",
                default.default_endpoints,
                "must be URLs with commas between them, or a JSON list of them",
                addresses,
            )?,
            reachability_timeout: self.seconds(
                "AIPERF_GPU_REACHABILITY_TIMEOUT",
                default.reachability_timeout,
                1.0,
                300.0,
            )?,
            final_grace: Duration::from_nanos(self.int(
                "AIPERF_GPU_FINAL_SCRAPE_GRACE_NS",
                grace,
                0,
                60_000_000_000,
            )?),
            shutdown: self.seconds("AIPERF_GPU_SHUTDOWN_DELAY", default.shutdown, 1.0, 300.0)?,
        })
    }
}

/// A list with commas, or a JSON list.
fn addresses(text: &str) -> Option<Vec<Address>> {
    let list: Vec<String> = if text.starts_with('[') {
        serde_json::from_str(text).ok()?
    } else {
        text.split(',').map(|url| url.trim().to_owned()).filter(|url| !url.is_empty()).collect()
    };
    list.iter().map(|url| page_address(url).ok()).collect()
}
