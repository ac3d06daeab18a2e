//! AMD's management library for GPUs (`libamd_smi`), loaded when it is needed: the program also runs on machines without it.
//!
//! The library's structures grew over its versions. Only their beginnings are read here, which did not change, out of a buffer that
//! is larger than any of them.

mod library;

use std::sync::Arc;

use thiserror::Error;

use library::{Handle, Library};

/// Bytes 0xFF.. stand for "not available" in all fields.
const NOT_AVAILABLE_16: u16 = u16::MAX;
const NOT_AVAILABLE_32: u32 = u32::MAX;

/// Why the library cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AmdSmiError {
    #[error("AMD's library is not installed: libamd_smi.so was not found")]
    NotInstalled,
    #[error("AMD's library lacks {0}; it is too old")]
    TooOld(&'static str),
    #[error("AMD's library reports error {0}")]
    Status(u32),
    #[error("AMD's library lists no GPU")]
    NoGpu,
}

/// One GPU.
#[derive(Debug, Clone)]
pub struct AmdGpu {
    library: Arc<Library>,
    handle: Handle,
    pub uuid: String,
    pub name: String,
    /// `domain:bus:device.function`, in hexadecimal.
    pub pci_bus_id: Option<String>,
}

/// What the library measures in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AmdMetrics {
    pub gfx_activity_percent: Option<u16>,
    pub umc_activity_percent: Option<u16>,
    pub mm_activity_percent: Option<u16>,
    pub hotspot_celsius: Option<u16>,
    pub gfx_clock_mhz: Option<u16>,
    pub memory_clock_mhz: Option<u16>,
    pub throttle_status: Option<u32>,
}

/// Loads the library and lists its GPUs.
pub fn gpus() -> Result<Vec<AmdGpu>, AmdSmiError> {
    let library = Arc::new(Library::load()?);
    let mut all = Vec::new();
    for handle in library.gpus()? {
        let name = library.read(library.asic_info, handle).map(|asic| text(&asic[..256])).unwrap_or_default();
        all.push(AmdGpu {
            uuid: library.uuid(handle).unwrap_or_default(),
            name: if name.is_empty() { "AMD GPU".to_owned() } else { name },
            pci_bus_id: library.number(library.bus_address, handle).map(bus_id),
            library: Arc::clone(&library),
            handle,
        });
    }
    if all.is_empty() { Err(AmdSmiError::NoGpu) } else { Ok(all) }
}

impl AmdGpu {
    /// In watts.
    pub fn power(&self) -> Option<f64> {
        power_in(&self.library.read(self.library.power_info, self.handle)?)
    }

    /// Since the driver was loaded, in joules.
    pub fn energy(&self) -> Option<f64> {
        let (ticks, microjoules) = self.library.energy(self.handle)?;
        Some(ticks as f64 * f64::from(microjoules) * 1e-6)
    }

    /// Used memory in bytes.
    pub fn memory_used(&self) -> Option<u64> {
        self.library.memory_used(self.handle)
    }

    /// Errors that could not be corrected, since the driver was loaded.
    pub fn uncorrectable_errors(&self) -> Option<u64> {
        Some(u64_at(&self.library.read(self.library.ecc_count, self.handle)?, 8)).filter(|count| *count != u64::MAX)
    }

    pub fn metrics(&self) -> Option<AmdMetrics> {
        Some(metrics_in(&self.library.read(self.library.gpu_metrics, self.handle)?))
    }
}

/// `amdsmi_power_info_t`. Older versions begin with two 32-bit numbers, current and mean power; newer ones with power as a 64-bit
/// number. Power is far below 2^32 W, so that the second half is zero only in the newer one.
fn power_in(info: &[u8]) -> Option<f64> {
    let (first, second) = (u32_at(info, 0), u32_at(info, 4));
    let usable = |watts: u32| watts != NOT_AVAILABLE_32 && watts != u32::from(NOT_AVAILABLE_16);
    if second == 0 {
        return usable(first).then(|| f64::from(first));
    }
    let current = Some(first).filter(|watts| usable(*watts) && *watts > 0);
    current.or(Some(second).filter(|watts| usable(*watts))).map(f64::from)
}

/// `amdsmi_gpu_metrics_t`: a header of 4 bytes, six temperatures, three activities, power, two 64-bit numbers, seven mean clocks,
/// seven current clocks, the throttle status.
fn metrics_in(bytes: &[u8]) -> AmdMetrics {
    let short = |at: usize| Some(u16_at(bytes, at)).filter(|value| *value != NOT_AVAILABLE_16);
    AmdMetrics {
        hotspot_celsius: short(6),
        gfx_activity_percent: short(16),
        umc_activity_percent: short(18),
        mm_activity_percent: short(20),
        gfx_clock_mhz: short(54).or_else(|| short(40)),
        memory_clock_mhz: short(58).or_else(|| short(44)),
        throttle_status: Some(u32_at(bytes, 68)).filter(|status| *status != NOT_AVAILABLE_32),
    }
}

/// The address of a PCI device as the library packs it.
fn bus_id(packed: u64) -> String {
    let (domain, bus) = (packed >> 32 & 0xffff_ffff, packed >> 8 & 0xff);
    let (device, function) = (packed >> 3 & 0x1f, packed & 0x7);
    format!("{domain:04x}:{bus:02x}:{device:02x}.{function}")
}

/// A text that ends with a zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(array(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(array(bytes, at))
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&bytes[at..at + N]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.resize(256, 0);
        bytes
    }

    #[test]
    fn power_is_found_in_every_version_of_its_structure() {
        // Since ROCm 6.4: 64-bit power, then current and mean power.
        assert_eq!(power_in(&words(&[550, 0, 550, NOT_AVAILABLE_32])), Some(550.0));
        // Since ROCm 6.0: current and mean power, one of which is not available.
        assert_eq!(power_in(&words(&[550, NOT_AVAILABLE_32, 800])), Some(550.0));
        assert_eq!(power_in(&words(&[NOT_AVAILABLE_32, 220, 800])), Some(220.0));
        assert_eq!(power_in(&words(&[u32::from(NOT_AVAILABLE_16), 220, 800])), Some(220.0));
        // Before: mean power, then a voltage in mV.
        assert_eq!(power_in(&words(&[220, 806, 900])), Some(220.0));
        assert_eq!(power_in(&words(&[NOT_AVAILABLE_32, NOT_AVAILABLE_32])), None);
    }

    #[test]
    fn metrics_are_where_the_structure_has_them() {
        let mut bytes = vec![0xff; 256];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(6, &61_u16.to_ne_bytes());
        put(16, &97_u16.to_ne_bytes());
        put(18, &40_u16.to_ne_bytes());
        put(40, &2_100_u16.to_ne_bytes());
        put(44, &1_300_u16.to_ne_bytes());
        put(68, &4_u32.to_ne_bytes());
        let expected = AmdMetrics {
            gfx_activity_percent: Some(97),
            umc_activity_percent: Some(40),
            mm_activity_percent: None,
            hotspot_celsius: Some(61),
            gfx_clock_mhz: Some(2_100),
            memory_clock_mhz: Some(1_300),
            throttle_status: Some(4),
        };
        assert_eq!(metrics_in(&bytes), expected);
    }

    #[test]
    fn a_packed_address_is_spelled_out() {
        assert_eq!(bus_id(0x0000_0001_0000_c108), "0001:c1:01.0");
    }

    /// Runs wherever the tests run: with the library it lists GPUs, without it says what is missing.
    #[test]
    fn the_library_is_read_or_its_absence_explained() {
        match gpus() {
            Ok(all) => assert!(all.iter().all(|gpu| !gpu.name.is_empty())),
            Err(error) => assert!(error.to_string().starts_with("AMD's library"), "{error}"),
        }
    }
}
