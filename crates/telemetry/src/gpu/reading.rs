//! What a source says about one GPU at one time.

use std::sync::Arc;

use aiperf_clock::Mono;

use crate::gpu::field::{FieldId, Platform};

/// Which GPU it is. Texts are empty if the source does not know them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GpuIdentity {
    pub index: u32,
    pub uuid: String,
    pub model: String,
    pub pci_bus_id: Option<String>,
    pub device: Option<String>,
    pub hostname: Option<String>,
    pub namespace: Option<String>,
    pub pod: Option<String>,
    pub platform: Platform,
}

impl GpuIdentity {
    pub fn new(platform: Platform, index: u32, uuid: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            index,
            uuid: uuid.into(),
            model: model.into(),
            pci_bus_id: None,
            device: None,
            hostname: None,
            namespace: None,
            pod: None,
            platform,
        }
    }
}

/// The values of one GPU at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuReading {
    pub gpu: Arc<GpuIdentity>,
    /// When the source was asked, on the clock of the requests.
    pub at: Mono,
    /// Finite values in the units of the files, in the order of fields; what the source does not know is not there.
    pub values: Vec<(FieldId, f64)>,
}

impl GpuReading {
    pub fn value(&self, field: FieldId) -> Option<f64> {
        self.values.iter().find(|(id, _)| *id == field).map(|(_, value)| *value)
    }
}
