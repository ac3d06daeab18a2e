//! Errors of GPUs (XID) as they happen, from the events of the library.

#[cfg(target_os = "linux")]
use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::event::EventSet;
use nvml_wrapper::{Device, Nvml};

use super::device::NvmlDevice;

/// Events that one reading takes at most: a GPU that fails over and over must not hold the reading up.
const MOST_EVENTS: usize = 64;

/// The errors of all GPUs; `None` if the driver does not tell.
#[derive(Debug)]
pub(super) struct XidEvents(Option<EventSet<'static>>);

impl XidEvents {
    pub(super) fn watch(nvml: &'static Nvml, devices: &[NvmlDevice]) -> Self {
        let set = nvml.create_event_set().ok();
        Self(devices.iter().fold(set, |set, device| register(&device.device, set?)))
    }

    /// Notes the last error of each GPU since the last call.
    pub(super) fn collect(&self, devices: &mut [NvmlDevice]) {
        let Some(set) = &self.0 else { return };
        for device in devices.iter_mut() {
            device.last_xid.get_or_insert(0);
        }
        for _ in 0..MOST_EVENTS {
            let Ok(event) = set.wait(0) else { return };
            let Some(code) = event.event_data else { continue };
            let uuid = event.device.uuid().unwrap_or_default();
            if let Some(device) = devices.iter_mut().find(|device| device.gpu.uuid == uuid) {
                device.last_xid = Some(code_of(&code));
            }
        }
    }
}

/// The library has events on Linux only.
#[cfg(not(target_os = "linux"))]
fn register(_device: &Device<'static>, _set: EventSet<'static>) -> Option<EventSet<'static>> {
    None
}

#[cfg(target_os = "linux")]
fn register(device: &Device<'static>, set: EventSet<'static>) -> Option<EventSet<'static>> {
    let registered = device.register_events(EventTypes::CRITICAL_XID_ERROR, set);
    registered.inspect_err(|refused| log::debug!("XID errors are not watched: {}", refused.error)).ok()
}

/// The number of an error; the library has none for an error that it does not know.
fn code_of(error: &XidError) -> u64 {
    match error {
        XidError::Value(code) => *code,
        XidError::Unknown => u64::MAX,
    }
}
