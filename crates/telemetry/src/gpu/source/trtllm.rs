//! The energy of all GPUs of a TensorRT-LLM server, from its page `/energy_metrics`.

use std::sync::Arc;
use std::time::Duration;

use aiperf_address::Address;
use aiperf_clock::Mono;
use aiperf_transport::ClientSettings;
use serde::Deserialize;

use crate::gpu::cadence::Renewal;
use crate::gpu::collected::Scope;
use crate::gpu::field::{FieldId, Platform};
use crate::gpu::reading::{GpuIdentity, GpuReading};
use crate::gpu::source::page::SourcePage;
use crate::gpu::source::{GpuSource, SourceError};
use crate::scrape::FetchedPage;

/// The path of the page.
pub const PATH: &str = "/energy_metrics";

/// One server.
#[derive(Debug)]
pub struct TrtLlmSource {
    url: String,
    page: SourcePage,
    gpu: Arc<GpuIdentity>,
}

#[derive(Debug, Deserialize)]
struct EnergyPage {
    /// Since the server was started.
    total_energy_j: f64,
}

impl TrtLlmSource {
    /// Asks the server once, within `limit`.
    pub fn open(
        address: &Address,
        url: String,
        settings: &ClientSettings,
        limit: Duration,
    ) -> Result<Self, SourceError> {
        let (page, first) = SourcePage::open(address, settings, limit).map_err(explained)?;
        energy(&first.body)?;
        let gpu = GpuIdentity::new(Platform::Nvidia, 0, "", "all GPUs of the TensorRT-LLM server");
        Ok(Self { url, page, gpu: Arc::new(gpu) })
    }

    fn reading(&self, page: &FetchedPage) -> Result<GpuReading, SourceError> {
        // The counters are read while the answer is made.
        let at = Mono::from_nanos(page.sent.as_nanos().midpoint(page.first_byte.as_nanos()));
        let values = vec![(FieldId::ENERGY, energy(&page.body)? * 1e-6)];
        Ok(GpuReading { gpu: Arc::clone(&self.gpu), at, values })
    }
}

impl GpuSource for TrtLlmSource {
    fn url(&self) -> &str {
        &self.url
    }

    fn renewal(&self) -> Renewal {
        Renewal::WholePage
    }

    fn scope(&self) -> Scope {
        Scope::WholeServer
    }

    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
        let page = self.page.fetch()?;
        Ok(vec![self.reading(&page)?])
    }
}

fn explained(error: SourceError) -> SourceError {
    if error.reason.contains("503") {
        return SourceError::new("the server does not measure energy; start it with enable_energy_metrics: true");
    }
    error
}

/// Joules that the page reports.
fn energy(body: &[u8]) -> Result<f64, SourceError> {
    let page: EnergyPage = serde_json::from_slice(body)
        .map_err(|_| SourceError::new("the page has no total_energy_j; is it that of TensorRT-LLM?"))?;
    let joules = page.total_energy_j;
    if joules.is_finite() && joules >= 0.0 {
        Ok(joules)
    } else {
        Err(SourceError::new("total_energy_j is not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_server_is_read() {
        assert_eq!(energy(br#"{"total_energy_j": 1234.5678, "query_time": 77.1}"#), Ok(1234.5678));
        assert!(energy(b"[]").unwrap_err().reason.contains("total_energy_j"));
        assert!(energy(br#"{"total_energy_j": -1}"#).is_err());
    }
}
