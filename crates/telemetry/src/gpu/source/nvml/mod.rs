//! The GPUs of this machine through NVIDIA's management library (NVML), which is loaded when it is needed: the program also runs
//! on machines without a driver.

mod device;
mod xid;

use std::sync::OnceLock;

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use crate::gpu::cadence::Renewal;
use crate::gpu::reading::GpuReading;
use crate::gpu::source::{GpuSource, SourceError};
use device::NvmlDevice;
use xid::XidEvents;

/// As files name it; the reference reads the same library through Python.
pub const URL: &str = "pynvml://localhost";

/// All GPUs that the library lists.
#[derive(Debug)]
pub struct NvmlSource {
    devices: Vec<NvmlDevice>,
    events: XidEvents,
}

impl NvmlSource {
    /// Loads the library and lists its GPUs.
    pub fn open() -> Result<Self, SourceError> {
        let nvml = library()?;
        let count = nvml.device_count().map_err(|error| SourceError::new(explained(&error)))?;
        let mut devices = Vec::new();
        for index in 0..count {
            match nvml.device_by_index(index) {
                Ok(device) => devices.push(NvmlDevice::new(nvml, device, index)),
                // A GPU that is lost must not hide the others.
                Err(error) => log::warn!("GPU {index} cannot be read: {}", explained(&error)),
            }
        }
        if devices.is_empty() {
            return Err(SourceError::new("the NVIDIA driver lists no GPU"));
        }
        let events = XidEvents::watch(nvml, &devices);
        Ok(Self { devices, events })
    }
}

impl GpuSource for NvmlSource {
    fn url(&self) -> &str {
        URL
    }

    fn renewal(&self) -> Renewal {
        Renewal::ByField
    }

    fn read(&mut self) -> Result<Vec<GpuReading>, SourceError> {
        self.events.collect(&mut self.devices);
        let readings: Vec<GpuReading> =
            self.devices.iter_mut().map(NvmlDevice::read).filter(|reading| !reading.values.is_empty()).collect();
        if readings.is_empty() { Err(SourceError::new("no GPU answers")) } else { Ok(readings) }
    }
}

/// The library, loaded once in the life of the program.
fn library() -> Result<&'static Nvml, SourceError> {
    static LIBRARY: OnceLock<Result<Nvml, String>> = OnceLock::new();
    let loaded = LIBRARY.get_or_init(|| Nvml::init().map_err(|error| explained(&error)));
    loaded.as_ref().map_err(SourceError::new)
}

/// An error in words that say what to do.
fn explained(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(_) => {
            "the NVIDIA driver is not installed: libnvidia-ml.so.1 was not found".to_owned()
        }
        NvmlError::DriverNotLoaded => "the NVIDIA driver is not loaded".to_owned(),
        NvmlError::NoPermission => "no permission to talk to the NVIDIA driver".to_owned(),
        NvmlError::LibRmVersionMismatch => {
            "the NVIDIA driver and its library have different versions; restart the machine".to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs wherever the tests run: with a driver it reads GPUs, without one it says what is missing.
    #[test]
    fn the_library_is_read_or_its_absence_explained() {
        match NvmlSource::open() {
            Ok(mut source) => assert!(!source.read().unwrap().is_empty()),
            Err(error) => assert!(error.to_string().contains("NVIDIA driver"), "{error}"),
        }
    }
}
